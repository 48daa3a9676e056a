// Unbalanced tree search by warps that share one queue of nodes: lane 0 of a warp takes the queue's lock, all lanes
// take nodes or leave children, lane 0 frees the lock. No __syncwarp stands between: the lanes wait for lane 0 where
// the branch ends, as on hardware. Exercises: warp-synchronous code, spin locks between warps, termination by a count
// of open nodes.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kSlots = 1 << 14;

struct Queue {
  unsigned lock;
  int head, tail, open;
  unsigned nodes[kSlots];
};

__host__ __device__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x45d9f3bu;
  x ^= x >> 16;
  return x;
}
// A node is its depth in the low five bits and a seed above.
__host__ __device__ int children_of(unsigned node) {
  return node % 32 == 0 ? 0 : static_cast<int>(hash(node) % 5 * (hash(node) / 5 % 2));
}
__host__ __device__ unsigned child_of(unsigned node, int i) {
  return hash(node * 7 + i + 1) / 32 * 32 + node % 32 - 1;
}

__device__ void lock(unsigned* at) {
  while (atomicCAS(at, 0, 1) != 0) continue;
  __threadfence();
}
__device__ void unlock(unsigned* at) {
  __threadfence();
  atomicExch(at, 0);
}

__device__ int sum_below(int value, int lane, int* total) {
  int sum = value;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  *total = __shfl_sync(~0u, sum, 31);
  return sum - value;
}

// counts: nodes, leaves.
__global__ void search(Queue* queue, int* counts) {
  const int lane = threadIdx.x % 32;
  volatile Queue& shared = *queue;
  while (__shfl_sync(~0u, shared.open, 0) > 0) {
    if (lane == 0) lock(&queue->lock);
    const int head = shared.head, tail = shared.tail;
    const bool found = head + lane < tail;
    const unsigned node = found ? shared.nodes[(head + lane) % kSlots] : 0;
    if (lane == 0) {
      shared.head = head + 32 < tail ? head + 32 : tail;
      unlock(&queue->lock);
    }
    const int children = found ? children_of(node) : 0;
    if (found) atomicAdd(&counts[0], 1);
    if (found && children == 0) atomicAdd(&counts[1], 1);
    int all = 0;
    const int before = sum_below(children, lane, &all);
    const int taken = __popc(__ballot_sync(~0u, found));
    if (taken == 0) continue;
    if (lane == 0) lock(&queue->lock);
    const int end = shared.tail;
    for (int i = 0; i < children; ++i) shared.nodes[(end + before + i) % kSlots] = child_of(node, i);
    if (lane == 0) {
      shared.tail = end + all;
      shared.open = shared.open + all - taken;
      unlock(&queue->lock);
    }
  }
}

void search_on_host(unsigned node, int& nodes, int& leaves) {
  ++nodes;
  leaves += children_of(node) == 0;
  for (int i = 0; i < children_of(node); ++i) search_on_host(child_of(node, i), nodes, leaves);
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 4, 1, 64);
  const int roots = size_argument(argc, argv, 2, 40, 1, 1000);
  std::vector<Queue> queue(1);
  memset(&queue[0], 0, sizeof(Queue));
  int nodes = 0, leaves = 0;
  for (int i = 0; i < roots; ++i) {
    queue[0].nodes[i] = hash(i * 77 + 5) / 32 * 32 + 12;
    search_on_host(queue[0].nodes[i], nodes, leaves);
  }
  queue[0].tail = queue[0].open = roots;
  DeviceArray<Queue> device_queue(queue);
  DeviceArray<int> counts(std::vector<int>{0, 0});
  search<<<blocks, 128>>>(device_queue, counts);
  FINISH_KERNEL();
  const auto got = counts.download();
  EXPECT(got[0] == nodes, "%d nodes should be visited, were %d", nodes, got[0]);
  EXPECT(got[1] == leaves, "%d leaves should be counted, were %d", leaves, got[1]);
  return PASS("blocks=%d nodes=%d leaves=%d", blocks, nodes, leaves);
}
