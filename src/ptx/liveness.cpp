#include "ptx/liveness.hpp"

#include <algorithm>
#include <unordered_set>

#include "ptx/accesses.hpp"

namespace ew::ptx {

namespace {

// Blocks looked at for all registers together. A function that needs more is not written by a compiler: its remaining
// registers are taken to be live everywhere, which is right, only wasteful.
constexpr u64 most_steps = 1u << 25;

/// Registers that carry a function's parameters or results live from its first to its last instruction.
std::vector<bool> interface_registers(const ast::Function& function) {
  std::unordered_set<std::string_view> names;
  for (const auto* list : {&function.returns, &function.parameters}) {
    for (const auto& variable : *list) {
      if (variable.space == Space::reg) names.insert(variable.name);
    }
  }
  std::vector<bool> result(function.registers.size(), false);
  if (names.empty()) return result;
  // The parser declares them before any other register; a scope's register of the same name comes later.
  for (u32 reg = 0; reg < function.registers.size(); ++reg)
    result[reg] = names.erase(function.registers[reg].name) != 0;
  return result;
}

}  // namespace

struct LiveRanges::State {
  std::vector<u32> live_in, live_out, killed;  // per node: register + 1 for which the mark holds
  std::vector<NodeId> waiting, touched;
  u64 steps = 0;  // against most_steps
};

LiveRanges::LiveRanges(const ast::Function& function, const Graph& graph, std::span<const u32> value_of) {
  const auto registers = static_cast<u32>(function.registers.size());
  mentioned_.assign(registers, false);
  gather(function, graph, value_of);
  State state;
  for (auto* marks : {&state.live_in, &state.live_out, &state.killed}) marks->assign(graph.nodes.size(), 0);
  const auto interface = interface_registers(function);
  starts_.reserve(registers + 1);
  starts_.push_back(0);
  for (u32 reg = 0; reg < registers; ++reg) {
    if (interface[reg] || (!mentions_of(reg).empty() && state.steps > most_steps)) {
      make_whole(static_cast<u32>(2 * function.body.size() + 2));
    } else if (!mentions_of(reg).empty()) {
      find_ranges(reg, graph, state);
    }
    starts_.push_back(static_cast<u32>(intervals_.size()));
  }
}

void LiveRanges::make_whole(u32 positions) {
  intervals_.push_back({0, positions});
}

/// Groups what each reachable instruction does by register, in the order of the text.
void LiveRanges::gather(const ast::Function& function, const Graph& graph, std::span<const u32> value_of) {
  struct Entry {
    u32 reg;
    Mention mention;
  };
  std::vector<Entry> entries;
  entries.reserve(function.body.size() * 3);
  mention_starts_.assign(function.registers.size() + 1, 0);
  Accesses accesses;
  for (u32 i = 0; i < function.body.size(); ++i) {
    find_accesses(function, function.body[i], accesses);
    const bool reachable = graph.reachable[graph.node_of[i]];
    for (const auto& access : accesses.list) {
      const u32 reg = value_of.empty() ? access.reg : value_of[access.reg];
      if (reg == no_register) continue;
      mentioned_[reg] = true;
      if (!reachable) continue;
      ++mention_starts_[reg + 1];
      entries.push_back(
          {reg, {i, access.reads, access.writes, access.writes && !accesses.guarded, accesses.apart && access.writes}});
    }
  }
  for (std::size_t i = 1; i < mention_starts_.size(); ++i) mention_starts_[i] += mention_starts_[i - 1];
  std::vector<u32> cursor(mention_starts_.begin(), mention_starts_.end() - 1);
  mentions_.resize(entries.size());
  for (const auto& entry : entries) mentions_[cursor[entry.reg]++] = entry.mention;
}

namespace {

/// Reads within an instruction come before its writes, in whatever order its operands stand.
template <class Mentions>
bool reads_before_kill(const Mentions& mentions) {
  for (std::size_t i = 0; i < mentions.size();) {
    bool kills = false;
    for (const u32 at = mentions[i].instruction; i < mentions.size() && mentions[i].instruction == at; ++i) {
      if (mentions[i].reads) return true;
      kills |= mentions[i].kills;
    }
    if (kills) return false;
  }
  return false;
}

}  // namespace

void LiveRanges::find_ranges(u32 reg, const Graph& graph, State& state) {
  const auto mentions = mentions_of(reg);
  const u32 mark = reg + 1;
  state.touched.clear();
  state.waiting.clear();
  for (std::size_t i = 0; i < mentions.size();) {
    const NodeId node = graph.node_of[mentions[i].instruction];
    std::size_t past = i;
    bool kills = false;
    for (; past < mentions.size() && mentions[past].instruction < graph.nodes[node].end; ++past)
      kills |= mentions[past].kills;
    if (kills) state.killed[node] = mark;
    if (reads_before_kill(mentions.subspan(i, past - i))) {
      state.live_in[node] = mark;
      state.waiting.push_back(node);
    }
    state.touched.push_back(node);
    i = past;
  }
  const std::size_t mentioned = state.touched.size();
  walk_up(reg, graph, state);
  // Blocks that the value only passes through stand behind those that mention it: back to the order of the text.
  if (state.touched.size() > mentioned) std::sort(state.touched.begin(), state.touched.end());
  const std::size_t first = intervals_.size();
  std::size_t i = 0;
  for (const NodeId node : state.touched) {
    std::size_t past = i;
    while (past < mentions.size() && mentions[past].instruction < graph.nodes[node].end) ++past;
    add_block(graph.nodes[node], mentions.subspan(i, past - i), state.live_out[node] == mark);
    i = past;
  }
  merge(first);
}

/// From the blocks where the register is live at the beginning to those where it must be live at the end.
void LiveRanges::walk_up(u32 reg, const Graph& graph, State& state) {
  const u32 mark = reg + 1;
  const std::size_t known = state.touched.size();
  const auto is_mentioned = [&, known](NodeId node) {
    return std::binary_search(state.touched.begin(), state.touched.begin() + static_cast<std::ptrdiff_t>(known), node);
  };
  while (!state.waiting.empty()) {
    const NodeId node = state.waiting.back();
    state.waiting.pop_back();
    for (const NodeId from : graph.predecessors.of(node)) {
      ++state.steps;
      if (!graph.reachable[from] || state.live_out[from] == mark) continue;
      state.live_out[from] = mark;
      if (state.killed[from] == mark || state.live_in[from] == mark) continue;
      state.live_in[from] = mark;
      state.waiting.push_back(from);
      if (graph.nodes[from].begin < graph.nodes[from].end && !is_mentioned(from)) state.touched.push_back(from);
    }
  }
}

/// The intervals within one block, built from its end upwards.
void LiveRanges::add_block(const Graph::Node& node, std::span<const Mention> mentions, bool live_out) {
  const std::size_t first = intervals_.size();
  bool live = live_out;
  u32 end = 2 * node.end;
  for (std::size_t i = mentions.size(); i > 0;) {
    const u32 at = mentions[i - 1].instruction;
    bool reads = false, writes = false, kills = false, apart = false;
    for (; i > 0 && mentions[i - 1].instruction == at; --i) {
      reads |= mentions[i - 1].reads;
      writes |= mentions[i - 1].writes;
      kills |= mentions[i - 1].kills;
      apart |= mentions[i - 1].apart;
    }
    if (writes && (kills || !live)) {
      // A value that nobody reads still needs a place to be written to.
      intervals_.push_back({apart ? 2 * at : 2 * at + 1, live ? end : 2 * at + 2});
      live = false;
    }
    if (reads && !live) end = 2 * at + 1, live = true;
  }
  if (live) intervals_.push_back({2 * node.begin, end});
  std::reverse(intervals_.begin() + static_cast<std::ptrdiff_t>(first), intervals_.end());
}

/// Joins intervals of one register that touch.
void LiveRanges::merge(std::size_t first) {
  std::size_t kept = first;
  for (std::size_t i = first; i < intervals_.size(); ++i) {
    if (kept > first && intervals_[i].begin <= intervals_[kept - 1].end) {
      intervals_[kept - 1].end = std::max(intervals_[kept - 1].end, intervals_[i].end);
    } else {
      intervals_[kept++] = intervals_[i];
    }
  }
  intervals_.resize(kept);
}

}  // namespace ew::ptx
