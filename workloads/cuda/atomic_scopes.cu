// cuda::atomic and cuda::atomic_ref at thread-block, device and system scope, with every memory order. Exercises:
// libcu++, message passing by release and acquire, fetch_max, compare_exchange, wait-free flags, atomics in shared
// memory.
//
// deterministic: yes
#include <cuda/atomic>

#include "check.h"

namespace {

using BlockAtomic = cuda::atomic<int, cuda::thread_scope_block>;
using DeviceAtomic = cuda::atomic<int, cuda::thread_scope_device>;
using SystemAtomic = cuda::atomic<int, cuda::thread_scope_system>;

struct State {
  DeviceAtomic ready, drawn, greatest;
  SystemAtomic total;
  cuda::atomic<unsigned long long, cuda::thread_scope_device> wide;
  int payload[8];
  int wrong;
};

__global__ void initialise(State* state) {
  new (&state->ready) DeviceAtomic(0);
  new (&state->drawn) DeviceAtomic(0);
  new (&state->greatest) DeviceAtomic(0);  // not below zero: libcu++ 1.8 compares as unsigned
  new (&state->total) SystemAtomic(0);
  new (&state->wide) cuda::atomic<unsigned long long, cuda::thread_scope_device>(0);
  state->wrong = 0;
}

// Block 0 publishes a payload; all others wait for it with acquire loads.
__global__ void pass_message(State* state) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    for (int i = 0; i < 8; ++i) state->payload[i] = 100 + i;
    state->ready.store(1, cuda::std::memory_order_release);
  } else if (threadIdx.x == 0) {
    while (state->ready.load(cuda::std::memory_order_acquire) == 0) continue;
    int bad = 0;
    for (int i = 0; i < 8; ++i) bad += state->payload[i] != 100 + i;
    if (bad != 0) cuda::atomic_ref<int, cuda::thread_scope_device>(state->wrong).fetch_add(bad);
  }
}

__global__ void count(State* state, int* of_block) {
  __shared__ BlockAtomic in_block;
  __shared__ BlockAtomic order;
  if (threadIdx.x == 0) {
    new (&in_block) BlockAtomic(0);
    new (&order) BlockAtomic(0);
  }
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  in_block.fetch_add(id % 5, cuda::std::memory_order_relaxed);
  state->drawn.fetch_add(1, cuda::std::memory_order_acq_rel);
  state->greatest.fetch_max(id * 7 % 1001, cuda::std::memory_order_relaxed);
  state->total.fetch_sub(id, cuda::std::memory_order_seq_cst);
  state->wide.fetch_xor(1ull << id % 64);
  int seen = order.load(cuda::std::memory_order_relaxed);  // a compare-exchange loop that counts in threes
  while (
      !order.compare_exchange_weak(seen, seen + 3, cuda::std::memory_order_acq_rel, cuda::std::memory_order_relaxed)) {
  }
  __syncthreads();
  if (threadIdx.x == 0) of_block[blockIdx.x] = in_block.load() * 10000 + order.exchange(0);
  cuda::atomic_thread_fence(cuda::std::memory_order_seq_cst, cuda::thread_scope_system);
}

__global__ void collect(State* state, long long* out) {
  out[0] = state->drawn.load(), out[1] = state->greatest.load(), out[2] = state->total.load();
  out[3] = static_cast<long long>(state->wide.load()), out[4] = state->wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 5, 2, 64);
  constexpr int kThreads = 96;
  const int n = blocks * kThreads;
  State* state = nullptr;
  CUDA(cudaMalloc(&state, sizeof(State)));
  DeviceArray<int> of_block(blocks);
  DeviceArray<long long> out(5);
  initialise<<<1, 1>>>(state);
  pass_message<<<blocks, 32>>>(state);
  count<<<blocks, kThreads>>>(state, of_block);
  collect<<<1, 1>>>(state, out);
  FINISH_KERNEL();
  long long greatest = 0, total = 0;
  unsigned long long wide = 0;
  std::vector<int> want(blocks, 3 * kThreads);
  for (int id = 0; id < n; ++id) {
    greatest = std::max<long long>(greatest, id * 7 % 1001), total -= id, wide ^= 1ull << id % 64;
    want[id / kThreads] += id % 5 * 10000;
  }
  EXPECT_SAME((std::vector<long long>{n, greatest, total, static_cast<long long>(wide), 0}), out.download(), "result");
  EXPECT_SAME(want, of_block.download(), "of block");
  CUDA(cudaFree(state));

  SystemAtomic on_host(5);  // the same type works on the host
  on_host.fetch_add(2);
  EXPECT(on_host.load() == 7, "the host's atomic should be 7, is %d", on_host.load());
  return PASS("blocks=%d threads=%d total=%lld", blocks, kThreads, total);
}
