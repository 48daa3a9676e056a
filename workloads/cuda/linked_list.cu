// A sorted linked list without locks (Harris): inserts and deletes by compare-and-swap, deletion first marks a node,
// then unlinks it. Exercises: CAS on packed link and mark, helping others, traversal while others change the list.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include "check.h"

namespace {

// A link: index of the next node in the upper bits, bit 0 set when the node itself is deleted.
struct Node {
  int key;
  unsigned link;
};
constexpr unsigned kEnd = 0x7fffffff;

__device__ unsigned read_link(Node* nodes, unsigned at) {
  return *static_cast<volatile unsigned*>(&nodes[at].link);
}
__device__ int read_key(Node* nodes, unsigned at) {
  return *static_cast<volatile int*>(&nodes[at].key);
}

// Finds neighbours: left.key < key <= right.key, neither deleted, and unlinks deleted nodes on the way.
__device__ void search(Node* nodes, int key, unsigned& left, unsigned& right) {
  for (;;) {
    left = 0;  // the head: smaller than every key
    right = read_link(nodes, 0) >> 1;
    bool again = false;
    while (!again && right != kEnd) {
      const unsigned link = read_link(nodes, right);
      if (link & 1) {  // deleted: unlink it, or begin again if the left one has changed
        again = atomicCAS(&nodes[left].link, right << 1, link & ~1u) != right << 1;
        right = link >> 1;
      } else if (read_key(nodes, right) >= key) {
        return;
      } else {
        left = right;
        right = link >> 1;
      }
    }
    if (!again) return;
  }
}

__device__ bool insert(Node* nodes, unsigned fresh, int key) {
  for (;;) {
    unsigned left, right;
    search(nodes, key, left, right);
    if (right != kEnd && read_key(nodes, right) == key) return false;
    nodes[fresh].key = key;
    nodes[fresh].link = right << 1;
    __threadfence();
    if (atomicCAS(&nodes[left].link, right << 1, fresh << 1) == right << 1) return true;
  }
}

__device__ bool remove(Node* nodes, int key) {
  for (;;) {
    unsigned left, right;
    search(nodes, key, left, right);
    if (right == kEnd || read_key(nodes, right) != key) return false;
    const unsigned link = read_link(nodes, right);
    if (link & 1) continue;
    if (atomicCAS(&nodes[right].link, link, link | 1) == link) {  // from here on it is deleted
      search(nodes, key, left, right);                            // and unlinked by this or by others
      return true;
    }
  }
}

constexpr int kBlocks = 2, kThreads = 48;

// What thread `id` does in its `times` turns.
template <class Do>
__host__ __device__ void each_turn(int id, int keys, int times, Do turn) {
  unsigned dice = id * 2654435761u + 1;
  for (int i = 0; i < times; ++i) {
    dice = dice * 1664525u + 1013904223u;
    turn(i, static_cast<int>((dice >> 8) % keys), dice >> 30 != 0);
  }
}

// successes[key] counts inserts minus deletes that succeeded.
__global__ void work(Node* nodes, int keys, int times, int* successes) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  each_turn(id, keys, times, [=](int i, int key, bool inserts) {
    if (inserts) {
      if (insert(nodes, 1 + id * times + i, key)) atomicAdd(&successes[key], 1);
    } else {
      if (remove(nodes, key)) atomicSub(&successes[key], 1);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  const int keys = size_argument(argc, argv, 1, 150, 1, 10000);
  const int times = size_argument(argc, argv, 2, 5, 1, 1000);
  std::vector<Node> nodes(1 + kBlocks * kThreads * times, Node{-1, 0});
  nodes[0].link = kEnd << 1;
  DeviceArray<Node> device_nodes(nodes);
  DeviceArray<int> successes(keys, 0);
  work<<<kBlocks, kThreads>>>(device_nodes, keys, times, successes);
  FINISH_KERNEL();
  nodes = device_nodes.download();
  std::vector<int> present(keys, 0);
  int last = -1, length = 0;
  for (unsigned at = nodes[0].link >> 1; at != kEnd; at = nodes[at].link >> 1) {
    EXPECT(at < nodes.size() && ++length <= static_cast<int>(nodes.size()), "the list should end, stands at node %u",
           at);
    if (nodes[at].link & 1) continue;  // deleted, not unlinked yet
    EXPECT(nodes[at].key > last, "keys should ascend, %d follows %d", nodes[at].key, last);
    last = nodes[at].key;
    ++present[last];
  }
  EXPECT_SAME(successes.download(), present, "presence of key");
  std::vector<int> inserts(keys, 0), removes(keys, 0);
  for (int id = 0; id < kBlocks * kThreads; ++id)
    each_turn(id, keys, times, [&](int, int key, bool is_insert) { ++(is_insert ? inserts : removes)[key]; });
  for (int key = 0; key < keys; ++key) {
    EXPECT(inserts[key] > 0 || !present[key], "key %d was never inserted and should be absent", key);
    EXPECT(inserts[key] == 0 || removes[key] > 0 || present[key], "key %d was never removed and should be present",
           key);
  }
  return PASS("keys=%d operations=%d", keys, kBlocks * kThreads * times);
}
