// Work stealing: each block owns a deque of tasks that spawn tasks; a block whose deque is empty steals from the
// others' far ends. The tasks walk a lopsided tree. Exercises: per-block locks, termination by a count of open tasks,
// __syncthreads around one leader, unbalanced dynamic work.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kSlots = 1024;

struct Task {
  unsigned seed;
  int depth;
};
struct Deque {
  int lock, head, tail;  // tasks stand at head .. tail - 1
  Task tasks[kSlots];
};

__host__ __device__ unsigned hash(unsigned x) {
  x ^= x >> 16;
  x *= 0x45d9f3bu;
  x ^= x >> 16;
  x *= 0x45d9f3bu;
  return x ^ x >> 16;
}
// Children of a tree node: the first branches are heavy, the others thin.
__host__ __device__ int children_of(Task task) {
  return task.depth == 0 ? 0 : static_cast<int>(hash(task.seed) % 4);
}
__host__ __device__ Task child_of(Task task, int i) {
  return {hash(task.seed * 5 + i + 1), i == 0 ? task.depth - 1 : task.depth / 2};
}

__device__ void lock(Deque& deque) {
  while (atomicCAS(&deque.lock, 0, 1) != 0) __nanosleep(20);
  __threadfence();
}
__device__ void unlock(Deque& deque) {
  __threadfence();
  atomicExch(&deque.lock, 0);
}

__device__ bool take(Deque& deque, bool from_tail, Task* task) {
  volatile Deque& shared = deque;
  if (shared.head == shared.tail) return false;  // a look without the lock
  lock(deque);
  const bool found = shared.head != shared.tail;
  if (found) {
    if (from_tail) shared.tail = shared.tail - 1;
    const int at = (from_tail ? shared.tail : shared.head) % kSlots;
    task->seed = shared.tasks[at].seed;
    task->depth = shared.tasks[at].depth;
    if (!from_tail) shared.head = shared.head + 1;
  }
  unlock(deque);
  return found;
}

__device__ void push(Deque& deque, Task task, int* overflow) {
  volatile Deque& shared = deque;
  lock(deque);
  if (shared.tail - shared.head == kSlots) {
    atomicExch(overflow, 1);
  } else {
    const int at = shared.tail % kSlots;
    shared.tasks[at].seed = task.seed;
    shared.tasks[at].depth = task.depth;
    shared.tail = shared.tail + 1;
  }
  unlock(deque);
}

// counters: visited nodes, sum of hashes, open tasks, overflow.
__global__ void walk(Deque* deques, unsigned* counters) {
  __shared__ Task task;
  __shared__ bool found;
  volatile unsigned* open = &counters[2];
  for (;;) {
    if (threadIdx.x == 0) {
      found = false;
      while (!found && *open > 0)
        for (int i = 0; i < gridDim.x && !found; ++i) found = take(deques[(blockIdx.x + i) % gridDim.x], i == 0, &task);
    }
    __syncthreads();
    if (!found) return;
    if (threadIdx.x < children_of(task)) {
      atomicAdd(&counters[2], 1u);
      push(deques[blockIdx.x], child_of(task, threadIdx.x), reinterpret_cast<int*>(&counters[3]));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(&counters[0], 1u);
      atomicAdd(&counters[1], hash(task.seed));
      __threadfence();
      atomicSub(&counters[2], 1u);
    }
  }
}

void walk_on_host(Task task, unsigned& nodes, unsigned& sum) {
  ++nodes, sum += hash(task.seed);
  for (int i = 0; i < children_of(task); ++i) walk_on_host(child_of(task, i), nodes, sum);
}

}  // namespace

int main(int argc, char** argv) {
  const int depth = size_argument(argc, argv, 1, 24, 1, 30);
  const int blocks = size_argument(argc, argv, 2, 5, 1, 64);
  const Task root = {1058, depth};
  unsigned want_nodes = 0, want_sum = 0;
  walk_on_host(root, want_nodes, want_sum);

  std::vector<Deque> deques(blocks);
  for (auto& deque : deques) deque.lock = deque.head = deque.tail = 0;
  deques[blocks / 2].tasks[0] = root;
  deques[blocks / 2].tail = 1;
  DeviceArray<Deque> device_deques(deques);
  DeviceArray<unsigned> counters(std::vector<unsigned>{0, 0, 1, 0});
  walk<<<blocks, 32>>>(device_deques, counters);
  FINISH_KERNEL();
  const auto got = counters.download();
  EXPECT(got[3] == 0, "no deque should overflow");
  EXPECT(got[0] == want_nodes, "%u nodes should be visited, were %u", want_nodes, got[0]);
  EXPECT(got[1] == want_sum, "the hashes should sum to %u, are %u", want_sum, got[1]);
  return PASS("nodes=%u blocks=%d", got[0], blocks);
}
