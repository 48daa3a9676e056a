#include "ptx/flow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/accesses.hpp"
#include "ptx/graph.hpp"
#include "ptx/liveness.hpp"
#include "ptx/program.hpp"
#include "ptx/rows.hpp"

namespace ew::ptx {

namespace {

constexpr u32 most_rows = constant_row, most_predicates = always;

void find_reconvergence(const ast::Function& function, const Graph& graph, Flow& flow) {
  const auto post_dominator = graph.immediate_post_dominators();
  // Lanes that have ended are waited for nowhere, so lanes of a kernel that stay can meet where the rest of them does,
  // not only at the exit that all share. Lanes that return from a function go on behind the call, and are waited for.
  const auto of_who_stays = function.is_entry ? graph.post_dominators_of_who_stays() : std::vector<NodeId>{};
  const auto meeting = [&](const std::vector<NodeId>& dominators, NodeId from) {
    NodeId node = dominators[from];
    while (node != no_node && node != graph.exit && graph.nodes[node].begin == graph.nodes[node].end)
      node = dominators[node];
    return node == no_node ? graph.exit : node;
  };
  flow.reconverge.assign(function.body.size(), no_pc);
  std::vector<u32> leavers;  // branches at which some leave
  bool any_nearer = false;
  for (u32 i = 0; i < function.body.size(); ++i) {
    const std::string_view opcode = function.body[i].opcode;
    if (opcode != "bra" && opcode != "brx") continue;
    const NodeId block = graph.node_of[i];
    NodeId node = meeting(post_dominator, block);
    if (graph.leaves(node) && !of_who_stays.empty()) {
      const NodeId nearer = meeting(of_who_stays, block);
      if (graph.parts_with_leavers(block)) {
        leavers.push_back(i);
      } else if (!graph.leaves(nearer)) {
        node = nearer;
        any_nearer = true;
      }
    }
    if (node != graph.exit) flow.reconverge[i] = graph.nodes[node].begin;
  }
  // Those who stay meet whom they would have met without these branches.
  if (any_nearer)
    for (const u32 branch : leavers) flow.reconverge[branch] = no_pc;
}

void check_limit(const ast::Function& function, u32 needed, u32 limit, std::string_view what) {
  if (needed <= limit) return;
  throw Error(fmt::format("function {} (line {}) needs {} {}: at most {} are supported", function.name,
                          function.place.ptx_line, needed, what, limit));
}

void share_rows(const ast::Function& function, const LiveRanges& ranges, Flow& flow) {
  const auto registers = static_cast<u32>(function.registers.size());
  flow.row_of.assign(registers, no_row);
  flow.predicate_of.assign(registers, no_row);
  // A pair of rows holds lane i in its words 2i and 2i + 1, a single row in word i: were a row both at different times,
  // a lane would overwrite another's register where the two have parted. Wide registers therefore have rows of their
  // own.
  std::vector<RowRequest> words, wide, predicates;
  for (u32 reg = 0; reg < registers; ++reg) {
    const Type type = function.registers[reg].type;
    const auto intervals = ranges.of(reg);
    if (!intervals.empty()) {
      (type == Type::pred ? predicates : rows_of(type) > 1 ? wide : words).push_back({reg, rows_of(type), intervals});
    } else if (ranges.mentioned(reg)) {
      // Only code that never runs mentions it: any place will do, but it must be one.
      (type == Type::pred ? flow.predicate_of : flow.row_of)[reg] = 0;
      auto& needed = type == Type::pred ? flow.predicates : flow.rows;
      needed = std::max(needed, rows_of(type));
    }
  }
  const auto wide_rows = assign_rows(wide), word_rows = assign_rows(words), predicate_rows = assign_rows(predicates);
  flow.rows = std::max(flow.rows, wide_rows.rows + word_rows.rows);
  flow.predicates = std::max(flow.predicates, predicate_rows.rows);
  check_limit(function, flow.rows, most_rows, "rows of registers");
  check_limit(function, flow.predicates, most_predicates, "predicates");
  for (std::size_t i = 0; i < wide.size(); ++i) flow.row_of[wide[i].id] = static_cast<Row>(wide_rows.row[i]);
  for (std::size_t i = 0; i < words.size(); ++i)
    flow.row_of[words[i].id] = static_cast<Row>(wide_rows.rows + word_rows.row[i]);
  for (std::size_t i = 0; i < predicates.size(); ++i)
    flow.predicate_of[predicates[i].id] = static_cast<u16>(predicate_rows.row[i]);
}

}  // namespace

Flow analyse(const ast::Function& function) {
  Flow flow;
  const Graph graph(function);
  flow.reachable.resize(function.body.size());
  for (u32 i = 0; i < function.body.size(); ++i) flow.reachable[i] = graph.reachable[graph.node_of[i]];
  find_reconvergence(function, graph, flow);
  const LiveRanges ranges(function, graph);
  flow.need = register_need(function, graph);
  share_rows(function, ranges, flow);
  return flow;
}

}  // namespace ew::ptx
