// Colours a graph by independent sets: in each round a node takes the round's colour if its priority beats every
// uncoloured neighbour's. Exercises: cudaMemcpyFromSymbol of a counter, rounds driven by the host, hash priorities.
//
// deterministic: yes
#include "graph.h"

namespace {

__device__ int left_over;

__host__ __device__ uint32_t priority(uint32_t node) {
  node = (node ^ 61) ^ (node >> 16);
  node *= 9;
  node ^= node >> 4;
  node *= 0x27d4eb2d;
  return node ^ (node >> 15);
}

__host__ __device__ bool beats(uint32_t a, uint32_t b) {
  const uint32_t pa = priority(a), pb = priority(b);
  return pa != pb ? pa > pb : a > b;
}

// Nodes coloured in this very round still count as uncoloured for their neighbours, hence `colour != round`.
__global__ void colour_round(const int* starts, const int* targets, volatile int* colour, int nodes, int round) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || colour[node] != -1) return;
  for (int e = starts[node]; e < starts[node + 1]; ++e) {
    const int other = targets[e], its = colour[other];
    if ((its == -1 || its == round) && beats(other, node)) {
      atomicAdd(&left_over, 1);
      return;
    }
  }
  colour[node] = round;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = size_argument(argc, argv, 1, 2500, 64, 1 << 22);
  const Graph graph = random_graph(nodes, 8, 30, true);
  std::vector<int> want(nodes, -1);
  int rounds = 0;
  for (int open = nodes; open > 0; ++rounds) {
    std::vector<int> winners;
    for (int v = 0; v < nodes; ++v) {
      bool best = want[v] == -1;
      for (int e = graph.starts[v]; best && e < graph.starts[v + 1]; ++e)
        best = want[graph.targets[e]] != -1 || !beats(graph.targets[e], v);
      if (best) winners.push_back(v);
    }
    for (int v : winners) want[v] = rounds;
    open -= static_cast<int>(winners.size());
  }

  DeviceArray<int> starts(graph.starts), targets(graph.targets), colour(nodes, 0xff);
  int round = 0;
  for (int open = 1; open > 0; ++round) {
    const int zero = 0;
    CUDA(cudaMemcpyToSymbol(left_over, &zero, sizeof(int)));
    colour_round<<<(nodes + 127) / 128, 128>>>(starts, targets, colour, nodes, round);
    FINISH_KERNEL();
    CUDA(cudaMemcpyFromSymbol(&open, left_over, sizeof(int)));
  }
  const std::vector<int> got = colour.download();
  for (int v = 0; v < nodes; ++v)
    for (int e = graph.starts[v]; e < graph.starts[v + 1]; ++e)
      EXPECT(got[v] != got[graph.targets[e]], "neighbours %d and %d should differ, both are %d", v, graph.targets[e],
             got[v]);
  EXPECT(round == rounds, "%d rounds should be needed, took %d", rounds, round);
  EXPECT_SAME(want, got, "colour");
  return PASS("nodes=%d edges=%d colours=%d", nodes, graph.edges(), rounds);
}
