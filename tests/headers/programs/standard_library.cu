// libcu++ in kernels: cuda::atomic and atomic_ref at each scope, cuda::barrier, latch, semaphores, pipeline and memcpy_async,
// annotated pointers, and the parts of <cuda/std/...> that programs use.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/barrier>
#include <cuda/std/cassert>
#include <cuda/std/cfloat>
#include <cuda/std/chrono>
#include <cuda/std/climits>
#include <cuda/std/complex>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/ratio>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cooperative_groups.h>

#include "test.h"

namespace {

__device__ cuda::atomic<int, cuda::thread_scope_device> counter{0};
__device__ cuda::atomic<unsigned long long, cuda::thread_scope_system> wide{1};

template <cuda::thread_scope Scope>
__device__ void every_operation(cuda::atomic<int, Scope>& a) {
  a.store(5, cuda::memory_order_relaxed);
  EXPECT(a.load() == 5 && a.exchange(7) == 5 && a.fetch_add(3) == 7 && a.fetch_sub(1, cuda::memory_order_acq_rel) == 10);
  EXPECT(a.fetch_and(13) == 9 && a.fetch_or(6) == 9 && a.fetch_xor(1) == 15);
  int expected = 3;
  EXPECT(!a.compare_exchange_strong(expected, 4) && expected == 14);
  while (!a.compare_exchange_weak(expected, 20, cuda::memory_order_release, cuda::memory_order_relaxed)) {
  }
  EXPECT(a.fetch_max(25) == 20 && a.fetch_min(2) == 25 && ++a == 3 && a-- == 3 && (a += 5) == 7 && int(a) == 7);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, Scope);
}

__global__ void atomics(int* plain) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> in_block;
  if (threadIdx.x == 0) {
    new (&in_block) cuda::atomic<int, cuda::thread_scope_block>(0);
    every_operation(in_block);
    cuda::atomic<int, cuda::thread_scope_thread> alone{0};
    every_operation(alone);
    in_block = 0;
  }
  __syncthreads();
  in_block.fetch_add(1, cuda::memory_order_relaxed);
  counter.fetch_add(2, cuda::memory_order_release);
  wide.fetch_add(1ull << 33);
  cuda::atomic_ref<int, cuda::thread_scope_device> ref(*plain);
  ref.fetch_add(1);
  __syncthreads();
  EXPECT(in_block.load() == int(blockDim.x));
}

// A message passes from one block to another through a flag.
__global__ void message(int* data, cuda::atomic<int, cuda::thread_scope_device>* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
    flag->notify_all();
  } else {
    flag->wait(0, cuda::memory_order_acquire);
    EXPECT(*data == 42);
  }
}

__global__ void barriers(const int* in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ alignas(16) int copy[64];
  __shared__ int sum;
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&barrier, block.size());
    sum = 0;
  }
  block.sync();
  cuda::memcpy_async(block, copy, in, sizeof(int) * 64, barrier);
  barrier.arrive_and_wait();
  EXPECT(copy[63 - threadIdx.x % 64] == 3 * int(63 - threadIdx.x % 64));
  for (int phase = 1; phase <= 4; ++phase) {
    atomicAdd(&sum, 1);
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    EXPECT(sum == phase * int(block.size()));
    barrier.arrive_and_wait();
  }
}

__global__ void latches(cuda::latch<cuda::thread_scope_device>* latch, int* arrived) {
  atomicAdd(arrived, 1);
  __threadfence();
  latch->arrive_and_wait();
  EXPECT(*static_cast<volatile int*>(arrived) == int(gridDim.x * blockDim.x));
}

__global__ void semaphores(cuda::counting_semaphore<cuda::thread_scope_device, 3>* places, int* inside, int* most) {
  places->acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  atomicSub(inside, 1);
  places->release();
}

// Two stages: while one part is summed the next one comes.
__global__ void pipelined(const int* in, int parts, long long* sum) {
  constexpr int kPart = 128;
  __shared__ alignas(16) int stage[2][kPart];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  long long mine = 0;
  const auto fetch = [&](int part) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage[part % 2], in + part * kPart, cuda::aligned_size_t<16>(kPart * sizeof(int)), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int part = 0; part < parts; ++part) {
    if (part + 1 < parts) fetch(part + 1);
    pipe.consumer_wait();
    for (unsigned i = threadIdx.x; i < kPart; i += blockDim.x) mine += stage[part % 2][i];
    pipe.consumer_release();
    block.sync();  // libcu++ 1.8's pipeline of one group orders no thread's release before another's acquire
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(mine));
}

// The first warp fetches, the second one sums: here acquire waits for release.
__global__ void partitioned(const int* in, int parts, long long* sum) {
  constexpr int kPart = 32;
  __shared__ alignas(16) int stage[2][kPart];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  const auto warp = cooperative_groups::tiled_partition<32>(block);
  const bool producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  long long mine = 0;
  for (int part = 0; part < parts; ++part) {
    if (producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(warp, stage[part % 2], in + part * kPart, sizeof stage[0], pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      mine += stage[part % 2][threadIdx.x % 32];
      pipe.consumer_release();
    }
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(mine));
}

struct Base {
  int value;
};

__global__ void standard() {
  namespace std_ = cuda::std;
  std_::tuple<int, double, char> t = std_::make_tuple(1, 2.5, 'c');
  EXPECT(std_::get<1>(t) == 2.5 && std_::tuple_size<decltype(t)>::value == 3);
  std_::array<int, 5> a = {5, 3, 4, 1, 2};
  int sum = 0;
  for (int v : a) sum += v;
  EXPECT(sum == 15 && a.size() == 5 && a.front() == 5 && a.back() == 2);
  std_::complex<double> z(3, 4), w = z * std_::complex<double>(0, 1);
  EXPECT(w.real() == -4 && w.imag() == 3 && std_::norm(z) == 25 && std_::conj(z).imag() == -4);
  const auto root = std_::abs(z);
  EXPECT(root == 5.0);
  EXPECT(std_::numeric_limits<float>::max() == FLT_MAX && std_::numeric_limits<int>::min() == INT_MIN);
  static_assert(std_::is_same<std_::remove_reference<int&>::type, int>::value, "");
  static_assert(std_::is_trivially_copyable<Base>::value && std_::ratio_less<std_::ratio<1, 3>, std_::ratio<1, 2>>::value, "");
  std_::pair<int, float> p(1, 2.f), q = p;
  std_::swap(p.first, q.first);
  EXPECT(p == q && std_::plus<>()(1, 2) == 3 && std_::exchange(p.first, 9) == 1 && p.first == 9);
  EXPECT(std_::chrono::duration_cast<std_::chrono::milliseconds>(std_::chrono::seconds(2)).count() == 2000);
  const auto before = std_::chrono::system_clock::now();
  EXPECT(std_::chrono::system_clock::now() >= before);
  assert(sum == 15);
}

}  // namespace

int main() {
  int *plain, *in;
  long long* sum;
  CUDA(cudaMallocManaged(&plain, 4 * sizeof(int)));
  CUDA(cudaMallocManaged(&in, 1024 * sizeof(int)));
  CUDA(cudaMallocManaged(&sum, sizeof *sum));
  plain[0] = plain[1] = plain[2] = plain[3] = 0, *sum = 0;
  for (int i = 0; i < 1024; ++i) in[i] = 3 * i;
  atomics<<<4, 64>>>(plain);
  CUDA(cudaDeviceSynchronize());
  EXPECT(plain[0] == 256);

  cuda::atomic<int, cuda::thread_scope_device>* flag;
  CUDA(cudaMallocManaged(&flag, sizeof *flag));
  new (flag) cuda::atomic<int, cuda::thread_scope_device>(0);
  message<<<2, 32>>>(plain + 1, flag);
  barriers<<<2, 64>>>(in);

  cuda::latch<cuda::thread_scope_device>* latch;
  CUDA(cudaMallocManaged(&latch, sizeof *latch));
  new (latch) cuda::latch<cuda::thread_scope_device>(96);
  plain[2] = 0;
  latches<<<3, 32>>>(latch, plain + 2);
  CUDA(cudaDeviceSynchronize());

  cuda::counting_semaphore<cuda::thread_scope_device, 3>* places;
  CUDA(cudaMallocManaged(&places, sizeof *places));
  new (places) cuda::counting_semaphore<cuda::thread_scope_device, 3>(3);
  plain[0] = plain[1] = 0;
  semaphores<<<4, 32>>>(places, plain, plain + 1);
  CUDA(cudaDeviceSynchronize());
  EXPECT(plain[0] == 0 && plain[1] >= 1 && plain[1] <= 3);

  pipelined<<<1, 64>>>(in, 8, sum);
  standard<<<1, 32>>>();
  CUDA(cudaDeviceSynchronize());
  EXPECT(*sum == 3ll * 1023 * 1024 / 2);

  *sum = 0;
  partitioned<<<1, 64>>>(in, 32, sum);
  CUDA(cudaDeviceSynchronize());
  EXPECT(*sum == 3ll * 1023 * 1024 / 2);

  // The host's side of the same types.
  cuda::atomic<int, cuda::thread_scope_system> host_side{1};
  EXPECT(host_side.fetch_add(2) == 1 && host_side.load() == 3);
  return finish();
}
