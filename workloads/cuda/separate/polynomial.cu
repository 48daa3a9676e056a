// part of: separate.cu
// Definitions that another file's kernels call: needs relocatable device code.
#include "polynomial.cuh"

__device__ int evaluations = 0;
__constant__ Polynomial default_polynomial = {2, {1, -3, 2}};

namespace {
__device__ int identity(int x) {
  return x;
}
__device__ int square(int x) {
  return x * x;
}
__device__ int fold(int x) {
  return x < 0 ? -x : x;
}
// A name that sampling.cu also has, with internal linkage in both files.
__device__ int offset = 100;
}  // namespace

__device__ Shape shapes[3] = {identity, square, fold};

__device__ int evaluate(const Polynomial& polynomial, int x) {
  atomicAdd(&evaluations, 1);
  int sum = 0;
  for (int i = polynomial.degree; i >= 0; --i) sum = sum * x + polynomial.coefficients[i];
  return sum + offset;
}

__device__ Accumulator::Accumulator(int start) : value_(start) {}
__device__ Accumulator::~Accumulator() {}
__device__ void Accumulator::add(int x) {
  value_ += x;
}
__device__ int Accumulator::value() const {
  return value_;
}
