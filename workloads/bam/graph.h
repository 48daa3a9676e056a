// Graphs for the programs of this folder: made as GAP's benchmark makes them (Kronecker, uniform), or read from a file.
//
// A file NAME.sg is GAP's serialized graph (gapbs, "converter -b"), of a machine that stores the lowest byte first: a
// byte, 1 for a directed graph; the number of edges and the number of nodes, 8 bytes each; an offset of 8 bytes for
// each node and one more; the other end of each edge, 4 bytes. What follows of a directed graph (the edges backwards)
// is not read. NAME.wsg has a weight of 4 bytes behind each end. Any other file is a list of edges as text, "FROM TO"
// or "FROM TO WEIGHT" a line, with nodes from 0; lines that begin with # or % are skipped. Of edges with the same ends
// the lightest is kept.
#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include "host_io.h"
#include "systems.h"

namespace graph {

using word = unsigned long long;

/// The edges of node v are [offsets[v], offsets[v + 1]). Both directions of each edge are there.
struct csr {
  std::vector<word> offsets, edges;
  std::vector<unsigned> weights;  // by edge; empty: the graph has none
  word nodes() const { return offsets.size() - 1; }
};
struct edge {
  unsigned from, to, weight = 0;
  bool operator<(const edge& other) const {
    return std::tie(from, to, weight) < std::tie(other.from, other.to, other.weight);
  }
};
using edge_list = std::vector<edge>;

/// Both directions of each edge of the list.
inline csr from_edges(word nodes, edge_list list, bool weighted) {
  const size_t one_way = list.size();
  for (size_t i = 0; i < one_way; ++i) list.push_back({list[i].to, list[i].from, list[i].weight});
  std::sort(list.begin(), list.end());
  const auto same = [](const edge& a, const edge& b) { return a.from == b.from && a.to == b.to; };
  list.erase(std::unique(list.begin(), list.end(), same), list.end());
  csr g;
  g.offsets.assign(nodes + 1, 0);
  for (const edge& each : list) {
    if (each.from == each.to) continue;
    ++g.offsets[each.from + 1];
    g.edges.push_back(each.to);
    if (weighted) g.weights.push_back(each.weight);
  }
  for (word v = 0; v < nodes; ++v) g.offsets[v + 1] += g.offsets[v];
  return g;
}

/// 2^scale nodes and `degree` edges for each, whose ends are all alike.
inline csr uniform(unsigned scale, unsigned degree, word seed) {
  const word nodes = word{1} << scale;
  edge_list list;
  for (word i = 0; i < nodes * degree; ++i)
    list.push_back({static_cast<unsigned>(setup::mix(seed + 2 * i) % nodes),
                    static_cast<unsigned>(setup::mix(seed + 2 * i + 1) % nodes)});
  return from_edges(nodes, std::move(list), false);
}
/// The same, by the Kronecker product whose quarters have 57, 19, 19 and 5 of a hundred edges; nodes are renumbered.
inline csr kronecker(unsigned scale, unsigned degree, word seed) {
  const word nodes = word{1} << scale;
  std::vector<unsigned> number(nodes);
  for (word v = 0; v < nodes; ++v) number[v] = static_cast<unsigned>(v);
  for (word v = nodes - 1; v > 0; --v) std::swap(number[v], number[setup::mix(seed * 31 + v) % (v + 1)]);
  edge_list list;
  for (word i = 0; i < nodes * degree; ++i) {
    word from = 0, to = 0;
    for (unsigned bit = 0; bit < scale; ++bit) {
      const word part = setup::mix(seed + i * 64 + bit) % 100;
      from = from << 1 | (part >= 76);
      to = to << 1 | ((part >= 57 && part < 76) || part >= 95);
    }
    list.push_back({number[from], number[to]});
  }
  return from_edges(nodes, std::move(list), false);
}

inline csr read_serialized(const std::string& name, bool weighted) {
  std::ifstream file(name, std::ios::binary);
  unsigned char directed = 0;
  long long edges = 0, nodes = 0;
  file.read(reinterpret_cast<char*>(&directed), 1);
  file.read(reinterpret_cast<char*>(&edges), 8);
  file.read(reinterpret_cast<char*>(&nodes), 8);
  if (!file || directed > 1 || edges < 0 || nodes <= 0 || nodes > (1ll << 32) || edges > (1ll << 40))
    throw std::runtime_error(name + ": it is no serialized graph of GAP's (.sg, .wsg)");
  csr g;
  g.offsets.resize(static_cast<size_t>(nodes) + 1);
  file.read(reinterpret_cast<char*>(g.offsets.data()), (nodes + 1) * 8);
  if (!file || g.offsets[0] != 0 || g.offsets[nodes] != static_cast<word>(edges) ||
      !std::is_sorted(g.offsets.begin(), g.offsets.end()))
    throw std::runtime_error(name + ": its offsets do not lead from 0 to its " + std::to_string(edges) + " edges");
  const unsigned words = weighted ? 2 : 1;
  std::vector<unsigned> ends(static_cast<size_t>(edges) * words);
  file.read(reinterpret_cast<char*>(ends.data()), edges * 4 * words);
  if (!file) throw std::runtime_error(name + ": it ends before its " + std::to_string(edges) + " edges do");
  for (size_t i = 0; i < ends.size(); i += words) {
    if (ends[i] >= static_cast<word>(nodes))
      throw std::runtime_error(name + ": an edge leads to node " + std::to_string(ends[i]));
    g.edges.push_back(ends[i]);
    if (weighted) g.weights.push_back(ends[i + 1]);
  }
  return g;
}
inline csr read_edges(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error(name + ": it cannot be opened; expected kron, urand, or a file with a graph");
  edge_list list;
  word nodes = 0, line = 0, weighted = 0;
  for (std::string text; std::getline(file, text);) {
    ++line;
    if (text.empty() || text[0] == '#' || text[0] == '%') continue;
    std::istringstream words(text);
    word from = 0, to = 0, weight = 0;
    if (!(words >> from >> to) || std::max(from, to) >= 0xffffffff)
      throw std::runtime_error(name + ":" + std::to_string(line) + ": expected \"FROM TO\", two nodes");
    if (words >> weight && weight <= 0xffffffff)
      ++weighted;
    else if (!words.eof() || weight > 0xffffffff)
      throw std::runtime_error(name + ":" + std::to_string(line) + ": expected a weight of 32 bits behind both nodes");
    nodes = std::max({nodes, from + 1, to + 1});
    list.push_back({static_cast<unsigned>(from), static_cast<unsigned>(to), static_cast<unsigned>(weight)});
  }
  if (nodes == 0) throw std::runtime_error(name + ": it has no edges");
  if (weighted != 0 && weighted != list.size())
    throw std::runtime_error(name + ": " + std::to_string(weighted) + " of " + std::to_string(list.size()) +
                             " edges have weights; expected all or none");
  return from_edges(nodes, std::move(list), weighted != 0);
}

/// "kron", "urand" or a file's name.
inline csr make(const std::string& what, const setup::options& given) {
  const unsigned scale = static_cast<unsigned>(given["scale"]), degree = static_cast<unsigned>(given["degree"]);
  if (scale < 1 || scale > 30 || degree < 1) throw std::runtime_error("scale should be 1 to 30, and degree 1 at least");
  if (what == "kron") return kronecker(scale, degree, given["seed"]);
  if (what == "urand") return uniform(scale, degree, given["seed"]);
  const auto ends_with = [&](const std::string& end) {
    return what.size() > end.size() && what.substr(what.size() - end.size()) == end;
  };
  if (ends_with(".sg")) return read_serialized(what, false);
  return ends_with(".wsg") ? read_serialized(what, true) : read_edges(what);
}
inline std::vector<setup::options::option> options() {
  return setup::with_cache(
      {{"scale", 8, "2^scale nodes"},
       {"degree", 8, "edges made for each node"},
       {"seed", 1, "of the graph"},
       {"warps", 32, "of the kernels"},
       {"access", 2, "bam: 0: no cache; 1: each thread probes; 2: lanes together; 3: and hold lines"}},
      512, 32);
}

/// What a program was given: [kron|urand|FILE] [--system NAME] [NAME=VALUE …]
struct arguments {
  systems::kind system;
  setup::options given;
  csr g;
};
/// `usual`: the graph without a word. `known`: the options, of which options() are a part.
inline arguments take(int& argc, char** argv, const char* usual, std::vector<setup::options::option> known) {
  using systems::kind;
  const kind system = systems::take(argc, argv, {kind::bam, kind::memory, kind::zero_copy, kind::uvm});
  const bool named = argc > 1 && !strchr(argv[1], '=');
  const setup::options given(std::move(known), argc, argv, named ? 2 : 1);
  return {system, given, make(named ? argv[1] : usual, given)};
}
/// The node that the option `source` names, or the first behind it that has an edge.
inline word source_of(const csr& g, const setup::options& given) {
  word source = given["source"] % g.nodes();
  while (g.offsets[source] == g.offsets[source + 1] && source + 1 < g.nodes()) ++source;
  return source;
}

/// How a kernel reads what it was given: by its index, or through a cursor of each thread.
template <class Edges>
struct reader_of {
  const Edges& edges;
  __device__ explicit reader_of(const Edges& all) : edges(all) {}
  __device__ word operator[](word i) const { return edges[i]; }
};
template <class T>
struct held {
  bam::array_view<T> array;
};
template <class T>
struct reader_of<held<T>> : bam::cursor<T> {
  __device__ explicit reader_of(const held<T>& all) : bam::cursor<T>(all.array) {}
};

/// The graph as kernels see it: offsets in the GPU's memory, edges of 8 bytes on the drives, as BaM has them.
class on_drives {
 public:
  on_drives(const csr& g, const setup::options& given)
      : drives_(given),
        cache_(drives_.all(), setup::config(given, std::max<word>(g.edges.size(), 1) * 8)),
        edges_(cache_, 0, g.edges.size()) {
    edges_.upload(g.edges.data());
    cache_.drop(), cache_.reset_statistics();
    if (cudaMalloc(&offsets_, g.offsets.size() * 8) != cudaSuccess) throw std::runtime_error("no memory for offsets");
    cudaMemcpy(offsets_, g.offsets.data(), g.offsets.size() * 8, cudaMemcpyHostToDevice);
  }
  ~on_drives() { cudaFree(offsets_); }
  on_drives(const on_drives&) = delete;
  on_drives& operator=(const on_drives&) = delete;

  const word* offsets() const { return offsets_; }
  /// launch(edges), with what the option `access` says a kernel sees of them ("BaM", figure 8).
  template <class Launch>
  void with_edges(const setup::options& given, Launch launch) {
    switch (given["access"]) {
      case 0:
        if (!direct_)
          direct_ =
              std::make_unique<bam::direct<word>>(cache_, 0, edges_.size(), static_cast<unsigned>(given["warps"]) * 32);
        return launch(direct_->view());
      case 1:
        return launch(edges_.view_by<bam::by_thread>());
      case 2:
        return launch(edges_.view());
      case 3:
        return launch(held<word>{edges_.view()});
    }
    throw std::runtime_error("access should be 0 to 3");
  }
  bam::cache& cache() { return cache_; }

 private:
  setup::drives drives_;
  bam::cache cache_;
  bam::array<word> edges_;
  std::unique_ptr<bam::direct<word>> direct_;
  word* offsets_ = nullptr;
};

/// The same without BaM: edges in memory that kernels load from themselves.
class in_memory {
 public:
  in_memory(const csr& g, systems::kind system, const setup::options& given)
      : edges_(system == systems::kind::memory      ? where::device
               : system == systems::kind::zero_copy ? where::host
                                                    : where::managed,
               std::max<word>(g.edges.size(), 1)),
        offsets_(where::device, g.offsets.size()) {
    cudaMemcpy(offsets_.get(), g.offsets.data(), g.offsets.size() * 8, cudaMemcpyHostToDevice);
    if (system == systems::kind::memory)
      cudaMemcpy(edges_.get(), g.edges.data(), g.edges.size() * 8, cudaMemcpyHostToDevice);
    else if (system == systems::kind::zero_copy && storage_drives() > 0)
      load(g, given);
    else
      memcpy(edges_.get(), g.edges.data(), g.edges.size() * 8);
  }
  const word* offsets() const { return offsets_.get(); }
  const word* edges() const { return edges_.get(); }
  /// Milliseconds that the drives took; 0: they took no part.
  float loading() const { return loading_; }

 private:
  using where = setup::memory_of<word>::at;
  static constexpr word call = 128 << 10, threads = 16;

  void load(const csr& g, const setup::options& given) {
    const setup::drives drives(given);
    setup::host_io file(drives.all(), call, threads);
    const setup::memory_of<char> whole(setup::memory_of<char>::at::host, file.whole(g.edges.size() * 8));
    memcpy(whole.get(), g.edges.data(), g.edges.size() * 8);
    file.write(0, file.whole(g.edges.size() * 8), whole.get());
    file.must();
    memset(whole.get(), 0, file.whole(g.edges.size() * 8));
    loading_ = setup::timed("loading", [&] {
      file.after(0);
      file.read(0, file.whole(g.edges.size() * 8), whole.get());
      file.before(0);
    });
    file.must();
    memcpy(edges_.get(), whole.get(), g.edges.size() * 8);
  }

  setup::memory_of<word> edges_, offsets_;
  float loading_ = 0;
};

/// The graph where a system has it: on drives for BaM, else in memory.
class placed {
 public:
  placed(const csr& g, systems::kind system, const setup::options& given) : system_(system), given_(given) {
    if (system == systems::kind::bam)
      on_drives_ = std::make_unique<on_drives>(g, given);
    else
      in_memory_ = std::make_unique<in_memory>(g, system, given);
  }
  /// launch(offsets, edges)
  template <class Launch>
  void launch(Launch launch) {
    if (in_memory_) return launch(in_memory_->offsets(), in_memory_->edges());
    on_drives_->with_edges(given_, [&](const auto& edges) { launch(on_drives_->offsets(), edges); });
  }
  /// Behind the kernels: a line about them. Throws when an access has failed.
  void print(const char* name, float milliseconds) {
    if (in_memory_) {
      printf("%s, %s: %.3f ms; loading: %.3f ms\n", name, systems::name_of(system_), milliseconds,
             in_memory_->loading());
      return;
    }
    on_drives_->cache().must();
    setup::print(name, on_drives_->cache(), milliseconds, given_["access"] == 0 ? 512 : 0);
  }
  /// Why the cache's counts are wrong: `accesses` were made, all of them reads. Empty: they are right, or there is no
  /// cache.
  std::string wrong_counts(word accesses) const {
    if (in_memory_) return "";
    const word found = counted();
    if (found != accesses) return "accesses: expected " + std::to_string(accesses) + ", found " + std::to_string(found);
    return wrote();
  }
  std::string wrote() const {
    return on_drives_ && on_drives_->cache().statistics().writes ? "reads made lines dirty" : "";
  }

 private:
  word counted() const {
    const bam::cache_statistics s = on_drives_->cache().statistics();
    return given_["access"] == 0 ? s.reads : s.thread_hits + s.thread_misses + s.reused;
  }

  const systems::kind system_;
  const setup::options& given_;
  std::unique_ptr<on_drives> on_drives_;
  std::unique_ptr<in_memory> in_memory_;
};

}  // namespace graph
