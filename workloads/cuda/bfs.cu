// Breadth-first search with frontier queues: a thread a frontier node, new nodes claimed by atomicCAS and appended with
// one atomic a warp. Exercises: cooperative_groups::coalesced_threads, irregular loops, host-driven levels.
//
// deterministic: yes
#include <cooperative_groups.h>

#include <queue>

#include "graph.h"

namespace cg = cooperative_groups;

namespace {

// The lanes that reach this call together take consecutive slots with a single atomic.
__device__ int next_slot(int* counter) {
  cg::coalesced_group together = cg::coalesced_threads();
  int base = 0;
  if (together.thread_rank() == 0) base = atomicAdd(counter, static_cast<int>(together.size()));
  return together.shfl(base, 0) + static_cast<int>(together.thread_rank());
}

__global__ void expand(const int* starts, const int* targets, int* level, int depth, const int* frontier, int length,
                       int* next, int* next_length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  const int node = frontier[i];
  for (int e = starts[node]; e < starts[node + 1]; ++e) {
    const int target = targets[e];
    if (atomicCAS(&level[target], -1, depth) == -1) next[next_slot(next_length)] = target;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 4000, 64, 1 << 22);
  const Graph graph = random_graph(nodes, 6, 24, false);
  std::vector<int> want(nodes, -1);
  std::queue<int> queue({0});
  want[0] = 0;
  for (; !queue.empty(); queue.pop()) {
    const int node = queue.front();
    for (int e = graph.starts[node]; e < graph.starts[node + 1]; ++e) {
      if (want[graph.targets[e]] != -1) continue;
      want[graph.targets[e]] = want[node] + 1;
      queue.push(graph.targets[e]);
    }
  }
  DeviceArray<int> starts(graph.starts), targets(graph.targets), level(nodes, 0xff), front(nodes, 0), back(nodes);
  DeviceArray<int> length(1);
  CUDA(cudaMemset(level, 0, sizeof(int)));  // the search begins at node 0
  int *frontier = front, *next = back, frontier_length = 1, reached = 1, depth = 0;
  while (frontier_length > 0) {
    CUDA(cudaMemset(length, 0, sizeof(int)));
    expand<<<(frontier_length + 127) / 128, 128>>>(starts, targets, level, ++depth, frontier, frontier_length, next,
                                                   length);
    FINISH_KERNEL();
    frontier_length = length.download()[0];
    reached += frontier_length;
    std::swap(frontier, next);
  }
  EXPECT_SAME(want, level.download(), "level");
  return PASS("nodes=%d edges=%d reached=%d depth=%d", nodes, graph.edges(), reached, depth - 1);
}
