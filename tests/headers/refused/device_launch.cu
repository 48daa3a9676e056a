// error: reference to __global__ function 'child' in __global__ function
__global__ void child() {}
__global__ void kernel() { child<<<1, 1>>>(); }
