#include "ptx/graph.hpp"

#include <algorithm>
#include <map>

namespace ew::ptx {

namespace {

/// How an instruction ends a block.
enum class Ending : u8 { none, branch, table, leave, stop };

Ending ending_of(const ast::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "bra") return Ending::branch;
  if (opcode == "brx") return Ending::table;
  if (opcode == "ret" || opcode == "exit") return Ending::leave;
  if (opcode == "trap" || (opcode == "call" && instruction.noreturn)) return Ending::stop;
  return Ending::none;
}

/// Dominators of a graph by Lengauer and Tarjan (simple linking: O(edges log nodes) whatever the shape). Nodes are
/// renamed by preorder.
class Dominators {
 public:
  /// `next`: the graph walked from `root`; `back`: its reverse; `roots`: nodes that `root` leads to besides its own
  /// edges.
  Dominators(std::size_t nodes, NodeId root, const EdgeLists& next, const EdgeLists& back)
      : next_(next), back_(back), number_(nodes, 0), extra_(nodes, false) {
    visit(root, 0);
    root_ = root;
  }
  bool visited(NodeId node) const { return number_[node] != 0; }
  /// Lets the root lead to `node`, and walks on from there.
  void add_child_of_root(NodeId node) {
    extra_[node] = true;
    if (!visited(node)) visit(node, number_[root_]);
  }
  std::vector<NodeId> solve();

 private:
  void visit(NodeId start, u32 parent);
  u32 evaluate(u32 vertex);

  const EdgeLists &next_, &back_;
  NodeId root_ = 0;
  std::vector<u32> number_;  // node -> preorder number, from 1
  std::vector<bool> extra_;
  std::vector<NodeId> node_{no_node};  // and back
  std::vector<u32> parent_{0};
  std::vector<u32> semi_, ancestor_, label_, path_;
};

void Dominators::visit(NodeId start, u32 parent) {
  struct Step {
    NodeId node;
    u32 edge;
  };
  std::vector<Step> stack;
  const auto enter = [&](NodeId node, u32 from) {
    number_[node] = static_cast<u32>(node_.size());
    node_.push_back(node);
    parent_.push_back(from);
    stack.push_back({node, 0});
  };
  enter(start, parent);
  while (!stack.empty()) {
    auto& [node, edge] = stack.back();
    const auto edges = next_.of(node);
    if (edge == edges.size()) {
      stack.pop_back();
      continue;
    }
    const NodeId to = edges[edge++];
    if (number_[to] == 0) enter(to, number_[node]);
  }
}

u32 Dominators::evaluate(u32 vertex) {
  if (ancestor_[vertex] == 0) return vertex;
  path_.clear();
  for (u32 v = vertex; ancestor_[ancestor_[v]] != 0; v = ancestor_[v]) path_.push_back(v);
  for (auto v = path_.rbegin(); v != path_.rend(); ++v) {
    const u32 above = ancestor_[*v];
    if (semi_[label_[above]] < semi_[label_[*v]]) label_[*v] = label_[above];
    ancestor_[*v] = ancestor_[above];
  }
  return label_[vertex];
}

std::vector<NodeId> Dominators::solve() {
  const u32 count = static_cast<u32>(node_.size());
  semi_.resize(count);
  label_.resize(count);
  ancestor_.assign(count, 0);
  for (u32 v = 0; v < count; ++v) semi_[v] = label_[v] = v;
  std::vector<u32> dominator(count, 0), bucket_head(count, 0), bucket_next(count, 0);
  for (u32 w = count - 1; w >= 2; --w) {
    if (extra_[node_[w]]) semi_[w] = 1;
    for (const NodeId from : back_.of(node_[w])) {
      if (number_[from] != 0) semi_[w] = std::min(semi_[w], semi_[evaluate(number_[from])]);
    }
    bucket_next[w] = bucket_head[semi_[w]];
    bucket_head[semi_[w]] = w;
    const u32 parent = parent_[w];
    ancestor_[w] = parent;
    for (u32 v = bucket_head[parent]; v != 0; v = bucket_next[v]) {
      const u32 u = evaluate(v);
      dominator[v] = semi_[u] < semi_[v] ? u : parent;
    }
    bucket_head[parent] = 0;
  }
  std::vector<NodeId> result(number_.size(), no_node);
  for (u32 w = 2; w < count; ++w) {
    if (dominator[w] != semi_[w]) dominator[w] = dominator[dominator[w]];
    result[node_[w]] = node_[dominator[w]];
  }
  return result;
}

}  // namespace

EdgeLists::EdgeLists(std::size_t nodes, std::span<const std::pair<NodeId, NodeId>> edges, bool reversed)
    : starts_(nodes + 1, 0) {
  for (const auto& [from, to] : edges) ++starts_[(reversed ? to : from) + 1];
  for (std::size_t i = 0; i < nodes; ++i) starts_[i + 1] += starts_[i];
  std::vector<u32> cursor(starts_.begin(), starts_.end() - 1);
  targets_.resize(edges.size());
  for (const auto& [from, to] : edges) targets_[cursor[reversed ? to : from]++] = reversed ? from : to;
}

Graph::Graph(const ast::Function& function) {
  find_blocks(function);
  find_edges(function);
  find_reachable();
  find_dead_ends();
}

void Graph::find_blocks(const ast::Function& function) {
  const auto size = static_cast<u32>(function.body.size());
  std::vector<bool> leads(size + 1, false);
  leads[0] = true;
  for (u32 i = 0; i < size; ++i) {
    const Ending ending = ending_of(function.body[i]);
    if (ending != Ending::none) leads[i + 1] = true;
    if (ending == Ending::branch) leads[function.body[i].operands[0].bits] = true;
  }
  for (const auto& [name, targets] : function.branch_targets) {
    for (const auto& target : targets) leads[function.labels.at(target)] = true;
  }
  node_of.resize(size);
  for (u32 i = 0; i < size; ++i) {
    if (leads[i]) nodes.push_back({i, i, false});
    node_of[i] = static_cast<NodeId>(nodes.size() - 1);
    nodes.back().end = i + 1;
  }
}

void Graph::find_edges(const ast::Function& function) {
  const std::size_t blocks = nodes.size();
  const auto size = static_cast<u32>(function.body.size());
  std::map<std::string, NodeId> tables;
  for (const auto& [name, targets] : function.branch_targets) {
    tables[name] = static_cast<NodeId>(nodes.size());
    nodes.push_back({size, size, false});
  }
  exit = static_cast<NodeId>(nodes.size());
  nodes.push_back({size, size, false});
  const auto at = [&](u64 instruction) { return instruction < size ? node_of[instruction] : exit; };
  std::vector<std::pair<NodeId, NodeId>> edges;
  for (NodeId id = 0; id < blocks; ++id) {
    const auto& last = function.body[nodes[id].end - 1];
    const Ending ending = ending_of(last);
    if (ending == Ending::branch) edges.emplace_back(id, at(last.operands[0].bits));
    if (ending == Ending::table) edges.emplace_back(id, tables.at(last.operands[1].symbol));
    if (ending == Ending::leave) edges.emplace_back(id, exit);
    if (ending == Ending::none || last.guard) edges.emplace_back(id, at(nodes[id].end));
    nodes[id].dead_end = ending == Ending::stop && !last.guard;
    nodes[id].leaves = ending == Ending::leave && !last.guard && nodes[id].end - nodes[id].begin == 1;
  }
  for (const auto& [name, targets] : function.branch_targets) {
    for (const auto& target : targets) edges.emplace_back(tables[name], at(function.labels.at(target)));
  }
  successors = EdgeLists(nodes.size(), edges, false);
  predecessors = EdgeLists(nodes.size(), edges, true);
}

void Graph::find_reachable() {
  reachable.assign(nodes.size(), false);
  std::vector<NodeId> waiting{nodes.size() > 1 ? 0 : exit};
  reachable[waiting[0]] = true;
  while (!waiting.empty()) {
    const NodeId node = waiting.back();
    waiting.pop_back();
    for (const NodeId to : successors.of(node)) {
      if (!reachable[to]) reachable[to] = true, waiting.push_back(to);
    }
  }
}

/// A node is a dead end, too, when all that it leads to are.
void Graph::find_dead_ends() {
  std::vector<u32> alive(nodes.size());
  std::vector<NodeId> waiting;
  for (NodeId id = 0; id < nodes.size(); ++id) {
    alive[id] = static_cast<u32>(successors.of(id).size());
    if (nodes[id].dead_end) waiting.push_back(id);
  }
  while (!waiting.empty()) {
    const NodeId node = waiting.back();
    waiting.pop_back();
    for (const NodeId from : predecessors.of(node)) {
      if (--alive[from] == 0 && !nodes[from].dead_end) nodes[from].dead_end = true, waiting.push_back(from);
    }
  }
}

namespace {

std::vector<NodeId> post_dominators(const Graph& graph, const EdgeLists& successors, const EdgeLists& predecessors) {
  Dominators dominators(graph.nodes.size(), graph.exit, predecessors, successors);
  for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    if (!dominators.visited(id) && !graph.nodes[id].dead_end) dominators.add_child_of_root(id);
  }
  return dominators.solve();
}

}  // namespace

std::vector<NodeId> Graph::immediate_post_dominators() const {
  return post_dominators(*this, successors, predecessors);
}

bool Graph::parts_with_leavers(NodeId from) const {
  bool leavers = false, others = false;
  for (const NodeId to : successors.of(from)) {
    leavers |= leaves(to);
    others |= !leaves(to) && !nodes[to].dead_end;
  }
  return leavers && others;
}

std::vector<NodeId> Graph::post_dominators_of_who_stays() const {
  std::vector<std::pair<NodeId, NodeId>> edges;
  bool fewer = false;
  for (NodeId from = 0; from < nodes.size(); ++from) {
    const bool parts = parts_with_leavers(from);
    fewer |= parts;
    for (const NodeId to : successors.of(from))
      if (!parts || !leaves(to)) edges.emplace_back(from, to);
  }
  if (!fewer) return {};
  return post_dominators(*this, EdgeLists(nodes.size(), edges, false), EdgeLists(nodes.size(), edges, true));
}

}  // namespace ew::ptx
