// build: -Xcompiler -fopenmp -lgomp
// A host that works beside the GPU with OpenMP: it makes the input in parallel, and checks the result by a parallel
// reduction by three threads. Its build names g++'s run-time library, as many Makefiles do.
#include <omp.h>

#include <vector>

#include "check.h"

__global__ void square(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int n = 10000;
  omp_set_num_threads(3);
  std::vector<int> in(n), out(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) in[i] = i % 100;
  int *from, *to;
  cudaMalloc(&from, n * sizeof(int));
  cudaMalloc(&to, n * sizeof(int));
  cudaMemcpy(from, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  square<<<(n + 255) / 256, 256>>>(from, to, n);
  cudaMemcpy(out.data(), to, n * sizeof(int), cudaMemcpyDeviceToHost);
  long sum = 0;
  int threads = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += out[i];
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  const long expected = 100L * 328350;
  if (sum != expected) return printf("FAIL openmp_host: should be %ld, is %ld\n", expected, sum), 1;
  if (threads != 3) return printf("FAIL openmp_host: a team of %d threads, not 3\n", threads), 1;
  printf("PASS openmp_host n=%d\n", n);
}
