// The arrive-wait barrier: its C interface.
#pragma once
#include "cuda_awbarrier_primitives.h"
