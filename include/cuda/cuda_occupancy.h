// Occupancy is a question to the runtime here (cudaOccupancy…): nothing is computed in headers.
#pragma once
#include "cuda_runtime.h"
