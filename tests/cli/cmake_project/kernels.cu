extern __device__ int twice(int);

__global__ void fill(int* p) {
  p[threadIdx.x] = twice(threadIdx.x);
}

void launch_fill(int* p) {
  fill<<<1, 32>>>(p);
}
