// Shortest paths from one node: rounds of relaxation with atomicMin until nothing changes. Exercises: atomicMin on ints
// whose old value decides, a flag in mapped pinned memory that ends the host's loop, edges with weights.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include <queue>

#include "graph.h"

namespace {

constexpr int kFar = 1 << 29;

__global__ void relax(const int* starts, const int* targets, const int* weights, int* distance, int nodes,
                      int* changed) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const int here = atomicAdd(&distance[node], 0);  // others lower it while we read
  if (here >= kFar) return;
  for (int e = starts[node]; e < starts[node + 1]; ++e) {
    const int through = here + weights[e];
    if (atomicMin(&distance[targets[e]], through) > through) *static_cast<volatile int*>(changed) = 1;
  }
}

std::vector<int> dijkstra(const Graph& graph, const std::vector<int>& weights) {
  std::vector<int> distance(graph.nodes, kFar);
  using Item = std::pair<int, int>;
  std::priority_queue<Item, std::vector<Item>, std::greater<Item>> queue;
  distance[0] = 0;
  queue.push({0, 0});
  while (!queue.empty()) {
    const auto [far, node] = queue.top();
    queue.pop();
    if (far > distance[node]) continue;
    for (int e = graph.starts[node]; e < graph.starts[node + 1]; ++e) {
      const int through = far + weights[e];
      if (through >= distance[graph.targets[e]]) continue;
      distance[graph.targets[e]] = through;
      queue.push({through, graph.targets[e]});
    }
  }
  return distance;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 2000, 64, 1 << 22);
  const Graph graph = random_graph(nodes, 5, 25, false);
  Random random(26);
  std::vector<int> weights(graph.edges());
  for (auto& w : weights) w = 1 + static_cast<int>(random.below(100));
  const std::vector<int> want = dijkstra(graph, weights);

  std::vector<int> begin(nodes, kFar);
  begin[0] = 0;
  DeviceArray<int> starts(graph.starts), targets(graph.targets), device_weights(weights), distance(begin);
  int *changed = nullptr, *device_changed = nullptr;
  CUDA(cudaHostAlloc(&changed, sizeof(int), cudaHostAllocMapped));
  CUDA(cudaHostGetDevicePointer(&device_changed, changed, 0));
  int rounds = 0;
  do {
    *changed = 0;
    relax<<<(nodes + 127) / 128, 128>>>(starts, targets, device_weights, distance, nodes, device_changed);
    FINISH_KERNEL();
    ++rounds;
    EXPECT(rounds <= nodes, "at most %d rounds should be needed", nodes);
  } while (*changed);
  CUDA(cudaFreeHost(changed));
  EXPECT_SAME(want, distance.download(), "distance");
  long long sum = 0;
  for (int d : want) sum += d < kFar ? d : 0;
  return PASS("nodes=%d edges=%d sum of distances=%lld", nodes, graph.edges(), sum);
}
