// error: no matching function for call to 'cudaDeviceSynchronize'
__global__ void parent() { cudaDeviceSynchronize(); }
