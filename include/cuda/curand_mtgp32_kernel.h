// Refused by name.
#pragma once
#error "cuRAND's MTGP32 generator is not simulated; XORWOW, Philox4x32-10, MRG32k3a and Sobol' are (curand_kernel.h)"
