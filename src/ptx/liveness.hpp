// Where each register of a function holds a value that may still be read.
//
// Instruction i reads at position 2i and writes at 2i+1, so a value that dies at an instruction and the one written
// there do not meet; where they must (Accesses::apart) the written one begins at 2i.
#pragma once

#include <span>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/graph.hpp"

namespace ew::ptx {

struct Interval {
  u32 begin = 0, end = 0;  // positions, end exclusive
};

inline constexpr u32 no_register = 0xffffffff;

class LiveRanges {
 public:
  /// `value_of`: per register, of which register it has the value; no_register: that does not matter. Empty: each its
  /// own.
  LiveRanges(const ast::Function&, const Graph&, std::span<const u32> value_of = {});

  /// Ascending, disjoint; empty for a register that no reachable instruction mentions.
  std::span<const Interval> of(u32 reg) const {
    return {intervals_.data() + starts_[reg], starts_[reg + 1] - starts_[reg]};
  }
  /// Mentioned at all, if only where control never comes.
  bool mentioned(u32 reg) const { return mentioned_[reg]; }

 private:
  struct Mention {
    u32 instruction = 0;
    bool reads = false, writes = false;
    bool kills = false;  // writes every lane that comes here
    bool apart = false;
  };
  struct State;  // of the walk through the graph, used again for each register

  void gather(const ast::Function&, const Graph&, std::span<const u32> value_of);
  void find_ranges(u32 reg, const Graph&, State&);
  void walk_up(u32 reg, const Graph&, State&);
  void add_block(const Graph::Node&, std::span<const Mention>, bool live_out);
  void make_whole(u32 positions);
  void merge(std::size_t first);
  std::span<const Mention> mentions_of(u32 reg) const {
    return {mentions_.data() + mention_starts_[reg], mention_starts_[reg + 1] - mention_starts_[reg]};
  }

  std::vector<Mention> mentions_;
  std::vector<u32> mention_starts_;
  std::vector<Interval> intervals_;
  std::vector<u32> starts_;
  std::vector<bool> mentioned_;
};

}  // namespace ew::ptx
