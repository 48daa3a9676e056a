// A lock-free stack whose head packs index and version into 64 bits; all threads push and pop at random. Exercises:
// 64-bit atomicCAS loops, the ABA problem and its cure, every node back exactly once.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include "check.h"

namespace {

using Word = unsigned long long;
constexpr unsigned kNil = 0xffffffffu;

struct Stack {
  Word head;  // version in the upper half, index in the lower
};

__device__ void push(Stack* stack, volatile unsigned* next, unsigned node) {
  Word seen = *static_cast<volatile Word*>(&stack->head), found;
  for (;;) {
    next[node] = static_cast<unsigned>(seen);
    __threadfence();
    found = atomicCAS(&stack->head, seen, ((seen >> 32) + 1) << 32 | node);
    if (found == seen) return;
    seen = found;
  }
}

__device__ unsigned pop(Stack* stack, const volatile unsigned* next) {
  Word seen = atomicAdd(&stack->head, 0ull), found;
  for (;;) {
    const unsigned node = static_cast<unsigned>(seen);
    if (node == kNil) return kNil;
    __threadfence();
    found = atomicCAS(&stack->head, seen, ((seen >> 32) + 1) << 32 | next[node]);
    if (found == seen) return node;
    seen = found;
  }
}

// Nodes travel between two stacks; a thread marks each node that it holds, to see that nobody else holds it.
__global__ void shuffle(Stack* stacks, unsigned* next, int* held, int* clashes, int* moves, int times) {
  unsigned dice = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  for (int i = 0; i < times; ++i) {
    dice = dice * 1664525u + 1013904223u;
    const int from = dice >> 31;
    const unsigned node = pop(&stacks[from], next);
    if (node == kNil) continue;
    if (atomicExch(&held[node], 1) != 0) atomicAdd(clashes, 1);
    if (atomicExch(&held[node], 0) != 1) atomicAdd(clashes, 1);
    push(&stacks[dice >> 30 & 1], next, node);
    atomicAdd(moves, 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned nodes = size_argument(argc, argv, 1, 40, 1, 1 << 20);
  const int times = size_argument(argc, argv, 2, 6, 1, 10000);
  std::vector<unsigned> next(nodes);
  for (unsigned i = 0; i < nodes; ++i) next[i] = i + 1 < nodes ? i + 1 : kNil;
  DeviceArray<unsigned> device_next(next);
  DeviceArray<Stack> stacks(std::vector<Stack>{{0}, {kNil}});
  DeviceArray<int> held(nodes, 0), clashes(1, 0), moves(1, 0);
  shuffle<<<3, 64>>>(stacks, device_next, held, clashes, moves, times);
  FINISH_KERNEL();
  EXPECT(clashes.download()[0] == 0, "no node should be held twice, %d were", clashes.download()[0]);
  next = device_next.download();
  std::vector<int> seen(nodes);
  Word versions = 0;
  for (const Stack& stack : stacks.download()) {
    versions += stack.head >> 32;
    unsigned steps = 0;
    for (unsigned at = static_cast<unsigned>(stack.head); at != kNil; at = next[at]) {
      EXPECT(at < nodes && ++steps <= nodes, "the stack should end, stands at node %u after %u steps", at, steps);
      ++seen[at];
    }
  }
  EXPECT_SAME(std::vector<int>(nodes, 1), seen, "times a node is on a stack");
  const int moved = moves.download()[0];
  EXPECT(moved > 0 && moved <= 3 * 64 * times, "between 1 and %d nodes should have moved, not %d", 3 * 64 * times,
         moved);
  EXPECT(versions == 2ull * moved, "the versions should count a pop and a push for each of %d moves, not %llu", moved,
         versions);
  return PASS("nodes=%u times=%d", nodes, times);
}
