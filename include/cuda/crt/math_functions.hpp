// An old header of the math functions. Every CUDA source has them from its first line.
#pragma once

#include "../math_functions.h"
