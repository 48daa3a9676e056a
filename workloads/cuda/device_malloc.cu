// Memory from the device's own heap: malloc and free, new and delete, a list that outlives its kernel, exhaustion that
// returns null. Exercises: cudaLimitMallocHeapSize, allocation by many threads at once, memory shared by a block.
//
// deterministic: yes
#include "check.h"

namespace {

struct Node {
  Node* next;
  int value;
};

__device__ Node* list;
__device__ int overlaps, nulls;

// Each thread fills its own allocation, waits for all others, and checks that nobody wrote into it.
__global__ void fill_own(int* sums) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x, length = 1 + id % 23;
  int* cells = static_cast<int*>(malloc(length * sizeof(int)));
  if (cells == nullptr) atomicAdd(&nulls, 1);
  for (int i = 0; cells && i < length; ++i) cells[i] = id * 100 + i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; cells && i < length; ++i) {
    if (cells[i] != id * 100 + i) atomicAdd(&overlaps, 1);
    sum += cells[i];
  }
  sums[id] = sum;
  free(cells);
}

__global__ void push(int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Node* node = new Node{nullptr, i};
  Node* seen = list;
  do {
    node->next = seen;
    __threadfence();
    seen = reinterpret_cast<Node*>(atomicCAS(reinterpret_cast<unsigned long long*>(&list),
                                             reinterpret_cast<unsigned long long>(node->next),
                                             reinterpret_cast<unsigned long long>(node)));
  } while (seen != node->next);
}

__global__ void drain(int* seen) {
  while (list != nullptr) {
    Node* node = list;
    list = node->next;
    ++seen[node->value];
    delete node;
  }
}

__global__ void share(int* out) {
  __shared__ int* cells;
  if (threadIdx.x == 0) cells = new int[blockDim.x];
  __syncthreads();
  cells[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] cells;
}

__global__ void ask_too_much(int* answers) {
  // Volatile: clang drops an allocation that is only compared with null, and takes it to have succeeded.
  void* volatile far = malloc(size_t(1) << 40);
  answers[0] = far == nullptr;
  free(nullptr);
  void* aligned = malloc(3);
  answers[1] = aligned != nullptr && reinterpret_cast<size_t>(aligned) % 16 == 0;
  free(aligned);
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 4, 1, 256);
  constexpr int kThreads = 64;
  const int n = blocks * kThreads;
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  size_t heap = 0;
  CUDA(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  EXPECT(heap >= 16 << 20, "the heap should have at least %d bytes, has %zu", 16 << 20, heap);

  DeviceArray<int> sums(n), seen(n, 0), squares(kThreads), answers(2, 0);
  fill_own<<<blocks, kThreads>>>(sums);
  push<<<blocks, kThreads>>>(n);
  drain<<<1, 1>>>(seen);
  share<<<1, kThreads>>>(squares);
  ask_too_much<<<1, 1>>>(answers);
  FINISH_KERNEL();
  int clashes = 0, failures = 0;
  CUDA(cudaMemcpyFromSymbol(&clashes, overlaps, sizeof(int)));
  CUDA(cudaMemcpyFromSymbol(&failures, nulls, sizeof(int)));
  EXPECT(clashes == 0 && failures == 0, "allocations should be whole and apart, %d cells clashed, %d calls failed",
         clashes, failures);
  std::vector<int> want(n), want_squares(kThreads);
  for (int id = 0; id < n; ++id)
    for (int i = 0; i < 1 + id % 23; ++i) want[id] += id * 100 + i;
  for (int t = 0; t < kThreads; ++t) want_squares[t] = (kThreads - 1 - t) * (kThreads - 1 - t);
  EXPECT_SAME(want, sums.download(), "sum");
  EXPECT_SAME(std::vector<int>(n, 1), seen.download(), "times a node was seen");
  EXPECT_SAME(want_squares, squares.download(), "square");
  EXPECT(answers.download()[0] == 1, "an allocation beyond the heap should give null");
  EXPECT(answers.download()[1] == 1, "a small allocation should be aligned to 16 bytes");
  return PASS("threads=%d", n);
}
