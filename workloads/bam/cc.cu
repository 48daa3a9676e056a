// Connected components of a graph whose edges are on drives ("BaM", section 5.2): each node has the least number that
// it has seen of its component, and a warp for each node that has changed passes it on along the node's edges, until
// none changes.
//
// machine: --set storage.drives=2
//
//   cc [kron|urand|FILE] [scale=N] [degree=N] [seed=N] [warps=N] [line=BYTES] [slots=N] …
#include "graph.h"

namespace {

using graph::word;

__global__ void pass_on(const word* offsets, bam::array_view<word> edges, unsigned* least, const unsigned char* changed,
                        unsigned char* changes, word nodes, unsigned* more) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  for (word v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < nodes; v += warps) {
    if (!changed[v]) continue;
    const unsigned mine = *const_cast<volatile unsigned*>(least + v);
    for (word e = offsets[v] + lane; e < offsets[v + 1]; e += 32) {
      const word to = edges[e];
      if (atomicMin(least + to, mine) > mine) changes[to] = 1, *more = 1;
    }
  }
}

unsigned find(std::vector<unsigned>& parent, unsigned v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

}  // namespace

int main(int argc, char** argv) {
  return setup::run("cc", [&]() -> std::string {
    const std::string what = argc > 1 ? argv[1] : "urand";
    auto all = graph::options();
    for (auto& each : all)
      if (std::string(each.name) == "degree") each.value = 2;  // several components
    const setup::options given(all, argc, argv, 2);
    const graph::csr g = graph::make(what, given);
    graph::on_drives on_drives(g, given);
    const word nodes = g.nodes();
    unsigned *least = nullptr, *more = nullptr;
    unsigned char* changed = nullptr;
    cudaMallocManaged(&least, nodes * 4);
    cudaMallocManaged(&more, 4);
    cudaMallocManaged(&changed, 2 * nodes);
    for (word v = 0; v < nodes; ++v) least[v] = static_cast<unsigned>(v), changed[v] = 1;
    unsigned rounds = 0;
    const unsigned warps = static_cast<unsigned>(given["warps"]);
    const float milliseconds = setup::timed([&] {
      do {
        unsigned char* const from = changed + rounds % 2 * nodes;
        unsigned char* const to = changed + (rounds + 1) % 2 * nodes;
        cudaMemset(to, 0, nodes);
        *more = 0;
        pass_on<<<warps, 32>>>(on_drives.offsets(), on_drives.edges(), least, from, to, nodes, more);
        cudaDeviceSynchronize();
        ++rounds;
      } while (*more);
    });
    on_drives.cache().must();
    setup::print("cc", on_drives.cache(), milliseconds);

    std::vector<unsigned> parent(nodes);
    for (word v = 0; v < nodes; ++v) parent[v] = static_cast<unsigned>(v);
    for (word v = 0; v < nodes; ++v)
      for (word e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
        const unsigned a = find(parent, static_cast<unsigned>(v)), b = find(parent, static_cast<unsigned>(g.edges[e]));
        parent[std::max(a, b)] = std::min(a, b);
      }
    word components = 0;
    for (word v = 0; v < nodes; ++v) {
      const unsigned expected = find(parent, static_cast<unsigned>(v));
      components += expected == v;
      if (least[v] != expected)
        return "node " + std::to_string(v) + ": expected component " + std::to_string(expected) + ", found " +
               std::to_string(least[v]);
    }
    printf("%llu components of %llu nodes in %u rounds, %zu edges\n", components, nodes, rounds, g.edges.size());
    return on_drives.cache().statistics().writes ? "reads made lines dirty" : "";
  });
}
