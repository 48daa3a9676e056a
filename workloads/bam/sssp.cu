// Shortest paths from one node, over a graph whose edges are on drives: an edge is a word of 8 bytes, its other end
// below and its weight above 32 bits. A warp for each node whose distance has changed offers the node's edges to their
// ends, until none changes. Compared with Dijkstra's search on the host.
//
// machine: --set storage.drives=2
//
//   sssp [kron|urand|FILE] [--system NAME] [scale=N] [degree=N] [seed=N] [source=NODE] [warps=N] [line=BYTES] [slots=N]
//   [access=0..3] …
//
// A graph without weights has weights from 1 to 255, made of the seed and the edge's ends. Systems: bam, memory,
// zero-copy, uvm (systems.h).
#include <queue>

#include "graph.h"

namespace {

using graph::word;
constexpr word unreached = ~0ull;

__host__ __device__ word end_of(word edge) {
  return edge & 0xffffffff;
}
__host__ __device__ word weight_of(word edge) {
  return edge >> 32;
}

/// `edges`: an array of a drive, or plain memory. Lanes begin at a line of 128 bytes, so that they load whole ones.
template <class Edges>
__global__ void offer(const word* offsets, const Edges edges, word* distances, const unsigned char* changed,
                      unsigned char* changes, word nodes, unsigned* more) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  graph::reader_of<Edges> reader(edges);
  for (word v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < nodes; v += warps) {
    if (!changed[v]) continue;
    const word mine = *const_cast<volatile word*>(distances + v);
    const word first = offsets[v], end = offsets[v + 1];
    for (word e = first / 16 * 16 + lane; e < end; e += 32) {
      if (e < first) continue;
      const word edge = reader[e], to = end_of(edge), distance = mine + weight_of(edge);
      if (atomicMin(distances + to, distance) > distance) changes[to] = 1, *more = 1;
    }
  }
}

void add_weights(graph::csr& g, word seed) {
  for (word v = 0; v < g.nodes(); ++v)
    for (word e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
      const word to = g.edges[e], ends = std::min(v, to) << 32 | std::max(v, to);
      const word weight = g.weights.empty() ? setup::mix(seed * 977 + setup::mix(ends)) % 255 + 1 : g.weights[e];
      g.edges[e] = weight << 32 | to;
    }
}

std::vector<word> on_host(const graph::csr& g, word source) {
  std::vector<word> distances(g.nodes(), unreached);
  using reached = std::pair<word, word>;  // distance, node
  std::priority_queue<reached, std::vector<reached>, std::greater<>> next;
  distances[source] = 0;
  next.push({0, source});
  while (!next.empty()) {
    const auto [distance, v] = next.top();
    next.pop();
    if (distance > distances[v]) continue;
    for (word e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
      const word to = end_of(g.edges[e]), there = distance + weight_of(g.edges[e]);
      if (there < distances[to]) distances[to] = there, next.push({there, to});
    }
  }
  return distances;
}

}  // namespace

int main(int argc, char** argv) {
  const auto body = [&]() -> std::string {
    auto all = graph::options();
    all.push_back({"source", 0, "where the paths begin: the node, or the first behind it that has an edge"});
    graph::arguments its = graph::take(argc, argv, "urand", all);
    const setup::options& given = its.given;
    graph::csr& g = its.g;
    add_weights(g, given["seed"]);
    graph::placed placed(g, its.system, given);
    const word nodes = g.nodes();
    const word source = graph::source_of(g, given);

    using memory = setup::memory_of<word>;
    using flags = setup::memory_of<unsigned char>;
    const memory distances(memory::at::device, nodes);
    const flags changed(flags::at::device, 2 * nodes);
    const setup::memory_of<unsigned> more(setup::memory_of<unsigned>::at::device, 1);
    std::vector<word> found(nodes, unreached);
    found[source] = 0;
    cudaMemcpy(distances.get(), found.data(), nodes * 8, cudaMemcpyHostToDevice);
    cudaMemset(changed.get(), 0, 2 * nodes);
    cudaMemset(changed.get() + source, 1, 1);
    unsigned rounds = 0, again = 0;
    const unsigned warps = static_cast<unsigned>(given["warps"]);
    const float milliseconds = setup::timed("search", [&] {
      do {
        unsigned char* const from = changed.get() + rounds % 2 * nodes;
        unsigned char* const to = changed.get() + (rounds + 1) % 2 * nodes;
        cudaMemsetAsync(to, 0, nodes);
        cudaMemsetAsync(more.get(), 0, 4);
        placed.launch([&](const word* offsets, const auto& edges) {
          offer<<<warps, 32>>>(offsets, edges, distances.get(), from, to, nodes, more.get());
          if (rounds == 0) setup::print_registers(offer<std::decay_t<decltype(edges)>>, offer<const word*>);
        });
        cudaMemcpy(&again, more.get(), 4, cudaMemcpyDeviceToHost);
        ++rounds;
      } while (again);
    });
    cudaMemcpy(found.data(), distances.get(), nodes * 8, cudaMemcpyDeviceToHost);
    placed.print("sssp", milliseconds);

    const std::vector<word> expected = on_host(g, source);
    word reached = 0, longest = 0;
    for (word v = 0; v < nodes; ++v) {
      if (found[v] != expected[v])
        return "node " + std::to_string(v) + ": expected distance " + std::to_string(expected[v]) + ", found " +
               std::to_string(found[v]);
      if (found[v] != unreached) ++reached, longest = std::max(longest, found[v]);
    }
    printf("%llu of %llu nodes in %u rounds, the farthest at %llu\n", reached, nodes, rounds, longest);
    return placed.wrote();
  };
  return setup::run("sssp", body, systems::needs_drives(argc, argv));
}
