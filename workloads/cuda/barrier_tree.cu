// A tree barrier: blocks gather in groups, the groups' last arrivals gather at the root, the release runs back down by
// a phase number. Exercises: two levels of atomics, acquire/release through cuda-style fences, uneven groups.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kGroup = 4;
constexpr int kThreads = 32;

struct Node {
  unsigned arrived;
  unsigned phase;
};

__device__ unsigned read_phase(const Node* node) {
  return *const_cast<const volatile unsigned*>(&node->phase);
}

// nodes[0] is the root, nodes[1 + g] belongs to group g.
__device__ void tree_barrier(Node* nodes, unsigned phase) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned group = blockIdx.x / kGroup, groups = (gridDim.x + kGroup - 1) / kGroup;
    const unsigned members = min(static_cast<unsigned>(kGroup), gridDim.x - group * kGroup);
    Node* mine = &nodes[1 + group];
    __threadfence();
    if (atomicAdd(&mine->arrived, 1u) % members == members - 1) {
      if (atomicAdd(&nodes[0].arrived, 1u) % groups == groups - 1)
        atomicExch(&nodes[0].phase, phase);
      else
        while (read_phase(&nodes[0]) < phase) __nanosleep(40);
      __threadfence();
      atomicExch(&mine->phase, phase);
    } else {
      while (read_phase(mine) < phase) __nanosleep(40);
    }
    __threadfence();
  }
  __syncthreads();
}

// Odd-even transposition sort over the whole grid: one element a block and thread, a barrier between the half-sweeps.
__global__ void sort_across_blocks(Node* nodes, volatile int* cells, int n) {
  const int t = blockIdx.x * kThreads + threadIdx.x;
  for (int sweep = 0; sweep < n; ++sweep) {
    const int i = 2 * t + (sweep & 1);
    if (i + 1 < n) {
      const int a = cells[i], b = cells[i + 1];
      if (a > b) {
        cells[i] = b;
        cells[i + 1] = a;
      }
    }
    tree_barrier(nodes, sweep + 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = 64 * size_argument(argc, argv, 1, 6, 1, 64) - 3;
  const int blocks = (n + 2 * kThreads - 1) / (2 * kThreads);
  int each = 0, processors = 0;
  CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, sort_across_blocks, kThreads, 0));
  EXPECT(blocks <= each * processors, "%d blocks should be resident at once, only %d fit", blocks, each * processors);
  Random random(38);
  std::vector<int> cells(n);
  for (auto& x : cells) x = static_cast<int>(random.below(10000));
  DeviceArray<int> device_cells(cells);
  DeviceArray<Node> nodes(1 + (blocks + kGroup - 1) / kGroup, 0);
  sort_across_blocks<<<blocks, kThreads>>>(nodes, device_cells, n);
  FINISH_KERNEL();
  std::sort(cells.begin(), cells.end());
  EXPECT_SAME(cells, device_cells.download(), "sorted");
  return PASS("n=%d blocks=%d", n, blocks);
}
