// A producer kernel and a consumer kernel in two streams run side by side and talk through a ring in device memory;
// neither can end without the other. Exercises: concurrent kernels, non-blocking streams, launch order against the
// obvious one.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kRing = 8;
constexpr int kWidth = 32;  // words an item, one a thread

struct Ring {
  unsigned head;  // items produced
  unsigned tail;  // items consumed
  unsigned items[kRing][kWidth];
};

__host__ __device__ unsigned word_of(unsigned item, unsigned t) {
  return item * 40503u + t * t;
}

__global__ void produce(Ring* ring, unsigned count) {
  volatile Ring* shared = ring;
  for (unsigned item = 0; item < count; ++item) {
    if (threadIdx.x == 0)
      while (item - shared->tail >= kRing) __nanosleep(50);
    __syncthreads();
    shared->items[item % kRing][threadIdx.x] = word_of(item, threadIdx.x);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) shared->head = item + 1;
  }
}

__global__ void consume(Ring* ring, unsigned count, unsigned* sums) {
  volatile Ring* shared = ring;
  unsigned sum = 0;
  for (unsigned item = 0; item < count; ++item) {
    if (threadIdx.x == 0) {
      while (shared->head <= item) __nanosleep(50);
      __threadfence();
    }
    __syncthreads();
    sum = sum * 31 + shared->items[item % kRing][threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      shared->tail = item + 1;
    }
  }
  sums[threadIdx.x] = sum;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned count = size_argument(argc, argv, 1, 60, 1, 1 << 20);
  std::vector<unsigned> want(kWidth, 0);
  for (unsigned item = 0; item < count; ++item)
    for (int t = 0; t < kWidth; ++t) want[t] = want[t] * 31 + word_of(item, t);

  cudaStream_t producer, consumer;
  CUDA(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
  DeviceArray<Ring> ring(1);
  DeviceArray<unsigned> sums(kWidth);
  for (const bool consumer_first : {false, true}) {
    CUDA(cudaMemset(ring, 0, sizeof(Ring)));
    CUDA(cudaMemset(sums, 0, kWidth * sizeof(unsigned)));
    CUDA(cudaDeviceSynchronize());
    if (consumer_first) consume<<<1, kWidth, 0, consumer>>>(ring, count, sums);
    produce<<<1, kWidth, 0, producer>>>(ring, count);
    if (!consumer_first) consume<<<1, kWidth, 0, consumer>>>(ring, count, sums);
    CUDA(cudaGetLastError());
    CUDA(cudaStreamSynchronize(consumer));
    CUDA(cudaStreamSynchronize(producer));
    EXPECT_SAME(want, sums.download(), consumer_first ? "sums, consumer launched first" : "sums");
  }
  CUDA(cudaStreamDestroy(producer));
  CUDA(cudaStreamDestroy(consumer));
  return PASS("items=%u", count);
}
