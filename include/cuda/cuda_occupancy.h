// Occupancy: the runtime's functions answer it here (cudaOccupancy…). No header computes it.
#pragma once
#include "cuda_runtime.h"
