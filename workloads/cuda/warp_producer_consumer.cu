// Lanes of one warp wait for each other in loops: a chain in which each lane waits for its lower neighbour, one in
// which it waits for its upper neighbour, and pairs that play ping-pong. Exercises: independent thread scheduling, in
// both orders.
//
// deterministic: yes
#include "check.h"

namespace {

// Each lane adds its number to what its predecessor left, then hands on. `upward`: lane 0 begins; else the last lane.
__global__ void chain(volatile int* turn, volatile int* value, int* seen, bool upward) {
  const int lane = threadIdx.x, order = upward ? lane : static_cast<int>(blockDim.x) - 1 - lane;
  turn += blockIdx.x;
  value += blockIdx.x;
  while (*turn != order) continue;
  __threadfence();
  const int next = *value * 2 % 10007 + lane;
  *value = next;
  seen[blockIdx.x * blockDim.x + lane] = next;
  __threadfence();
  *turn = order + 1;
}

// Even lanes serve, odd lanes return: a ball per pair crosses `rounds` times through shared memory.
__global__ void ping_pong(int* hits, int rounds) {
  __shared__ volatile int ball[32];
  const int lane = threadIdx.x, pair = lane / 2;
  if (lane % 2 == 0) ball[pair] = 0;
  __syncwarp();
  int mine = 0;
  for (;;) {
    const int at = ball[pair];
    if (at >= rounds) break;
    if (at % 2 != lane % 2) continue;  // not my turn: spin
    ++mine;
    ball[pair] = at + 1;
  }
  hits[lane] = mine;
}

// One lane produces items into a one-slot mailbox, the 31 others compete for them.
__global__ void mailbox(int* taken_sum, int items) {
  __shared__ volatile int slot;
  __shared__ int lock, left;
  if (threadIdx.x == 0) slot = 0, lock = 0, left = items;
  __syncwarp();
  if (threadIdx.x == 17) {
    for (int i = 1; i <= items; ++i) {
      while (slot != 0) continue;
      slot = i;
    }
    return;
  }
  while (*static_cast<volatile int*>(&left) > 0) {
    if (atomicCAS(&lock, 0, 1) != 0) continue;
    const int item = slot;
    if (item != 0) {
      atomicAdd(taken_sum, item);
      atomicSub(&left, 1);
      __threadfence_block();
      slot = 0;
    }
    __threadfence_block();
    atomicExch(&lock, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 2, 1, 64);
  const int rounds = size_argument(argc, argv, 2, 21, 1, 10000);
  for (const bool upward : {true, false}) {
    DeviceArray<int> turn(blocks, 0), value(blocks, 0), seen(blocks * 32);
    chain<<<blocks, 32>>>(turn, value, seen, upward);
    FINISH_KERNEL();
    std::vector<int> want(blocks * 32);
    for (int b = 0; b < blocks; ++b) {
      for (int order = 0, last = 0; order < 32; ++order) {
        const int lane = upward ? order : 31 - order;
        last = want[b * 32 + lane] = last * 2 % 10007 + lane;
      }
    }
    EXPECT_SAME(want, seen.download(), upward ? "upward chain" : "downward chain");
  }
  DeviceArray<int> hits(32), sum(1, 0);
  ping_pong<<<1, 32>>>(hits, rounds);
  FINISH_KERNEL();
  std::vector<int> want(32);
  for (int lane = 0; lane < 32; ++lane) want[lane] = (rounds + 1 - lane % 2) / 2;
  EXPECT_SAME(want, hits.download(), "hits");
  mailbox<<<1, 32>>>(sum, rounds);
  FINISH_KERNEL();
  EXPECT(sum.download()[0] == rounds * (rounds + 1) / 2, "items should sum to %d, are %d", rounds * (rounds + 1) / 2,
         sum.download()[0]);
  return PASS("blocks=%d rounds=%d", blocks, rounds);
}
