// The types that a CUDA translation unit has without an include.
#pragma once
#define __BUILTIN_TYPES_H__  // CUDA's include guard: programs and libraries test it
#include "driver_types.h"
#include "vector_types.h"
