// Graphs in compressed rows for the graph programs of this suite, made from a fixed seed.
#pragma once
#include <set>

#include "check.h"

struct Graph {
  int nodes = 0;
  std::vector<int> starts,
      targets;  // the edges of node v are targets[starts[v]] .. targets[starts[v + 1] - 1], ascending
  int edges() const { return static_cast<int>(targets.size()); }
};

// Directed, no loops, no double edges. A few nodes have many edges, as in real networks; some have none.
inline Graph random_graph(int nodes, int average_degree, uint64_t seed, bool symmetric) {
  Random random(seed);
  std::vector<std::set<int>> rows(nodes);
  for (int i = 0; i < nodes * average_degree / (symmetric ? 2 : 1); ++i) {
    int from = static_cast<int>(random.below(nodes));
    if (random.below(4) == 0) from = static_cast<int>(random.below(1 + nodes / 16));
    const int to = static_cast<int>(random.below(nodes));
    if (from == to || from % 37 == 36 || to % 37 == 36) continue;  // every 37th node stays alone
    rows[from].insert(to);
    if (symmetric) rows[to].insert(from);
  }
  Graph graph;
  graph.nodes = nodes;
  graph.starts.push_back(0);
  for (const auto& row : rows) {
    graph.targets.insert(graph.targets.end(), row.begin(), row.end());
    graph.starts.push_back(graph.edges());
  }
  return graph;
}
