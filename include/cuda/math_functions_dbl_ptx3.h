// An old name of the math functions, which every CUDA source has from its first line.
#pragma once

#include <math.h>
#if defined(__CUDA__)
#include "everwarp/math.cuh"
#endif
