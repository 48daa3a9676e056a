// Connected components of a graph whose edges are on drives ("BaM", section 5.2): each node has the least number that
// it has seen of its component, and a warp for each node that has changed passes it on along the node's edges, until
// none changes.
//
// machine: --set storage.drives=2
//
//   cc [kron|urand|FILE] [--system NAME] [scale=N] [degree=N] [seed=N] [warps=N] [line=BYTES] [slots=N] [access=0..3] …
//
// Systems: bam, memory, zero-copy, uvm (systems.h).
#include "graph.h"

namespace {

using graph::word;

/// `edges`: an array of a drive, or plain memory. Lanes begin at a line of 128 bytes, so that they load whole ones.
template <class Edges>
__global__ void pass_on(const word* offsets, const Edges edges, unsigned* least, const unsigned char* changed,
                        unsigned char* changes, word nodes, unsigned* more) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  graph::reader_of<Edges> reader(edges);
  for (word v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < nodes; v += warps) {
    if (!changed[v]) continue;
    const unsigned mine = *const_cast<volatile unsigned*>(least + v);
    const word first = offsets[v], end = offsets[v + 1];
    for (word e = first / 16 * 16 + lane; e < end; e += 32) {
      if (e < first) continue;
      const word to = reader[e];
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
  const auto body = [&]() -> std::string {
    auto all = graph::options();
    for (auto& each : all)
      if (std::string(each.name) == "degree") each.value = 2;  // several components
    const graph::arguments its = graph::take(argc, argv, "urand", all);
    const setup::options& given = its.given;
    const graph::csr& g = its.g;
    graph::placed placed(g, its.system, given);
    const word nodes = g.nodes();
    const setup::memory_of<unsigned> words(setup::memory_of<unsigned>::at::device, nodes + 1);
    const setup::memory_of<unsigned char> changed(setup::memory_of<unsigned char>::at::device, 2 * nodes);
    unsigned* const more = words.get() + nodes;
    std::vector<unsigned> least(nodes);
    for (word v = 0; v < nodes; ++v) least[v] = static_cast<unsigned>(v);
    cudaMemcpy(words.get(), least.data(), nodes * 4, cudaMemcpyHostToDevice);
    cudaMemset(changed.get(), 1, 2 * nodes);
    unsigned rounds = 0, again = 0;
    const unsigned warps = static_cast<unsigned>(given["warps"]);
    const float milliseconds = setup::timed("search", [&] {
      do {
        unsigned char* const from = changed.get() + rounds % 2 * nodes;
        unsigned char* const to = changed.get() + (rounds + 1) % 2 * nodes;
        cudaMemsetAsync(to, 0, nodes);
        cudaMemsetAsync(more, 0, 4);
        placed.launch([&](const word* offsets, const auto& edges) {
          pass_on<<<warps, 32>>>(offsets, edges, words.get(), from, to, nodes, more);
          if (rounds == 0) setup::print_registers(pass_on<std::decay_t<decltype(edges)>>, pass_on<const word*>);
        });
        cudaMemcpy(&again, more, 4, cudaMemcpyDeviceToHost);
        ++rounds;
      } while (again);
    });
    cudaMemcpy(least.data(), words.get(), nodes * 4, cudaMemcpyDeviceToHost);
    placed.print("cc", milliseconds);

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
    return placed.wrote();
  };
  return setup::run("cc", body, systems::needs_drives(argc, argv));
}
