// A counting semaphore that admits a few blocks at once, and a bounded buffer built from two of them. Exercises: atomic
// decrement with restore, the greatest number inside measured by atomics, producers and consumers in one grid.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include "check.h"

namespace {

__device__ void down(int* semaphore) {
  for (;;) {
    const int seen = *static_cast<volatile int*>(semaphore);
    if (seen > 0 && atomicCAS(semaphore, seen, seen - 1) == seen) break;
    __nanosleep(30);
  }
  __threadfence();
}
__device__ void up(int* semaphore) {
  __threadfence();
  atomicAdd(semaphore, 1);
}

// state: [0] semaphore, [1] inside now, [2] most inside, [3] entries
__global__ void visit(int* state, int times) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < times; ++i) {
    down(&state[0]);
    atomicMax(&state[2], atomicAdd(&state[1], 1) + 1);
    __nanosleep(100);
    atomicAdd(&state[3], 1);
    atomicSub(&state[1], 1);
    up(&state[0]);
  }
}

constexpr int kBuffer = 4;
struct Channel {
  int free_slots, full_slots;
  int put, taken;            // tickets
  int turn_put, turn_taken;  // slots are handed over in ticket order
  int slots[kBuffer];
  unsigned long long sum;
};

// The first half of the blocks produces, the other half consumes; thread 0 of each.
__global__ void exchange(Channel* channel, int items_each) {
  if (threadIdx.x != 0) return;
  volatile Channel* shared = channel;
  const bool producer = blockIdx.x < gridDim.x / 2;
  for (int i = 0; i < items_each; ++i) {
    down(producer ? &channel->free_slots : &channel->full_slots);
    const int ticket = atomicAdd(producer ? &channel->put : &channel->taken, 1);
    volatile int* turn = producer ? &shared->turn_put : &shared->turn_taken;
    while (*turn != ticket) continue;
    __threadfence();
    if (producer)
      shared->slots[ticket % kBuffer] = static_cast<int>(blockIdx.x) * items_each + i;
    else
      shared->sum = shared->sum + shared->slots[ticket % kBuffer];
    __threadfence();
    *turn = ticket + 1;
    up(producer ? &channel->full_slots : &channel->free_slots);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = 2 * size_argument(argc, argv, 1, 5, 1, 64);
  const int times = size_argument(argc, argv, 2, 4, 1, 1000);
  constexpr int kAdmitted = 3;
  DeviceArray<int> state(std::vector<int>{kAdmitted, 0, 0, 0});
  visit<<<blocks, 32>>>(state, times);
  FINISH_KERNEL();
  const auto got = state.download();
  EXPECT(got[0] == kAdmitted && got[1] == 0, "the semaphore should end at %d with 0 inside, is %d with %d", kAdmitted,
         got[0], got[1]);
  EXPECT(got[2] >= 1 && got[2] <= kAdmitted, "at most %d should be inside, were %d", kAdmitted, got[2]);
  EXPECT(got[3] == blocks * times, "%d entries should be counted, are %d", blocks * times, got[3]);

  Channel channel = {};
  channel.free_slots = kBuffer;
  DeviceArray<Channel> device_channel(std::vector<Channel>{channel});
  const int items = 20;
  exchange<<<blocks, 32>>>(device_channel, items);
  FINISH_KERNEL();
  channel = device_channel.download()[0];
  const unsigned long long count = blocks / 2 * items, want = count * (count - 1) / 2;
  EXPECT(channel.sum == want, "consumed items should sum to %llu, are %llu", want, channel.sum);
  EXPECT(channel.free_slots == kBuffer && channel.full_slots == 0, "the buffer should be empty, %d slots are full",
         channel.full_slots);
  return PASS("blocks=%d visits=%d items=%llu", blocks, blocks * times, count);
}
