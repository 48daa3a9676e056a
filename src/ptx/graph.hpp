// The control-flow graph of one function and its post-dominators.
// Nodes are basic blocks in the order of the text, then one node without instructions for each .branchtargets table (so
// that many brx over one long table stay linear), then the exit.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ptx/ast.hpp"

namespace ew::ptx {

using NodeId = u32;
inline constexpr NodeId no_node = 0xffffffff;

/// Edges of all nodes in two flat arrays.
class EdgeLists {
 public:
  EdgeLists() = default;
  /// Groups (from, to) by `from`, in order.
  EdgeLists(std::size_t nodes, std::span<const std::pair<NodeId, NodeId>> edges, bool reversed);
  std::span<const NodeId> of(NodeId node) const {
    return {targets_.data() + starts_[node], starts_[node + 1] - starts_[node]};
  }

 private:
  std::vector<u32> starts_;
  std::vector<NodeId> targets_;
};

struct Graph {
  struct Node {
    u32 begin = 0, end = 0;  // instructions
    bool dead_end = false;   // control that enters never leaves the function again: trap, a call that does not return
    bool leaves = false;     // nothing but a ret or an exit
  };
  std::vector<Node> nodes;
  std::vector<NodeId> node_of;  // per instruction
  EdgeLists successors, predecessors;
  std::vector<bool> reachable;  // per node, from the function's first instruction
  NodeId exit = 0;              // the last node

  explicit Graph(const ast::Function&);

  /// Per node the nearest other node that every path to the exit passes; no_node for the exit and for nodes from which
  /// nothing leaves. Paths that end in a dead end do not count. From an endless loop, the loop's last block is taken to
  /// lead to the exit.
  std::vector<NodeId> immediate_post_dominators() const;
  /// The same for those who do not return early: without the edges on which some leave the function at once while
  /// others stay. Empty when there is no such edge.
  std::vector<NodeId> post_dominators_of_who_stays() const;
  /// The exit, or a block that does nothing but leave.
  bool leaves(NodeId node) const { return node == exit || nodes[node].leaves; }
  /// Do some leave the function here at once, while others stay?
  bool parts_with_leavers(NodeId) const;

 private:
  void find_blocks(const ast::Function&);
  void find_edges(const ast::Function&);
  void find_reachable();
  void find_dead_ends();
};

}  // namespace ew::ptx
