// Every operation of everwarp::local_ref in every order, on every kind of object, and read_only: by one thread, whose old and
// new values are known, then by all blocks of each SM, whose sums are.
#include <everwarp/sync.cuh>

#include "test.h"

namespace {

using everwarp::local_ref;
constexpr int kBlocks = 90, kThreads = 64;

template <class T>
__device__ void move_values(T* object) {
  const local_ref<T> ref(*object);
  ref.store(T(1), cuda::memory_order_relaxed);
  EXPECT(ref.load(cuda::memory_order_relaxed) == T(1));
  ref.store(T(2), cuda::memory_order_release);
  EXPECT(ref.load(cuda::memory_order_acquire) == T(2));
  ref.store(T(3), cuda::memory_order_seq_cst);
  EXPECT(ref.load(cuda::memory_order_seq_cst) == T(3) && *object == T(3));
  EXPECT(ref.exchange(T(4), cuda::memory_order_relaxed) == T(3) && ref.exchange(T(5), cuda::memory_order_acquire) == T(4));
  EXPECT(ref.exchange(T(6), cuda::memory_order_release) == T(5) && ref.exchange(T(7), cuda::memory_order_acq_rel) == T(6));
  EXPECT(ref.exchange(T(8), cuda::memory_order_seq_cst) == T(7) && *object == T(8));
  T expected = T(9);
  EXPECT(!ref.compare_exchange_strong(expected, T(10), cuda::memory_order_acquire) && expected == T(8) && *object == T(8));
  EXPECT(ref.compare_exchange_strong(expected, T(10), cuda::memory_order_relaxed) && expected == T(8) && *object == T(10));
  expected = T(10);
  EXPECT(ref.compare_exchange_weak(expected, T(11), cuda::memory_order_acq_rel) && *object == T(11));
}

template <class T>
__device__ void count(T* object) {
  move_values(object);
  const local_ref<T> ref(*object);
  ref.store(T(5), cuda::memory_order_relaxed);
  EXPECT(ref.fetch_add(T(3), cuda::memory_order_relaxed) == T(5) && ref.fetch_add(T(-1), cuda::memory_order_acquire) == T(8));
  EXPECT(ref.fetch_sub(T(8), cuda::memory_order_release) == T(7) && ref.fetch_sub(T(-13), cuda::memory_order_acq_rel) == T(-1));
  EXPECT(ref.fetch_and(T(6), cuda::memory_order_acquire) == T(12) && ref.fetch_or(T(3), cuda::memory_order_seq_cst) == T(4));
  EXPECT(ref.fetch_xor(T(5), cuda::memory_order_release) == T(7) && *object == T(2));
}

union Object {
  int i;
  unsigned u;
  long long l;
  unsigned long long ul;
  float f;
  double d;
};

__global__ void alone(Object* object) {
  count(&object->i);
  count(&object->u);
  count(&object->l);
  count(&object->ul);
  move_values(&object->f);
  move_values(&object->d);
}

template <class T>
__global__ void read(const T* table, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) EXPECT(everwarp::read_only(&table[i]) == T(3 * i - 7));
}

__device__ unsigned sm_of_this_block() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

struct PerSm {
  unsigned lock, entries, lanes, by_fence;
};

// Every block takes its SM's lock and adds to plain counters.
__global__ void together(PerSm* of_sm, unsigned* blocks_of_sm) {
  PerSm& mine = of_sm[sm_of_this_block()];
  if (threadIdx.x == 0) {
    atomicAdd(&blocks_of_sm[sm_of_this_block()], 1u);
    unsigned expected = 0;
    while (!local_ref<unsigned>(mine.lock).compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) expected = 0;
    ++mine.entries;
    local_ref<unsigned>(mine.lock).exchange(0, cuda::memory_order_release);
    while (local_ref<unsigned>(mine.lock).exchange(1, cuda::memory_order_relaxed) != 0) continue;
    everwarp::local_fence();
    ++mine.by_fence;
    everwarp::local_fence();
    local_ref<unsigned>(mine.lock).store(0, cuda::memory_order_relaxed);
  }
  local_ref<unsigned>(mine.lanes).fetch_add(threadIdx.x, cuda::memory_order_relaxed);
}

template <class T>
T* filled(int n) {
  T* table;
  CUDA(cudaMallocManaged(&table, n * sizeof(T)));
  for (int i = 0; i < n; ++i) table[i] = T(3 * i - 7);
  return table;
}

}  // namespace

int main() {
  Object* object;
  CUDA(cudaMallocManaged(&object, sizeof(Object)));
  alone<<<1, 1>>>(object);
  read<<<1, 32>>>(filled<int>(100), 100);
  read<<<1, 32>>>(filled<float>(100), 100);
  read<<<1, 32>>>(filled<double>(100), 100);
  CUDA(cudaDeviceSynchronize());

  int sms;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  PerSm* of_sm;
  unsigned* blocks_of_sm;
  CUDA(cudaMallocManaged(&of_sm, sms * sizeof(PerSm)));
  CUDA(cudaMallocManaged(&blocks_of_sm, sms * sizeof(unsigned)));
  for (int sm = 0; sm < sms; ++sm) of_sm[sm] = {}, blocks_of_sm[sm] = 0;
  together<<<kBlocks, kThreads>>>(of_sm, blocks_of_sm);
  CUDA(cudaDeviceSynchronize());
  unsigned blocks = 0;
  for (int sm = 0; sm < sms; ++sm) {
    const unsigned here = blocks_of_sm[sm];
    blocks += here;
    EXPECT(of_sm[sm].lock == 0 && of_sm[sm].entries == here && of_sm[sm].by_fence == here);
    EXPECT(of_sm[sm].lanes == here * (kThreads * (kThreads - 1) / 2));
  }
  EXPECT(blocks == kBlocks);
  return finish();
}
