// Breadth-first search over a graph whose edges are on drives ("BaM", section 5.2): level by level, a warp for each
// node of the level, whose lanes read its edges side by side. Compared with a search on the host.
//
// machine: --set storage.drives=2
//
//   bfs [kron|urand|FILE] [scale=N] [degree=N] [seed=N] [source=NODE] [warps=N] [line=BYTES] [slots=N] …
#include "graph.h"

namespace {

using graph::word;
constexpr unsigned unseen = ~0u;

__global__ void next_level(const word* offsets, bam::array_view<word> edges, unsigned* levels, word nodes,
                           unsigned level, unsigned* more) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  for (word v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < nodes; v += warps) {
    if (levels[v] != level) continue;
    for (word e = offsets[v] + lane; e < offsets[v + 1]; e += 32) {
      const word to = edges[e];
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
  return setup::run("bfs", [&]() -> std::string {
    const std::string what = argc > 1 ? argv[1] : "kron";
    auto all = graph::options();
    all.push_back({"source", 0, "where the search begins: the node, or the first behind it that has an edge"});
    const setup::options given(all, argc, argv, 2);
    const graph::csr g = graph::make(what, given);
    graph::on_drives on_drives(g, given);
    word source = given["source"] % g.nodes();
    while (g.offsets[source] == g.offsets[source + 1] && source + 1 < g.nodes()) ++source;
    unsigned *levels = nullptr, *more = nullptr;
    cudaMallocManaged(&levels, g.nodes() * 4);
    cudaMallocManaged(&more, 4);
    for (word v = 0; v < g.nodes(); ++v) levels[v] = unseen;
    levels[source] = 0;
    unsigned level = 0;
    const unsigned warps = static_cast<unsigned>(given["warps"]);
    const float milliseconds = setup::timed([&] {
      do {
        *more = 0;
        next_level<<<warps, 32>>>(on_drives.offsets(), on_drives.edges(), levels, g.nodes(), level++, more);
        cudaDeviceSynchronize();
      } while (*more);
    });
    on_drives.cache().must();
    setup::print("bfs", on_drives.cache(), milliseconds);
    const std::vector<unsigned> expected = on_host(g, source);
    word reached = 0, edges = 0;
    for (word v = 0; v < g.nodes(); ++v) {
      if (levels[v] != expected[v])
        return "node " + std::to_string(v) + ": expected level " + std::to_string(expected[v]) + ", found " +
               std::to_string(levels[v]);
      if (levels[v] != unseen) ++reached, edges += g.offsets[v + 1] - g.offsets[v];
    }
    printf("%llu of %llu nodes in %u levels, %llu edges\n", reached, g.nodes(), level, edges);
    const bam::cache_statistics s = on_drives.cache().statistics();
    if (s.thread_hits + s.thread_misses != edges)
      return "accesses: expected one for each edge, " + std::to_string(edges) + ", found " +
             std::to_string(s.thread_hits + s.thread_misses);
    return s.writes ? "reads made lines dirty" : "";
  });
}
