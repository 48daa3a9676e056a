// Graphs for bfs.cu: generated graphs like road networks, and files in the format of the 9th DIMACS challenge, which
// has the road network of the USA. Such a file has a line "p sp NODES EDGES", and a line "a FROM TO LENGTH" for each
// edge. Nodes are numbered from 1.
#pragma once
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "gpmbench.h"

namespace bench {

class Graph {
 public:
  /// Rows of neighbours: the targets of node n are target[begin[n]] … target[begin[n + 1] - 1].
  struct OnDevice {
    const uint32_t *begin, *target;
  };

  /// Crossings in a grid. Every street along a row is there. About one in three streets between two rows is there, and
  /// always the first and the last. So the graph is planar and connected. It has 2.4 edges for each node, counted in
  /// both directions, like real roads. Its diameter is about width + height.
  static Graph roads(uint32_t width, uint32_t height) {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) {
        const uint32_t node = y * width + x;
        if (x + 1 < width) edges.emplace_back(node, node + 1);
        const bool street = x == 0 || x + 1 == width || mix(uint64_t(y) << 32 | x) % 5 == 0;
        if (y + 1 < height && street) edges.emplace_back(node, node + width);
      }
    const size_t one_way = edges.size();
    for (size_t i = 0; i < one_way; ++i) edges.emplace_back(edges[i].second, edges[i].first);
    return Graph(width * height, edges);
  }

  static Graph from_dimacs(const std::string& path) {
    std::ifstream file(path);
    const auto refuse = [&](size_t line, const char* what) {
      fprintf(stderr, "%s:%zu: %s\n", path.c_str(), line, what);
      exit(2);
    };
    if (!file) refuse(0, "cannot be read");
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    uint64_t nodes = 0;
    std::string text;
    for (size_t line = 1; std::getline(file, text); ++line) {
      std::istringstream words(text);
      std::string kind, problem;
      uint64_t a = 0, b = 0;
      words >> kind;
      if (kind == "p") {
        if (!(words >> problem >> nodes >> a) || nodes == 0 || nodes >= 1u << 31)
          refuse(line, "\"p sp NODES EDGES\" is expected");
        edges.reserve(a < (1u << 30) ? a : 0);
      } else if (kind == "a") {
        if (!(words >> a >> b) || a < 1 || b < 1 || a > nodes || b > nodes)
          refuse(line, "\"a FROM TO LENGTH\" is expected, with nodes that the line \"p sp NODES EDGES\" counts");
        edges.emplace_back(static_cast<uint32_t>(a - 1), static_cast<uint32_t>(b - 1));
      } else if (kind != "c" && !kind.empty()) {
        refuse(line, "a line of another kind than c, p or a");
      }
    }
    if (nodes == 0) refuse(0, "has no line \"p sp NODES EDGES\"");
    return Graph(static_cast<uint32_t>(nodes), edges);
  }

  uint32_t nodes() const { return static_cast<uint32_t>(begin_.size() - 1); }
  uint32_t edges() const { return static_cast<uint32_t>(target_.size()); }
  /// The copy of the graph in device memory.
  OnDevice on_device() const {
    if (device_begin_ == nullptr) {
      device_begin_ = std::make_unique<DeviceArray<uint32_t>>(begin_);
      device_target_ = std::make_unique<DeviceArray<uint32_t>>(target_);
    }
    return {*device_begin_, *device_target_};
  }

  OnDevice on_host() const { return {begin_.data(), target_.data()}; }

  /// For each node, the number of steps from the nearest of the nodes 0, stride, …; 2^32 - 1 if there is no way.
  std::vector<uint32_t> distances(uint32_t sources, uint32_t stride) const {
    std::vector<uint32_t> steps(nodes(), ~0u), queue;
    for (uint32_t i = 0; i < sources; ++i) {
      queue.push_back(i * stride);
      steps[i * stride] = 0;
    }
    for (size_t i = 0; i < queue.size(); ++i)
      for (uint32_t edge = begin_[queue[i]]; edge < begin_[queue[i] + 1]; ++edge)
        if (steps[target_[edge]] == ~0u) {
          steps[target_[edge]] = steps[queue[i]] + 1;
          queue.push_back(target_[edge]);
        }
    return steps;
  }

 private:
  Graph(uint32_t nodes, const std::vector<std::pair<uint32_t, uint32_t>>& edges) : begin_(nodes + 1, 0) {
    for (const auto& edge : edges) ++begin_[edge.first + 1];
    for (uint32_t node = 0; node < nodes; ++node) begin_[node + 1] += begin_[node];
    target_.resize(edges.size());
    std::vector<uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& edge : edges) target_[next[edge.first]++] = edge.second;
  }

  std::vector<uint32_t> begin_, target_;
  mutable std::unique_ptr<DeviceArray<uint32_t>> device_begin_, device_target_;
};

}  // namespace bench
