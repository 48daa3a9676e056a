// error: tensor-core matrices (nvcuda::wmma) are not simulated
#include <mma.h>
__global__ void kernel() {}
