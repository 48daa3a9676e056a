// BFS by threads of the host alone: bfs.cu's search, with the cost of each node and the order of the search in
// persistent memory.
//
//   cpu_bfs [--width N] [--height N] [--sources N] [--threads N] …
//   cpu_bfs --recover FILE                 finish the search, check
//   --each 1: each result is flushed and fenced by itself, as a thread of the CUDA kernel persists its own; else lines
//   are flushed when they are complete, and one fence follows
//   --published 1: as the published program of the CPU, for measurements: threads take nodes, and places of the next
//   queue, by atomics on two words of all; a node's cost, the colour at the end of each edge and each place of the
//   queue are flushed and fenced by themselves. Threads are not started anew for each level, as there. Not recovered
// The recovery relies on what bfs.cu's does: `ends[l]` is durable behind the nodes and costs of level l; costs beyond
// the last level are forgotten. deterministic: yes

// build: --trace-host
#include "cpu.h"
#include "graph.h"

namespace {

constexpr uint64_t kMagic = 0x4246532d43505531ull;
constexpr uint32_t kUnvisited = 0;  // costs are stored plus one

struct Shape {
  uint32_t width, height, threads, sources, each, published;
  uint32_t nodes() const { return width * height; }
  size_t costs_bytes() const { return bench::whole_lines(nodes() * sizeof(uint32_t)); }
  size_t ends_bytes() const { return bench::whole_lines((nodes() + 1) * sizeof(uint32_t)); }
  size_t bytes() const { return (published != 0 ? 4 : 2) * costs_bytes() + ends_bytes(); }
};
constexpr bench::Presets<Shape> kPresets = {{60, 40, 32, 1, 0, 0}, {4900, 4900, 32, 1, 0, 0}, {6, 5, 2, 1, 0, 0}};
using Options = bench::Options<Shape>;

struct Search {
  uint32_t *costs, *sequence, *ends;
};
Search search_in(const bench::CpuStore& store, const Shape& shape) {
  return {store.at<uint32_t>(0), store.at<uint32_t>(shape.costs_bytes()), store.at<uint32_t>(2 * shape.costs_bytes())};
}

struct alignas(64) Found {
  std::vector<uint32_t> nodes;
};

// Levels from the last durable one on, by all threads. Answers how many there are.
uint32_t search_from(bench::CpuStore& store, const bench::Graph& graph, const Shape& shape, uint32_t level,
                     std::vector<std::atomic<uint8_t>>& visited, bool one_level) {
  const Search search = search_in(store, shape);
  const bench::Graph::OnDevice edges = graph.on_host();
  host_barrier barrier(shape.threads);
  std::vector<Found> found(shape.threads);
  uint32_t first = level == 0 ? 0 : search.ends[level - 1], last = search.ends[level];
  while (first != last) {
    for (Found& one : found) one.nodes.clear();
    uint32_t tail = last;
    const int status = [&] {
      const bench::Phase phase("level");
      return host_parallel(shape.threads, [&](unsigned thread) {
        std::vector<uint32_t>& mine = found[thread].nodes;
        const bench::Part part = bench::part_of(last - first, thread, shape.threads);
        for (size_t i = first + part.begin; i < first + part.end; ++i) {
          const uint32_t node = search.sequence[i];
          for (uint32_t edge = edges.begin[node]; edge < edges.begin[node + 1]; ++edge) {
            const uint32_t other = edges.target[edge];
            if (visited[other].load(std::memory_order_relaxed) != 0) continue;
            if (visited[other].exchange(1, std::memory_order_relaxed) != 0) continue;
            search.costs[other] = level + 2;
            bench::persist_result(&search.costs[other], sizeof(uint32_t), shape.each != 0);
            mine.push_back(other);
          }
        }
        barrier.wait();  // then each thread knows where its nodes go
        uint32_t at = last, all = last;
        for (unsigned other = 0; other < shape.threads; ++other) {
          if (other < thread) at += static_cast<uint32_t>(found[other].nodes.size());
          all += static_cast<uint32_t>(found[other].nodes.size());
        }
        for (size_t i = 0; i < mine.size(); ++i) {
          search.sequence[at + i] = mine[i];
          if (shape.each != 0) bench::persist_bytes(&search.sequence[at + i], sizeof(uint32_t));
        }
        if (!mine.empty() && shape.each == 0) bench::flush_bytes(search.sequence + at, mine.size() * sizeof(uint32_t));
        host_fence();
        barrier.wait();
        if (thread != 0) return;
        tail = all;
        if (all == last) return;
        search.ends[level + 1] = all;
        bench::persist_bytes(&search.ends[level + 1], sizeof(uint32_t));
      });
    }();
    REQUIRE(status == 0, "the threads should have run");
    first = last;
    last = tail;
    if (first == last) break;
    ++level;
    gpm_acknowledge(level + 1);
    if (one_level) break;
  }
  return level + 1;
}

// --published: the whole search. Answers how many levels there are.
uint32_t search_as_published(bench::CpuStore& store, const bench::Graph& graph, const Shape& shape) {
  struct alignas(64) Counter {
    std::atomic<int> value{0};
  };
  const bench::Graph::OnDevice edges = graph.on_host();
  const auto array = [&](unsigned number) { return store.at<std::atomic<int>>(number * shape.costs_bytes()); };
  std::atomic<int>*const costs = array(0), *const colours = array(1);
  std::atomic<int>* queues[2] = {array(2), array(3)};
  int level = 0, count = static_cast<int>(shape.sources);
  for (uint32_t i = 0; i < shape.sources; ++i) {
    queues[0][i] = static_cast<int>(i * shape.width);
    colours[i * shape.width] = 1;
  }
  const auto set = [](std::atomic<int>& word, int value) {
    word.store(value, std::memory_order_relaxed);
    bench::persist_bytes(&word, sizeof word);
  };
  for (; count != 0; ++level) {
    Counter head, tail;
    {
      const bench::Phase phase("level");
      const int status = host_parallel(shape.threads, [&](unsigned) {
        std::atomic<int>*const from = queues[level % 2], *const to = queues[(level + 1) % 2];
        for (int at = head.value.fetch_add(1); at < count; at = head.value.fetch_add(1)) {
          const int node = from[at].load(std::memory_order_relaxed);
          set(costs[node], level + 1);
          for (uint32_t edge = edges.begin[node]; edge < edges.begin[node + 1]; ++edge) {
            const uint32_t other = edges.target[edge];
            int expected = 0;
            const bool first = colours[other].compare_exchange_strong(expected, 1);
            bench::persist_bytes(&colours[other], sizeof colours[other]);
            if (first) set(to[tail.value.fetch_add(1)], static_cast<int>(other));
          }
        }
      });
      REQUIRE(status == 0, "the threads should have run");
    }
    count = tail.value;
  }
  const std::vector<uint32_t> want = graph.distances(shape.sources, shape.width);
  for (uint32_t node = 0; node < shape.nodes(); ++node)
    REQUIRE(want[node] + 1 == static_cast<uint32_t>(costs[node].load()), "the cost of node %u should be %d, is %d",
            node, static_cast<int>(want[node]), costs[node].load() - 1);
  return static_cast<uint32_t>(level);
}

void begin_search(bench::CpuStore& store, const Shape& shape) {
  const Search search = search_in(store, shape);
  const int status = host_parallel(1, [&](unsigned) {
    for (uint32_t i = 0; i < shape.sources; ++i) {
      search.sequence[i] = i * shape.width;
      search.costs[i * shape.width] = 1;
      host_flush(&search.costs[i * shape.width]);
    }
    bench::persist_bytes(search.sequence, shape.sources * sizeof(uint32_t));
    search.ends[0] = shape.sources;
    bench::persist_bytes(search.ends, sizeof(uint32_t));
  });
  REQUIRE(status == 0, "the sources should be durable");
}

void check_costs(const bench::CpuStore& store, const bench::Graph& graph, const Shape& shape) {
  const std::vector<uint32_t> want = graph.distances(shape.sources, shape.width);
  const Search search = search_in(store, shape);
  std::vector<uint32_t> costs(shape.nodes()), sequence(shape.nodes());
  memcpy(costs.data(), search.costs, shape.nodes() * sizeof(uint32_t));
  memcpy(sequence.data(), search.sequence, shape.nodes() * sizeof(uint32_t));
  uint32_t reached = 0;
  for (uint32_t node = 0; node < shape.nodes(); ++node) {
    REQUIRE(want[node] + 1 == costs[node], "the cost of node %u should be %d, is %d", node,
            static_cast<int>(want[node]), static_cast<int>(costs[node] - 1));
    reached += costs[node] != kUnvisited;
  }
  std::vector<bool> seen(shape.nodes(), false);
  for (uint32_t i = 0; i < reached; ++i) {
    REQUIRE(sequence[i] < shape.nodes() && !seen[sequence[i]], "place %u of the sequence should be a node of its own",
            i);
    seen[sequence[i]] = true;
    REQUIRE(i == 0 || want[sequence[i - 1]] <= want[sequence[i]], "node %u of the sequence comes before its level", i);
  }
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  const bench::Graph graph = bench::Graph::roads(shape.width, shape.height);
  bench::CpuStore store(options, kMagic, shape.bytes());
  if (shape.published != 0) {
    const uint32_t levels = search_as_published(store, graph, shape);
    bench::print_phases({"level"});
    return PASS("%u nodes, %u levels by %u threads, as published", graph.nodes(), levels, shape.threads);
  }
  std::vector<std::atomic<uint8_t>> visited(shape.nodes());
  for (uint32_t i = 0; i < shape.sources; ++i) visited[i * shape.width] = 1;
  begin_search(store, shape);
  const uint32_t levels = search_from(store, graph, shape, 0, visited, options.stop_before_commit);
  if (options.stop_before_commit) return PASS("stopped behind one level");
  check_costs(store, graph, shape);
  bench::print_phases({"level"});
  return PASS("%u nodes, %u edges, %u levels by %u threads", graph.nodes(), graph.edges(), levels, shape.threads);
}

int recover(const Options& options) {
  bench::CpuStore store(options.recovered, kMagic);
  if (!store.is_whole()) return PASS("the pool was not created yet");
  const Shape shape = store.shape<Shape>();
  if (shape.published != 0) {
    fprintf(stderr, "%s: is of a run with --published 1, which has no recovery\n", options.recovered.c_str());
    return 2;
  }
  const bench::Graph graph = bench::Graph::roads(shape.width, shape.height);
  const Search search = search_in(store, shape);
  uint32_t levels = 0;
  while (levels < shape.nodes() && search.ends[levels] != 0) ++levels;
  bench::expect_acknowledged(levels, "levels");
  if (levels == 0) begin_search(store, shape);
  std::vector<std::atomic<uint8_t>> visited(shape.nodes());
  for (uint32_t node = 0; node < shape.nodes(); ++node)
    visited[node] = search.costs[node] != kUnvisited && search.costs[node] <= std::max(levels, 1u);
  search_from(store, graph, shape, levels == 0 ? 0 : levels - 1, visited, false);
  check_costs(store, graph, shape);
  return PASS("recovered behind %u levels", levels);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse<Shape>(argc, argv, "cpu_bfs.pool", kPresets,
                                              {{"--width", &Shape::width, 1, 1 << 15},
                                               {"--height", &Shape::height, 1, 1 << 15},
                                               {"--threads", &Shape::threads, 1, 64},
                                               {"--each", &Shape::each, 0, 1},
                                               {"--published", &Shape::published, 0, 1},
                                               {"--sources", &Shape::sources, 1, 1 << 15}});
  if (options.shape.sources > options.shape.height) {
    fprintf(stderr, "%s: --sources: at most as many as the graph has rows, %u\n", argv[0], options.shape.height);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
