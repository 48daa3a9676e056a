// cuda::barrier in shared memory: split arrive and wait, token passing, arrive_and_drop, warps with different roles in
// a double-buffered pipeline; and cuda::std::latch-like use of a counting semaphore. Exercises: mbarrier, memcpy to
// shared.
//
// build: -arch=sm_80
// deterministic: yes
// copies: what comes to the host depends on who came first
#include <cuda/barrier>
#include <cuda/semaphore>

#include "check.h"

namespace {

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kStage = 32;

// Warp 0 produces stages into two buffers, warp 1 consumes them; `ready` and `filled` per buffer hand them over.
__global__ void pipeline(const int* in, long long* out, int stages) {
  __shared__ int buffer[2][kStage];
  alignas(Barrier) __shared__ unsigned char room[4 * sizeof(Barrier)];
  Barrier* ready = reinterpret_cast<Barrier*>(room);
  Barrier* filled = ready + 2;
  if (threadIdx.x < 4) init(reinterpret_cast<Barrier*>(room) + threadIdx.x, 64);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int s = 0; s < stages; ++s) {
      ready[s % 2].arrive_and_wait();  // the buffer is free
      buffer[s % 2][lane] = in[s * kStage + lane] * 2;
      (void)filled[s % 2].arrive();
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    long long sum = 0;
    for (int s = 0; s < stages; ++s) {
      filled[s % 2].arrive_and_wait();
      sum = sum * 3 % 1000003 + buffer[s % 2][31 - lane];
      (void)ready[s % 2].arrive();
    }
    out[blockIdx.x * kStage + lane] = sum;
  }
}

// Threads leave one after the other; the barrier keeps working for those that stay.
__global__ void leave(int* phases_seen) {
  alignas(Barrier) __shared__ unsigned char room[sizeof(Barrier)];
  __shared__ int arrived;
  Barrier& barrier = *reinterpret_cast<Barrier*>(room);
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    arrived = 0;
  }
  __syncthreads();
  int phase = 0;
  for (; phase < threadIdx.x; ++phase) {
    auto token = barrier.arrive();
    atomicAdd(&arrived, 1);
    barrier.wait(std::move(token));
  }
  phases_seen[threadIdx.x] = phase;
  barrier.arrive_and_drop();
}

using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
__global__ void make_semaphore(Semaphore* semaphore) {
  new (semaphore) Semaphore(2);
}
__global__ void enter(Semaphore* semaphore, int* inside, int* most, int* entries) {
  if (threadIdx.x != 0) return;
  semaphore->acquire();
  atomicMax(most, atomicAdd(inside, 1) + 1);
  atomicAdd(entries, 1);
  atomicSub(inside, 1);
  semaphore->release();
}

}  // namespace

int main(int argc, char** argv) {
  const int stages = size_argument(argc, argv, 1, 15, 1, 10000);
  Random random(52);
  std::vector<int> in(stages * kStage);
  for (auto& x : in) x = static_cast<int>(random.below(1000));
  DeviceArray<int> device_in(in), phases(40), counters(3, 0);
  DeviceArray<long long> out(2 * kStage);
  pipeline<<<2, 64>>>(device_in, out, stages);
  leave<<<1, 40>>>(phases);
  FINISH_KERNEL();
  std::vector<long long> want(2 * kStage);
  for (int s = 0; s < stages; ++s)
    for (int i = 0; i < 2 * kStage; ++i) want[i] = want[i] * 3 % 1000003 + in[s * kStage + 31 - i % 32] * 2;
  EXPECT_SAME(want, out.download(), "pipeline");
  std::vector<int> want_phases(40);
  for (int t = 0; t < 40; ++t) want_phases[t] = t;
  EXPECT_SAME(want_phases, phases.download(), "phases seen");

  Semaphore* semaphore = nullptr;
  CUDA(cudaMalloc(&semaphore, sizeof(Semaphore)));
  make_semaphore<<<1, 1>>>(semaphore);
  enter<<<9, 32>>>(semaphore, counters, counters + 1, counters + 2);
  FINISH_KERNEL();
  const auto got = counters.download();
  EXPECT(got[0] == 0 && got[2] == 9, "9 entries should be made and left, %d are inside after %d", got[0], got[2]);
  EXPECT(got[1] >= 1 && got[1] <= 2, "at most 2 should be inside, were %d", got[1]);
  CUDA(cudaFree(semaphore));
  return PASS("stages=%d", stages);
}
