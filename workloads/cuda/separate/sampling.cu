// part of: separate.cu
// Kernels that use another file's device functions, variables, tables and classes.
#include "polynomial.cuh"
#include "sampling.h"

namespace {

__device__ int offset = 7;

class Alternating : public Accumulator {  // overrides a method whose caller does not know this class
 public:
  __device__ Alternating() : Accumulator(0) {}
  __device__ void add(int x) override { value_ = x - value_; }
};

__device__ void feed(Accumulator& accumulator, int x) {
  for (const Shape shape : shapes) accumulator.add(shape(x));
}

__global__ void sample(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Polynomial own = {1, {i, 3}};
  const int x = evaluate(i % 2 ? own : default_polynomial, i - n / 2);
  Accumulator plain(offset);
  Alternating alternating;
  Accumulator& mine = i % 3 ? plain : alternating;
  feed(mine, x);
  out[i] = mine.value();
}

}  // namespace

cudaError_t sample_on_device(int* out, int n) {
  sample<<<(n + 63) / 64, 64>>>(out, n);
  return cudaGetLastError();
}

cudaError_t evaluations_so_far(int* count) {
  return cudaMemcpyFromSymbol(count, evaluations, sizeof(int));
}
