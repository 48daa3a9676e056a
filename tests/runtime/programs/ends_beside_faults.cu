// A kernel's end waits for its own accesses only: kernels of one stream take no longer because those of another wait
// for pages of managed memory. In functional mode no time passes for either; on a timing machine a page takes 20 us and
// more.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int pages = 16, page_words = 1 << 16;  // a page is 64 KiB at most

__global__ void touch(int* managed, int count) {
  if (threadIdx.x < count) managed[threadIdx.x * page_words] += 1;
}
__global__ void touch_each(int* managed) {
  if (threadIdx.x == 0) managed[blockIdx.x % pages * page_words] += 1;
}
__global__ void tiny(int* x) {
  x[blockIdx.x * 32 + threadIdx.x] += 1;
}
__global__ void fenced(int* x) {
  x[blockIdx.x * 32 + threadIdx.x] += 1;
  __threadfence();
  x[blockIdx.x * 32 + threadIdx.x] += 1;
}

struct Streams {
  cudaStream_t faulting, beside, third;
};

/// Microseconds of some kernels in `beside`.
template <class Kernel, class Faults>
float time_of(const Streams& s, Kernel kernel, int* words, Faults faults) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  faults();
  cudaEventRecord(begin, s.beside);
  for (int i = 0; i < 4; ++i) kernel<<<72, 32, 0, s.beside>>>(words);
  cudaEventRecord(end, s.beside);
  cudaDeviceSynchronize();
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin), cudaEventDestroy(end);
  return milliseconds * 1000;
}

int failures = 0;

template <class Kernel, class Faults>
void expect_no_longer(const char* what, const Streams& s, Kernel kernel, int* words, Faults faults) {
  const float alone = time_of(s, kernel, words, [] {});
  const float beside = time_of(s, kernel, words, faults);
  if (beside <= alone * 1.25f + 0.5f) return;
  printf("FAIL ends_beside_faults: %s: %g us, alone %g us\n", what, beside, alone);
  ++failures;
}

int main() {
  Streams s;
  for (cudaStream_t* stream : {&s.faulting, &s.beside, &s.third})
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  const size_t bytes = size_t(pages) * page_words * sizeof(int);
  int *words, *other, *managed[6];
  cudaMalloc(&words, 72 * 32 * sizeof(int)), cudaMalloc(&other, 1 << 20);
  cudaMemset(words, 0, 72 * 32 * sizeof(int));
  for (int*& one : managed) cudaMallocManaged(&one, bytes);
  time_of(s, tiny, words, [] {});  // caches are warm
  expect_no_longer("one fault", s, tiny, words, [&] { touch<<<1, 32, 0, s.faulting>>>(managed[0], 1); });
  expect_no_longer("one warp's faults of many pages", s, tiny, words,
                   [&] { touch<<<1, 32, 0, s.faulting>>>(managed[1], pages); });
  expect_no_longer("faults on every SM", s, tiny, words, [&] { touch_each<<<72, 32, 0, s.faulting>>>(managed[2]); });
  expect_no_longer("a fence beside a fault", s, fenced, words,
                   [&] { touch_each<<<72, 32, 0, s.faulting>>>(managed[3]); });
  expect_no_longer("faults of two streams", s, tiny, words, [&] {
    touch_each<<<72, 32, 0, s.faulting>>>(managed[4]);
    touch<<<1, 32, 0, s.third>>>(managed[5], pages);
  });
  expect_no_longer("faults and a kernel of a third stream", s, tiny, words, [&] {
    cudaMemPrefetchAsync(managed[4], bytes, cudaCpuDeviceId, s.third);
    cudaStreamSynchronize(s.third);
    touch_each<<<72, 32, 0, s.faulting>>>(managed[4]);
    tiny<<<8, 32, 0, s.third>>>(other);
    cudaMemsetAsync(other, 0, 4096, s.third);
  });
  const int expected[6] = {1, 1, 0, 0, 0, 1};  // of the others, blocks add to one word without atomics
  cudaDeviceSynchronize();
  for (int i : {0, 1, 5})
    if (managed[i][0] != expected[i])
      printf("FAIL ends_beside_faults: page of fault %d: %d\n", i, managed[i][0]), ++failures;
  if (const cudaError_t e = cudaGetLastError())
    printf("FAIL ends_beside_faults: %s\n", cudaGetErrorString(e)), ++failures;
  if (!failures) puts("PASS ends_beside_faults");
  return failures != 0;
}
