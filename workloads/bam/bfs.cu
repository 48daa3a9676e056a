// Breadth-first search over a graph whose edges are on drives ("BaM", section 5.2): level by level, a warp for each
// node of the level, whose lanes read its edges side by side. Compared with a search on the host.
//
// machine: --set storage.drives=2
//
//   bfs [kron|urand|FILE] [--system NAME] [scale=N] [degree=N] [seed=N] [source=NODE] [warps=N] [line=BYTES] [slots=N]
//   [access=0..3] …
//
// Systems: bam, memory, zero-copy, uvm (systems.h).
#include "graph.h"

namespace {

using graph::word;
constexpr unsigned unseen = ~0u;

/// `edges`: an array of a drive, or plain memory. Lanes begin at a line of 128 bytes, so that they load whole ones.
template <class Edges>
__global__ void next_level(const word* offsets, const Edges edges, unsigned* levels, word nodes, unsigned level,
                           unsigned* more) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  graph::reader_of<Edges> reader(edges);
  for (word v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < nodes; v += warps) {
    if (levels[v] != level) continue;
    const word first = offsets[v], end = offsets[v + 1];
    for (word e = first / 16 * 16 + lane; e < end; e += 32) {
      if (e < first) continue;
      const word to = reader[e];
      if (levels[to] == unseen) levels[to] = level + 1, *more = 1;
    }
  }
}

std::vector<unsigned> on_host(const graph::csr& g, word source) {
  std::vector<unsigned> levels(g.nodes(), unseen);
  std::vector<word> now{source};
  levels[source] = 0;
  for (unsigned level = 1; !now.empty(); ++level) {
    std::vector<word> then;
    for (const word v : now)
      for (word e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
        if (levels[g.edges[e]] == unseen) levels[g.edges[e]] = level, then.push_back(g.edges[e]);
    now.swap(then);
  }
  return levels;
}

}  // namespace

int main(int argc, char** argv) {
  const auto body = [&]() -> std::string {
    auto all = graph::options();
    all.push_back({"source", 0, "where the search begins: the node, or the first behind it that has an edge"});
    const graph::arguments its = graph::take(argc, argv, "kron", all);
    const setup::options& given = its.given;
    const graph::csr& g = its.g;
    graph::placed placed(g, its.system, given);
    const word source = graph::source_of(g, given);
    const setup::memory_of<unsigned> levels_and_more(setup::memory_of<unsigned>::at::device, g.nodes() + 1);
    unsigned* const levels = levels_and_more.get();
    unsigned* const more = levels + g.nodes();
    std::vector<unsigned> found(g.nodes(), unseen);
    found[source] = 0;
    cudaMemcpy(levels, found.data(), g.nodes() * 4, cudaMemcpyHostToDevice);
    unsigned level = 0, again = 0;
    const unsigned warps = static_cast<unsigned>(given["warps"]);
    const float milliseconds = setup::timed("search", [&] {
      do {
        cudaMemsetAsync(more, 0, 4);
        placed.launch([&](const word* offsets, const auto& edges) {
          next_level<<<warps, 32>>>(offsets, edges, levels, g.nodes(), level, more);
          if (level++ == 0) setup::print_registers(next_level<std::decay_t<decltype(edges)>>, next_level<const word*>);
        });
        cudaMemcpy(&again, more, 4, cudaMemcpyDeviceToHost);
      } while (again);
    });
    cudaMemcpy(found.data(), levels, g.nodes() * 4, cudaMemcpyDeviceToHost);
    placed.print("bfs", milliseconds);
    const std::vector<unsigned> expected = on_host(g, source);
    word reached = 0, edges = 0;
    for (word v = 0; v < g.nodes(); ++v) {
      if (found[v] != expected[v])
        return "node " + std::to_string(v) + ": expected level " + std::to_string(expected[v]) + ", found " +
               std::to_string(found[v]);
      if (found[v] != unseen) ++reached, edges += g.offsets[v + 1] - g.offsets[v];
    }
    printf("%llu of %llu nodes in %u levels, %llu edges\n", reached, g.nodes(), level, edges);
    return placed.wrong_counts(edges);  // one access for each edge
  };
  return setup::run("bfs", body, systems::needs_drives(argc, argv));
}
