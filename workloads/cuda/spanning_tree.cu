// Minimum spanning forest by Boruvka's method: every component picks its lightest outgoing edge, then components merge.
// Exercises: atomicMin on 64-bit keys that pack weight and edge, pointer jumping, cycles of two broken by index.
//
// deterministic: yes
#include <numeric>

#include "graph.h"

namespace {

constexpr unsigned long long kNone = ~0ull;

struct Edge {
  int from, to;
  unsigned weight;
};

__global__ void pick_lightest(const Edge* edges, int count, const int* component, unsigned long long* lightest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int a = component[edges[i].from], b = component[edges[i].to];
  if (a == b) return;
  const unsigned long long key = static_cast<unsigned long long>(edges[i].weight) << 32 | static_cast<unsigned>(i);
  atomicMin(&lightest[a], key);
  atomicMin(&lightest[b], key);
}

// Each component's representative hangs itself below the other end's; of a pair that picked the same edge, one stays
// root.
__global__ void merge(const Edge* edges, const int* component, int* above, const unsigned long long* lightest,
                      int nodes, unsigned long long* weight, int* merged) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  above[node] = component[node];
  if (component[node] != node || lightest[node] == kNone) return;
  const Edge edge = edges[static_cast<unsigned>(lightest[node])];
  const int a = component[edge.from], b = component[edge.to];
  const int other = a == node ? b : a;
  if (lightest[other] == lightest[node] && node < other) return;
  above[node] = other;
  atomicAdd(weight, static_cast<unsigned long long>(edge.weight));
  atomicAdd(merged, 1);
}

__global__ void jump(const int* above, int* component, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  int root = above[node];
  while (above[root] != root) root = above[root];
  component[node] = root;
}

unsigned long long kruskal(std::vector<Edge> edges, int nodes) {
  std::vector<int> parent(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.weight < b.weight; });
  unsigned long long sum = 0;
  for (const Edge& edge : edges) {
    if (root(edge.from) == root(edge.to)) continue;
    parent[root(edge.from)] = root(edge.to);
    sum += edge.weight;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 1500, 64, 1 << 20);
  const Graph graph = random_graph(nodes, 6, 31, true);
  Random random(32);
  std::vector<Edge> edges;
  for (int v = 0; v < nodes; ++v)
    for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
      if (v < graph.targets[e]) edges.push_back({v, graph.targets[e], random.below(500)});  // with equal weights
  const unsigned long long want = kruskal(edges, nodes);

  std::vector<int> own(nodes);
  std::iota(own.begin(), own.end(), 0);
  DeviceArray<Edge> device_edges(edges);
  DeviceArray<int> component(own), above(nodes), merged(1);
  DeviceArray<unsigned long long> lightest(nodes), weight(1, 0);
  const int count = static_cast<int>(edges.size()), blocks = (nodes + 127) / 128;
  int rounds = 0;
  for (int merges = 1; merges > 0; ++rounds) {
    CUDA(cudaMemset(lightest, 0xff, nodes * sizeof(unsigned long long)));
    CUDA(cudaMemset(merged, 0, sizeof(int)));
    pick_lightest<<<(count + 127) / 128, 128>>>(device_edges, count, component, lightest);
    merge<<<blocks, 128>>>(device_edges, component, above, lightest, nodes, weight, merged);
    jump<<<blocks, 128>>>(above, component, nodes);
    FINISH_KERNEL();
    merges = merged.download()[0];
  }
  const unsigned long long got = weight.download()[0];
  EXPECT(got == want, "the forest should weigh %llu, weighs %llu", want, got);
  return PASS("nodes=%d edges=%d weight=%llu rounds=%d", nodes, count, got, rounds);
}
