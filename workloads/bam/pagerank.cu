// PageRank over a graph whose edges are on drives: in each iteration a warp for each node adds the node's share to the
// ends of its edges. Ranks are whole numbers of 2^-60, so sums do not depend on their order, and the host's iterations
// give the same bits. The damping factor is 0.85. A node without edges passes nothing on, as in GAP's benchmark.
//
// machine: --set storage.drives=2
//
//   pagerank [kron|urand|FILE] [--system NAME] [scale=N] [degree=N] [seed=N] [iterations=N] [tolerance=N] [warps=N]
//   [line=BYTES] [slots=N] [access=0..3] …
//
// It ends after the iteration in which all ranks together change by less than 1 / tolerance. Systems: bam, memory,
// zero-copy, uvm (systems.h).
#include "graph.h"

namespace {

using graph::word;
constexpr word one = 1ull << 60;  // all ranks together

/// What a node passes on along each of its edges.
__host__ __device__ word share_of(word rank, word degree) {
  return rank / 20 * 17 / degree;
}
/// What each node has by itself.
word base_of(word nodes) {
  return one / 20 * 3 / nodes;
}

/// `edges`: an array of a drive, or plain memory. Lanes begin at a line of 128 bytes, so that they load whole ones.
template <class Edges>
__global__ void pass_on(const word* offsets, const Edges edges, const word* ranks, word* next, word nodes) {
  const unsigned lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  graph::reader_of<Edges> reader(edges);
  for (word v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < nodes; v += warps) {
    const word first = offsets[v], end = offsets[v + 1];
    if (first == end) continue;
    const word share = share_of(ranks[v], end - first);
    for (word e = first / 16 * 16 + lane; e < end; e += 32)
      if (e >= first) atomicAdd(next + reader[e], share);
  }
}

/// The next ranks become the ranks. `change`: how much all of them have changed.
__global__ void turn(word* ranks, word* next, word base, word nodes, word* change) {
  word mine = 0;
  for (word v = blockIdx.x * blockDim.x + threadIdx.x; v < nodes; v += gridDim.x * blockDim.x) {
    const word before = ranks[v], now = next[v];
    mine += now > before ? now - before : before - now;
    ranks[v] = now;
    next[v] = base;
  }
  if (mine) atomicAdd(change, mine);
}

/// By the ends of edges, one node after the other: a share is what its node had before the iteration.
std::vector<word> on_host(const graph::csr& g, unsigned iterations) {
  std::vector<word> ranks(g.nodes(), one / g.nodes());
  for (unsigned i = 0; i < iterations; ++i) {
    std::vector<word> next(g.nodes(), base_of(g.nodes()));
    for (word v = 0; v < g.nodes(); ++v)
      for (word e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
        next[g.edges[e]] += share_of(ranks[v], g.offsets[v + 1] - g.offsets[v]);
    ranks.swap(next);
  }
  return ranks;
}

}  // namespace

int main(int argc, char** argv) {
  const auto body = [&]() -> std::string {
    auto all = graph::options();
    all.push_back({"iterations", 20, "at most"});
    all.push_back({"tolerance", 10000, "it ends when all ranks together change by less than one part in so many"});
    const graph::arguments its = graph::take(argc, argv, "kron", all);
    const setup::options& given = its.given;
    const graph::csr& g = its.g;
    if (given["iterations"] < 1 || given["tolerance"] < 1) return "iterations and tolerance should be 1 at least";
    graph::placed placed(g, its.system, given);
    const word nodes = g.nodes(), base = base_of(nodes);

    using memory = setup::memory_of<word>;
    const memory ranks(memory::at::device, nodes), next(memory::at::device, nodes), change(memory::at::device, 1);
    std::vector<word> found(nodes, one / nodes);
    cudaMemcpy(ranks.get(), found.data(), nodes * 8, cudaMemcpyHostToDevice);
    const std::vector<word> bases(nodes, base);
    cudaMemcpy(next.get(), bases.data(), nodes * 8, cudaMemcpyHostToDevice);
    unsigned done = 0;
    word changed = 0;
    const unsigned warps = static_cast<unsigned>(given["warps"]);
    const float milliseconds = setup::timed("iterations", [&] {
      do {
        cudaMemsetAsync(change.get(), 0, 8);
        placed.launch([&](const word* offsets, const auto& edges) {
          pass_on<<<warps, 32>>>(offsets, edges, ranks.get(), next.get(), nodes);
          if (done == 0) setup::print_registers(pass_on<std::decay_t<decltype(edges)>>, pass_on<const word*>);
        });
        turn<<<(warps + 3) / 4, 128>>>(ranks.get(), next.get(), base, nodes, change.get());
        cudaMemcpy(&changed, change.get(), 8, cudaMemcpyDeviceToHost);
        ++done;
      } while (done < given["iterations"] && changed >= one / given["tolerance"]);
    });
    cudaMemcpy(found.data(), ranks.get(), nodes * 8, cudaMemcpyDeviceToHost);
    placed.print("pagerank", milliseconds);

    const std::vector<word> expected = on_host(g, done);
    word most = 0, sum = 0;
    for (word v = 0; v < nodes; ++v) {
      if (found[v] != expected[v])
        return "node " + std::to_string(v) + ": expected rank " + std::to_string(expected[v]) + " of 2^-60, found " +
               std::to_string(found[v]);
      sum += found[v];
      if (found[v] > found[most]) most = v;
    }
    printf("%u iterations, the last changed %.2g; all ranks %.6f, node %llu has most: %.6g\n", done,
           static_cast<double>(changed) / one, static_cast<double>(sum) / one, most,
           static_cast<double>(found[most]) / one);
    return placed.wrong_counts(done * g.edges.size());  // one access for each edge and iteration
  };
  return setup::run("pagerank", body, systems::needs_drives(argc, argv));
}
