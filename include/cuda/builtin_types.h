// The types that a CUDA translation unit has without asking.
#pragma once
#include "driver_types.h"
#include "vector_types.h"
