// error: cuRAND's MTGP32 generator is not simulated
#include <curand_kernel.h>
__global__ void kernel(curandStateMtgp32 *states) { (void)states; }
