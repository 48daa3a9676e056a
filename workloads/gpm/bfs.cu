// BFS: breadth-first search of a road network, with the cost of each node and the order of the search in persistent
// memory ("GPM", ASPLOS'22, section 4.3). Each level is durable when it is complete.
//
//   bfs [--width N] [--height N] [--input GRAPH] …     a generated grid of roads, or a graph in DIMACS' format (.gr)
//       [--sources N]                                  begin at the first nodes of N rows
//       [--published 1]                                as the published program, for measurements: whether a node was
//                                                      visited is asked of the pool, by an atomic for each edge
//   bfs --recover FILE [--input GRAPH]                 finish the search, check
//   --stop-before-commit: one level
//
// What the recovery relies on. `ends[l]` says where the nodes of level l end in the sequence. It is stored last, when
// the level's nodes and costs are durable. So this one word says that the level is complete. After a crash some nodes
// of the next level may have a cost, which is higher. The recovery makes these nodes unvisited again.
// deterministic: yes
#include <cmath>
#include <cstdio>

#include "graph.h"
#include "system.h"

namespace {

using bench::Graph;
using bench::Phase;
using bench::Store;

constexpr uint64_t kMagic = 0x4246532d47504d31ull;
constexpr uint32_t kUnvisited = 0;  // a cost is stored plus one, so that a new pool's zeros mean "not visited"

struct Shape {
  uint32_t width, height, threads;  // the graph's generator
  uint32_t nodes, edges;            // of the graph
  uint32_t system;
  uint32_t sources;  // the search begins at the first nodes of so many rows
  uint32_t published;
  size_t costs_bytes() const { return bench::whole_lines(nodes * sizeof(uint32_t)); }
  size_t ends_bytes() const { return bench::whole_lines((nodes + 1) * sizeof(uint32_t)); }
  size_t levels_at() const { return 2 * costs_bytes() + nodes * sizeof(uint32_t); }  // only planted bug 4 uses it
  size_t bytes() const { return 2 * costs_bytes() + ends_bytes(); }
};
constexpr bench::Presets<Shape> kPresets = {
    {60, 40, 256, 0, 0, 0, 1, 0}, {4900, 4900, 256, 0, 0, 0, 1, 0}, {6, 5, 16, 0, 0, 0, 1, 0}};
using Options = bench::Options<Shape>;

// The search's data in the pool.
struct Search {
  uint32_t *costs, *sequence, *ends, *levels;
};
Search search_in(const Store& store, const Shape& shape) {
  return {store.kernels<uint32_t>(0), store.kernels<uint32_t>(shape.costs_bytes()),
          store.kernels<uint32_t>(2 * shape.costs_bytes()), store.kernels<uint32_t>(shape.levels_at())};
}

// Volatile data of one level. `arrivals`: the number of blocks that have ended.
struct Level {
  uint32_t tail;
  unsigned arrivals;
};

__global__ void begin(Search search, uint32_t sources, uint32_t width, bool fence) {
  for (uint32_t i = 0; i < sources; ++i) {
    search.sequence[i] = i * width;
    search.costs[i * width] = 1;
  }
  if (fence) gpm_persist();
  search.ends[0] = sources;
  if (fence) gpm_persist();
}

// Planted bug 4 counts the levels in a word of its own, as the published program does: durable before the level's end.
template <class Persist>
__device__ void store_end(Search search, uint32_t level, const Level* next, Persist persist) {
  if (BUG == 4) {
    *search.levels = level + 2;  // @level
    gpm_persist();
  }
  search.ends[level + 1] = *static_cast<const volatile uint32_t*>(&next->tail);  // @end
  bench::persist_mine(persist, &search.ends[level + 1], sizeof *search.ends);
}

// The nodes [first, last) of the sequence are level `level`. Their unvisited neighbours become the next level.
template <bool kPublished, class Persist>
__global__ void expand(Graph::OnDevice graph, Search search, unsigned* visited, uint32_t first, uint32_t last,
                       uint32_t level, Level* next, Persist persist) {
  for (uint32_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < last; i += gridDim.x * blockDim.x) {
    const uint32_t node = search.sequence[i];
    for (uint32_t edge = graph.begin[node]; edge < graph.begin[node + 1]; ++edge) {
      const uint32_t other = graph.target[edge];
      if (kPublished) {
        if (atomicCAS_system(&search.costs[other], kUnvisited, level + 2) != kUnvisited) continue;
      } else if (atomicOr(&visited[other / 32], 1u << other % 32) >> other % 32 & 1) {
        continue;
      }
      search.sequence[atomicAdd(&next->tail, 1u)] = other;  // @node
      search.costs[other] = level + 2;                      // @cost
      bench::persist_one(persist, &search.costs[other], sizeof *search.costs);
    }
  }
  if (BUG != 1) bench::persist_all(persist);
  if (BUG == 2 && blockIdx.x == 0 && threadIdx.x == 0) store_end(search, level, next, persist);
  if (bench::last_block(&next->arrivals) && threadIdx.x == 0 && BUG != 2) {
    if (next->tail != last) store_end(search, level, next, persist);
  }
}

// In a recovery: sets the volatile bits of the nodes up to this level. Nodes beyond it become unvisited.
__global__ void look(Search search, uint32_t nodes, uint32_t level, unsigned* visited) {
  const uint32_t node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || search.costs[node] == kUnvisited) return;
  if (search.costs[node] <= level + 1 || BUG == 3) atomicOr(&visited[node / 32], 1u << node % 32);
}

// In a recovery under CAP: computes the costs of the nodes of these levels from the sequence and the ends of levels.
__global__ void restore_costs(Search search, uint32_t nodes, uint32_t levels) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nodes || i >= search.ends[levels - 1]) return;
  uint32_t level = 0;
  while (search.ends[level] <= i) ++level;
  search.costs[search.sequence[i]] = level + 1;
}

// The host flushes the lines of the costs of nodes [first, last) of the sequence.
void persist_costs(Store& store, const Shape& shape, uint32_t first, uint32_t last) {
  FINISH_KERNEL();
  const uint32_t* sequence = store.host<uint32_t>(shape.costs_bytes());
  constexpr uint32_t kLine = 64 / sizeof(uint32_t);
  std::vector<uint32_t> lines;
  for (uint32_t i = first; i < last; ++i) lines.push_back(sequence[i] / kLine);
  const Phase phase(store.flush_phase());
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  for (size_t i = 0, end = 0; i < lines.size(); i = end) {  // neighbours in one call
    for (end = i + 1; end < lines.size() && lines[end] == lines[end - 1] + 1; ++end) {
    }
    store.flush_entry(size_t(lines[i]) * 64, (end - i) * 64);
  }
}

// Makes the end of a level durable, behind its nodes and costs. NDP: the host stores it. What a kernel stores of it is
// not read.
void persist_end(Store& store, const Shape& shape, uint32_t level, uint32_t end) {
  const size_t offset = 2 * shape.costs_bytes() + level * sizeof(uint32_t);
  if (store.system() == bench::System::gpm_ndp)
    store.store_word(offset, end);
  else
    store.persist_results(offset, sizeof(uint32_t));
}
// Makes the sources durable, then the end of their level.
void begin_search(Store& store, const Shape& shape, uint32_t* unread_ends) {
  Search search = search_in(store, shape);
  if (store.system() == bench::System::gpm_ndp) search.ends = unread_ends;
  begin<<<1, 1>>>(search, shape.sources, shape.width, bench::kernels_persist(store.system()));
  store.persist_results(shape.costs_bytes(), shape.sources * sizeof(uint32_t));
  store.persist_results(0, shape.sources == 1 ? sizeof(uint32_t) : shape.costs_bytes());
  persist_end(store, shape, 0, shape.sources);
  FINISH_KERNEL();
}

// Makes the levels behind the last durable one. Returns the number of levels.
uint32_t search_from(Store& store, const Graph& graph, const Shape& shape, uint32_t level, unsigned* visited,
                     uint32_t* unread_ends, bool one_level) {
  Search search = search_in(store, shape);
  const Graph::OnDevice on_device = graph.on_device();
  DeviceArray<Level> next(1, 0);
  uint32_t first = 0, last = 1;
  if (level > 0) CUDA(cudaMemcpy(&first, search.ends + level - 1, sizeof first, cudaMemcpyDefault));
  CUDA(cudaMemcpy(&last, search.ends + level, sizeof last, cudaMemcpyDefault));
  if (store.system() == bench::System::gpm_ndp) search.ends = unread_ends;
  while (first != last) {
    const Phase phase("level");
    const Level start = {last, 0};
    CUDA(cudaMemcpy(next, &start, sizeof start, cudaMemcpyHostToDevice));
    const unsigned blocks = std::min(bench::blocks_for(last - first, shape.threads), 2048u);
    store.with_persists([&](auto persist) {
      if (shape.published != 0)
        expand<true><<<blocks, shape.threads>>>(on_device, search, visited, first, last, level, next, persist);
      else
        expand<false><<<blocks, shape.threads>>>(on_device, search, visited, first, last, level, next, persist);
    });
    Level end;
    CUDA(cudaMemcpy(&end, next, sizeof end, cudaMemcpyDeviceToHost));
    first = last;
    last = end.tail;
    if (first == last) break;
    ++level;
    // If the host persists: the nodes of the level and the costs, then the end. NDP flushes the costs that have
    // changed. CAP does not know which have changed, and persists all costs.
    store.persist_results(shape.costs_bytes() + first * sizeof(uint32_t), (last - first) * sizeof(uint32_t));
    if (store.system() == bench::System::gpm_ndp) persist_costs(store, shape, first, last);
    if (!bench::kernels_store(store.system())) store.persist_results(0, shape.costs_bytes());
    persist_end(store, shape, level, last);
    FINISH_KERNEL();
    gpm_acknowledge(level + 1);
    if (one_level) break;
  }
  FINISH_KERNEL();
  return level + 1;
}

void check_costs(const Store& store, const Graph& graph, const Shape& shape) {
  const std::vector<uint32_t> want = graph.distances(shape.sources, shape.width);
  const uint32_t *costs = store.host<uint32_t>(0), *sequence = store.host<uint32_t>(shape.costs_bytes());
  uint32_t reached = 0;
  for (uint32_t node = 0; node < shape.nodes; ++node) {
    EXPECT(want[node] + 1 == costs[node], "the cost of node %u should be %d, is %d", node, static_cast<int>(want[node]),
           static_cast<int>(costs[node] - 1));
    reached += costs[node] != kUnvisited;
  }
  std::vector<bool> seen(shape.nodes, false);
  for (uint32_t i = 0; i < reached; ++i) {
    EXPECT(sequence[i] < shape.nodes && !seen[sequence[i]], "place %u of the sequence should be a node of its own", i);
    seen[sequence[i]] = true;
    EXPECT(i == 0 || want[sequence[i - 1]] <= want[sequence[i]], "node %u of the sequence comes before its level", i);
  }
}

int run(Options options) {
  const Graph graph = options.input.empty() ? Graph::roads(options.shape.width, options.shape.height)
                                            : Graph::from_dimacs(options.input);
  Shape& shape = options.shape;
  shape.nodes = graph.nodes();
  shape.edges = graph.edges();
  shape.system = static_cast<uint32_t>(options.system);
  Store store(options, kMagic, shape.bytes());
  DeviceArray<unsigned> visited(shape.nodes / 32 + 1, 0);
  std::vector<unsigned> sources(shape.nodes / 32 + 1, 0);
  for (uint32_t i = 0; i < shape.sources; ++i) sources[i * shape.width / 32] |= 1u << i * shape.width % 32;
  visited.upload(sources);
  const DeviceArray<uint32_t> unread_ends(shape.nodes + 1);
  begin_search(store, shape, unread_ends.get());
  store.begin_work();
  const uint32_t levels = search_from(store, graph, shape, 0, visited, unread_ends.get(), options.stop_before_commit);
  store.end();
  if (options.stop_before_commit) return PASS("stopped behind one level");
  check_costs(store, graph, shape);
  bench::print_phases({"level"});
  return PASS("%s: %u nodes, %u edges, %u levels", bench::kSystemNames[shape.system], shape.nodes, shape.edges, levels);
}

int recover(const Options& options) {
  Store store(options.recovered, kMagic, options.system, true, options.ddio);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  bench::require_system(options.recovered, shape.system, options.system);
  if (shape.published != 0) {
    fprintf(stderr, "%s: is of a run with --published 1, which is not recovered\n", options.recovered.c_str());
    return 2;
  }
  const Graph graph =
      options.input.empty() ? Graph::roads(shape.width, shape.height) : Graph::from_dimacs(options.input);
  EXPECT(graph.nodes() == shape.nodes && graph.edges() == shape.edges, "the pool is of another graph, with %u nodes",
         shape.nodes);
  const uint32_t* ends = store.host<uint32_t>(2 * shape.costs_bytes());
  uint32_t levels = 0;
  while (levels < shape.nodes && ends[levels] != 0) ++levels;
  if (BUG == 4) levels = std::max(levels, *store.host<uint32_t>(shape.levels_at()));
  if (BUG == 5) levels = 0;
  const DeviceArray<uint32_t> unread_ends(shape.nodes + 1);
  if (levels == 0) begin_search(store, shape, unread_ends.get());
  bench::expect_acknowledged(levels, "levels");
  DeviceArray<unsigned> visited(shape.nodes / 32 + 1, 0);
  {
    const Phase phase("recovery");
    if (!bench::kernels_store(store.system())) {  // some costs may belong to a level that a crash has cut
      CUDA(cudaMemset(store.kernels<char>(0), 0, shape.costs_bytes()));
      restore_costs<<<bench::blocks_for(shape.nodes, 256), 256>>>(search_in(store, shape), shape.nodes,
                                                                  levels == 0 ? 1 : levels);
    }
    look<<<bench::blocks_for(shape.nodes, 256), 256>>>(search_in(store, shape), shape.nodes,
                                                       levels == 0 ? 0 : levels - 1, visited);
  }
  FINISH_KERNEL();
  search_from(store, graph, shape, levels == 0 ? 0 : levels - 1, visited, unread_ends.get(), false);
  if (!bench::kernels_store(store.system())) store.persist_results(0, shape.costs_bytes());
  FINISH_KERNEL();
  check_costs(store, graph, shape);
  bench::print_phases({"recovery", "level"});
  return PASS("recovered behind %u levels", levels);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "bfs.pool", kPresets,
                                              {{"--width", &Shape::width, 1, 1 << 15},
                                               {"--height", &Shape::height, 1, 1 << 15},
                                               {"--threads", &Shape::threads, 1, 1024},
                                               {"--sources", &Shape::sources, 1, 1 << 15},
                                               {"--published", &Shape::published, 0, 1}},
                                              "GRAPH.gr");
  if (options.shape.sources > 1 && (!options.input.empty() || options.shape.sources > options.shape.height)) {
    fprintf(stderr, "%s: --sources is for a generated graph, with at most as many as it has rows\n", argv[0]);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
