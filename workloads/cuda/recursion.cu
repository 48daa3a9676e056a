// Recursive device functions: Ackermann, Fibonacci, quicksort on a thread's own array, the depth of a binary tree,
// mutual recursion, Hanoi. Exercises: real calls with a stack in local memory, cudaDeviceSetLimit(cudaLimitStackSize),
// divergence.
//
// deterministic: yes
#include "check.h"

namespace {

__host__ __device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ void quicksort(int* cells, int low, int high) {
  if (low >= high) return;
  const int pivot = cells[(low + high) / 2];
  int i = low, j = high;
  while (i <= j) {
    while (cells[i] < pivot) ++i;
    while (cells[j] > pivot) --j;
    if (i > j) break;
    const int kept = cells[i];
    cells[i++] = cells[j];
    cells[j--] = kept;
  }
  quicksort(cells, low, j);
  quicksort(cells, i, high);
}

struct Leaf {
  int left, right;  // indices of children, or -1
};
__host__ __device__ int depth_of(const Leaf* tree, int at) {
  if (at < 0) return 0;
  const int left = depth_of(tree, tree[at].left), right = depth_of(tree, tree[at].right);
  return 1 + (left > right ? left : right);
}

__host__ __device__ bool is_odd(unsigned n);
__host__ __device__ __noinline__ bool is_even(unsigned n) {
  return n == 0 || is_odd(n - 1);
}
__host__ __device__ __noinline__ bool is_odd(unsigned n) {
  return n != 0 && is_even(n - 1);
}

__host__ __device__ __noinline__ unsigned hanoi(int disks, int from, int to) {  // a digest of the moves
  if (disks == 0) return 1;
  const int other = 3 - from - to;
  const unsigned before = hanoi(disks - 1, from, other);
  return (before * 9 + from * 3 + to) * 31 + hanoi(disks - 1, other, to);
}

constexpr int kCells = 12;
constexpr int kResults = 5 + kCells;

__host__ __device__ void everything(int id, const Leaf* tree, int nodes, int* out) {
  out[0] = ackermann(id % 3, id % 5);
  out[1] = fibonacci(id % 9);
  out[2] = depth_of(tree, id % nodes);
  out[3] = is_even(id % 13) ? 1 : 2;
  out[4] = static_cast<int>(hanoi(id % 5, 0, 2));
  int cells[kCells];
  for (int i = 0; i < kCells; ++i) cells[i] = (id + 3) * (i + 5) * 7919 % 101;
  quicksort(cells, 0, kCells - 1);
  for (int i = 0; i < kCells; ++i) out[5 + i] = cells[i];
}

__global__ void run(const Leaf* tree, int nodes, int* out) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  everything(id, tree, nodes, out + id * kResults);
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 2, 1, 1024);
  constexpr int kThreads = 48, kNodes = 63;
  size_t stack = 0;
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  CUDA(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  EXPECT(stack >= 8192, "the stack limit should be at least 8192, is %zu", stack);
  std::vector<Leaf> tree(kNodes, {-1, -1});  // a search tree of shuffled keys
  Random random(42);
  std::vector<unsigned long long> key(kNodes);
  for (int i = 0; i < kNodes; ++i) {
    key[i] = random.next();
    for (int at = 0; at != i;) {
      int& child = key[i] < key[at] ? tree[at].left : tree[at].right;
      if (child == -1) child = i;
      at = child;
    }
  }
  std::vector<int> want(blocks * kThreads * kResults);
  for (int id = 0; id < blocks * kThreads; ++id) everything(id, tree.data(), kNodes, &want[id * kResults]);
  DeviceArray<Leaf> device_tree(tree);
  DeviceArray<int> out(want.size(), 0xff);
  run<<<blocks, kThreads>>>(device_tree, kNodes, out);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "result");
  return PASS("threads=%d tree depth=%d", blocks * kThreads, want[2]);
}
