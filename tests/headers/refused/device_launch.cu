// error: kernel call from __device__ or __global__ function
__global__ void child() {}
__global__ void kernel() { child<<<1, 1>>>(); }
