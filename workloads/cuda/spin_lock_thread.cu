// Every thread of every warp takes the same lock, the naive way: while (atomicCAS) ; critical section; release. On
// hardware without independent thread scheduling this never ends. Exercises: a lane spinning on a lock that its
// neighbour holds.
//
// deterministic: yes
#include "check.h"

namespace {

struct Shared {
  int lock;
  int counter;
  unsigned long long history;  // changes with the order of entries; only consistency with `counter` is checked
};

__device__ void acquire(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}

__device__ void release(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void enter(Shared* shared, int times) {
  volatile Shared* data = shared;
  for (int i = 0; i < times; ++i) {
    acquire(&shared->lock);
    const int before = data->counter;
    const unsigned long long history = data->history;
    data->counter = before + 1;
    data->history = history + before;  // the sum of 0 .. n - 1 if nobody was ever overtaken
    release(&shared->lock);
  }
}

// The same with the lock in shared memory, and the section left early by some lanes.
__global__ void enter_in_shared(int* out, int times) {
  __shared__ Shared shared;
  if (threadIdx.x == 0) shared = {0, 0, 0};
  __syncthreads();
  volatile Shared* data = &shared;
  for (int i = 0; i < times; ++i) {
    bool done = false;
    while (!done) {
      if (atomicCAS_block(&shared.lock, 0, 1) == 0) {
        __threadfence_block();
        data->counter = data->counter + (threadIdx.x % 2 ? 1 : 2);
        __threadfence_block();
        atomicExch_block(&shared.lock, 0);
        done = true;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = shared.counter;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 2, 1, 64);
  const int threads = 2 * size_argument(argc, argv, 2, 24, 1, 512);
  const int times = size_argument(argc, argv, 3, 2, 1, 1000);
  DeviceArray<Shared> shared(1, 0);
  enter<<<blocks, threads>>>(shared, times);
  FINISH_KERNEL();
  const Shared got = shared.download()[0];
  const unsigned long long entries = 1ull * blocks * threads * times;
  EXPECT(got.lock == 0, "the lock should be free, is %d", got.lock);
  EXPECT(got.counter == static_cast<int>(entries), "%llu entries should be counted, are %d", entries, got.counter);
  EXPECT(got.history == entries * (entries - 1) / 2, "the history should be %llu, is %llu", entries * (entries - 1) / 2,
         got.history);

  DeviceArray<int> sums(blocks);
  enter_in_shared<<<blocks, threads>>>(sums, times);
  FINISH_KERNEL();
  EXPECT_SAME(std::vector<int>(blocks, threads * times * 3 / 2), sums.download(), "shared counter");
  return PASS("blocks=%d threads=%d entries=%llu", blocks, threads, entries);
}
