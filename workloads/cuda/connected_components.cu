// Connected components by hooking and pointer jumping over an edge list (union-find without locks). Exercises:
// atomicCAS loops on a forest, path halving with racing writes that are all correct, volatile reads.
//
// deterministic: yes
#include <numeric>

#include "graph.h"

namespace {

__device__ int find_root(volatile int* parent, int node) {
  int above = parent[node];
  while (above != node) {
    const int further = parent[above];
    if (further < above) parent[node] = further;  // halve the path: parents only ever get smaller
    node = above;
    above = further;
  }
  return node;
}

__global__ void hook(const int2* edges, int count, int* parent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int a = edges[i].x, b = edges[i].y;
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return;
    const int high = max(a, b), low = min(a, b);
    if (atomicCAS(&parent[high], high, low) == high) return;  // still a root: now below the smaller one
  }
}

__global__ void flatten(int* parent, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  // Without halving paths: that could put an ancestor over the root which another thread has just written.
  int root = node;
  for (const volatile int* const above = parent; above[root] != root;) root = above[root];
  parent[node] = root;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 3000, 64, 1 << 22);
  const Graph graph = random_graph(nodes, 2, 28, true);
  std::vector<int2> edges;
  std::vector<int> want(nodes), parent(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  want = parent;
  for (int v = 0; v < nodes; ++v)
    for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
      if (v < graph.targets[e]) edges.push_back(make_int2(v, graph.targets[e]));
  const auto root = [&](int v) {
    while (want[v] != v) v = want[v];
    return v;
  };
  for (const int2& edge : edges) {
    const int a = root(edge.x), b = root(edge.y);
    want[std::max(a, b)] = std::min(a, b);
  }
  for (int v = 0; v < nodes; ++v) want[v] = root(v);  // the smallest node names the component
  int components = 0;
  for (int v = 0; v < nodes; ++v) components += want[v] == v;

  DeviceArray<int2> device_edges(edges);
  DeviceArray<int> device_parent(parent);
  const int count = static_cast<int>(edges.size());
  hook<<<(count + 127) / 128, 128>>>(device_edges, count, device_parent);
  flatten<<<(nodes + 127) / 128, 128>>>(device_parent, nodes);
  FINISH_KERNEL();
  EXPECT_SAME(want, device_parent.download(), "component");
  return PASS("nodes=%d edges=%d components=%d", nodes, count, components);
}
