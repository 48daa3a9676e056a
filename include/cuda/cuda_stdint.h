// The integer types of C99.
#pragma once
#include <stdint.h>
