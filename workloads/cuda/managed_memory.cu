// One linked structure used by host and device in turn through managed memory, and a __managed__ variable. Exercises:
// cudaMallocManaged, pointers that mean the same on both sides, host writes between launches, prefetch and advice.
//
// deterministic: yes
#include "check.h"

namespace {

struct Node {
  Node* next;
  int value;
};

__managed__ int launches;
__managed__ Node* first;

// Each thread walks the list that begins at its own bucket.
__global__ void add_to_lists(Node** buckets, int n, int amount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (Node* node = buckets[i]; node != nullptr; node = node->next) node->value += amount;
  if (i == 0) {
    ++launches;
    first = buckets[0];
  }
}

// The device relinks what the host made: every list is reversed.
__global__ void reverse(Node** buckets, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Node* reversed = nullptr;
  for (Node* node = buckets[i]; node != nullptr;) {
    Node* next = node->next;
    node->next = reversed;
    reversed = node;
    node = next;
  }
  buckets[i] = reversed;
}

}  // namespace

int main(int argc, char** argv) {
  const int buckets = size_argument(argc, argv, 1, 40, 1, 1 << 16);
  const int nodes = size_argument(argc, argv, 2, 500, 1, 1 << 20);
  Node* pool = nullptr;
  Node** heads = nullptr;
  CUDA(cudaMallocManaged(&pool, nodes * sizeof(Node)));
  CUDA(cudaMallocManaged(&heads, buckets * sizeof(Node*)));
  std::fill(heads, heads + buckets, nullptr);
  std::vector<std::vector<int>> want(buckets);
  Random random(47);
  for (int i = 0; i < nodes; ++i) {
    const int b = static_cast<int>(random.below(buckets));
    pool[i] = {heads[b], i};
    heads[b] = &pool[i];
    want[b].push_back(i);  // reversed, the list is in order of insertion
  }
  launches = 0;
  const int blocks = (buckets + 31) / 32;
  for (int round = 0; round < 3; ++round) {
    add_to_lists<<<blocks, 32>>>(heads, buckets, 100);
    FINISH_KERNEL();
    for (int i = 0; i < nodes; i += 7) pool[i].value += 1;  // the host's turn
  }
  reverse<<<blocks, 32>>>(heads, buckets);
  FINISH_KERNEL();
  EXPECT(launches == 3, "3 launches should be counted, are %d", launches);
  for (int b = 0; b < buckets; ++b) {
    const Node* node = heads[b];
    for (int i : want[b]) {
      EXPECT(node != nullptr, "list %d should go on to node %d, but ends", b, i);
      const int value = i + 300 + (i % 7 == 0 ? 3 : 0);
      EXPECT(node->value == value, "node %d should hold %d, holds %d", i, value, node->value);
      node = node->next;
    }
    EXPECT(node == nullptr, "list %d should end after %zu nodes", b, want[b].size());
  }
  if (!want[0].empty()) EXPECT(first == &pool[want[0].back()], "the managed pointer should name the old first node");
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, pool));
  EXPECT(attributes.type == cudaMemoryTypeManaged, "the type should be managed (%d), is %d", cudaMemoryTypeManaged,
         attributes.type);
  CUDA(cudaFree(pool));
  CUDA(cudaFree(heads));
  return PASS("nodes=%d lists=%d", nodes, buckets);
}
