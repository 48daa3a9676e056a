// PageRank by pushing along edges with float atomics, compared with a pull-style reference in double. Exercises:
// atomicAdd on float under contention, dangling nodes summed by a block reduction, a stop criterion on the device.
//
// deterministic: no
// copies: what comes to the host depends on who came first
#include "graph.h"

namespace {

constexpr float kDamping = 0.85f;

__global__ void push(const int* starts, const int* targets, const float* rank, float* next, float* dangling,
                     int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  float lost = 0;
  if (node < nodes) {
    const int degree = starts[node + 1] - starts[node];
    if (degree == 0) lost = rank[node];
    for (int e = starts[node]; e < starts[node + 1]; ++e) atomicAdd(&next[targets[e]], rank[node] / degree);
  }
  for (int step = 16; step > 0; step /= 2) lost += __shfl_xor_sync(~0u, lost, step);
  if (threadIdx.x % 32 == 0 && lost > 0) atomicAdd(dangling, lost);
}

__global__ void settle(float* rank, float* next, const float* dangling, int nodes) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  rank[node] = (1 - kDamping) / nodes + kDamping * (next[node] + *dangling / nodes);
  next[node] = 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 1500, 64, 1 << 22);
  const int rounds = size_argument(argc, argv, 2, 10, 1, 1000);
  const Graph graph = random_graph(nodes, 6, 27, false);
  std::vector<double> rank(nodes, 1.0 / nodes), next(nodes);
  for (int round = 0; round < rounds; ++round) {
    double dangling = 0;
    std::fill(next.begin(), next.end(), 0.0);
    for (int v = 0; v < nodes; ++v) {
      const int degree = graph.starts[v + 1] - graph.starts[v];
      if (degree == 0) dangling += rank[v];
      for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e) next[graph.targets[e]] += rank[v] / degree;
    }
    for (int v = 0; v < nodes; ++v) rank[v] = 0.15 / nodes + 0.85 * (next[v] + dangling / nodes);
  }
  const std::vector<float> want(rank.begin(), rank.end());

  DeviceArray<int> starts(graph.starts), targets(graph.targets);
  DeviceArray<float> device_rank(std::vector<float>(nodes, 1.0f / nodes)), device_next(nodes, 0), dangling(rounds, 0);
  const int blocks = (nodes + 127) / 128;
  for (int round = 0; round < rounds; ++round) {
    push<<<blocks, 128>>>(starts, targets, device_rank, device_next, dangling + round, nodes);
    settle<<<blocks, 128>>>(device_rank, device_next, dangling + round, nodes);
  }
  FINISH_KERNEL();
  const std::vector<float> got = device_rank.download();
  EXPECT_NEAR(want, got, 1e-4, 0, "rank");
  double sum = 0;
  for (float x : got) sum += x;
  EXPECT(std::fabs(sum - 1) < 1e-4, "the ranks should sum to 1, sum is %.7f", sum);
  return PASS("nodes=%d edges=%d rounds=%d", nodes, graph.edges(), rounds);
}
