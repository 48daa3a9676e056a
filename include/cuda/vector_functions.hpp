// make_char1 ... make_double4.
#pragma once
#include "vector_functions.h"
