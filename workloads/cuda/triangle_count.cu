// Counts the triangles of a graph: a warp an edge walks the shorter neighbour list and looks each entry up in the other
// by binary search. Exercises: warp-wide work on irregular lists, sums by shuffles, 64-bit atomics.
//
// deterministic: yes
#include <set>

#include "graph.h"

namespace {

__device__ bool contains(const int* list, int length, int value) {
  int low = 0, high = length;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (list[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low < length && list[low] == value;
}

// Only edges from a smaller to a larger node are in the lists, so that each triangle is found once.
__global__ void count(const int* starts, const int* targets, const int* sources, int edges, unsigned long long* total) {
  const int lane = threadIdx.x % 32;
  const int warps = gridDim.x * blockDim.x / 32;
  unsigned long long mine = 0;
  for (int e = (blockIdx.x * blockDim.x + threadIdx.x) / 32; e < edges; e += warps) {
    int a = sources[e], b = targets[e];
    if (starts[a + 1] - starts[a] > starts[b + 1] - starts[b]) {
      const int kept = a;
      a = b;
      b = kept;
    }
    const int length = starts[b + 1] - starts[b];
    for (int i = starts[a] + lane; i < starts[a + 1]; i += 32)
      mine += contains(targets + starts[b], length, targets[i]);
  }
  for (int step = 16; step > 0; step /= 2) mine += __shfl_down_sync(~0u, mine, step);
  if (lane == 0 && mine != 0) atomicAdd(total, mine);
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 500, 64, 1 << 20);
  const Graph whole = random_graph(nodes, 12, 29, true);
  std::vector<int> starts = {0}, targets, sources;
  for (int v = 0; v < nodes; ++v) {
    for (int e = whole.starts[v]; e < whole.starts[v + 1]; ++e)
      if (v < whole.targets[e]) targets.push_back(whole.targets[e]), sources.push_back(v);
    starts.push_back(static_cast<int>(targets.size()));
  }
  unsigned long long want = 0;
  for (int v = 0; v < nodes; ++v) {
    const std::set<int> mine(targets.begin() + starts[v], targets.begin() + starts[v + 1]);
    for (int u : mine)
      for (int e = starts[u]; e < starts[u + 1]; ++e) want += mine.count(targets[e]);
  }
  DeviceArray<int> device_starts(starts), device_targets(targets), device_sources(sources);
  DeviceArray<unsigned long long> total(1, 0);
  count<<<8, 128>>>(device_starts, device_targets, device_sources, static_cast<int>(targets.size()), total);
  FINISH_KERNEL();
  const unsigned long long got = total.download()[0];
  EXPECT(got == want, "the graph should have %llu triangles, counted %llu", want, got);
  return PASS("nodes=%d edges=%zu triangles=%llu", nodes, targets.size(), got);
}
