// Locks that queue their waiters: an MCS lock, in which each waiter spins on its own node, and a CLH lock, in which it
// spins on its predecessor's. Exercises: linked waiting with atomicExch and atomicCAS on pointers, single threads of
// shared warps.
//
// deterministic: yes
#include "check.h"

namespace {

struct Node {
  Node* next;
  int waiting;
};

__device__ void lock_mcs(Node** tail, Node* mine) {
  mine->next = nullptr;
  mine->waiting = 1;
  __threadfence();
  auto* before = reinterpret_cast<Node*>(
      atomicExch(reinterpret_cast<unsigned long long*>(tail), reinterpret_cast<unsigned long long>(mine)));
  if (before != nullptr) {
    *const_cast<Node* volatile*>(&before->next) = mine;
    while (*static_cast<volatile int*>(&mine->waiting)) continue;
  }
  __threadfence();
}

__device__ void unlock_mcs(Node** tail, Node* mine) {
  __threadfence();
  Node* volatile* next = &mine->next;
  if (*next == nullptr) {
    const auto me = reinterpret_cast<unsigned long long>(mine);
    if (atomicCAS(reinterpret_cast<unsigned long long*>(tail), me, 0ull) == me) return;
    while (*next == nullptr) continue;  // a successor has announced itself, but not linked itself in yet
  }
  *static_cast<volatile int*>(&(*next)->waiting) = 0;
}

__global__ void count_mcs(Node** tail, Node* nodes, volatile int* counter, int times) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < times; ++i) {
    lock_mcs(tail, &nodes[id]);
    *counter = *counter + 1;
    unlock_mcs(tail, &nodes[id]);
  }
}

// CLH: the index of a node is the lock; a thread leaves its node to its successor and goes on with its predecessor's.
__global__ void count_clh(int* tail, volatile int* busy, volatile long long* history, int times) {
  int mine = 1 + blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < times; ++i) {
    busy[mine] = 1;
    __threadfence();
    const int before = atomicExch(tail, mine);
    while (busy[before]) continue;
    __threadfence();
    history[0] = history[0] + 1;
    history[1] = history[1] + history[0];
    __threadfence();
    busy[mine] = 0;
    mine = before;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 3, 1, 32);
  const int times = size_argument(argc, argv, 2, 3, 1, 1000);
  constexpr int kThreads = 16;
  const int threads = blocks * kThreads;
  DeviceArray<Node*> tail(1, 0);
  DeviceArray<Node> nodes(threads, 0);
  DeviceArray<int> counter(1, 0), clh_tail(1, 0), busy(threads + 1, 0);
  DeviceArray<long long> history(2, 0);
  count_mcs<<<blocks, kThreads>>>(tail, nodes, counter, times);
  count_clh<<<blocks, kThreads>>>(clh_tail, busy, history, times);
  FINISH_KERNEL();
  const long long entries = threads * times;
  EXPECT(counter.download()[0] == entries, "the MCS lock should count %lld, counted %d", entries,
         counter.download()[0]);
  EXPECT(tail.download()[0] == nullptr, "the MCS queue should be empty");
  EXPECT_SAME((std::vector<long long>{entries, entries * (entries + 1) / 2}), history.download(), "CLH history");
  return PASS("threads=%d entries=%lld", threads, entries);
}
