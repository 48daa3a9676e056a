// A part of cuRAND's device API.
#pragma once
#include "curand_kernel.h"
