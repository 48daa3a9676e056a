// The scoreboard of one warp: when each of its registers and predicates can be read, and when its next instruction may
// issue at the earliest. Owned by the warp's slot.
#pragma once

#include <algorithm>
#include <vector>

#include "simt/kernel_timing.hpp"
#include "simt/sm/readiness.hpp"

namespace ew::simt {

/// An instruction of a kernel in an activation of its function: which rows it reads and writes.
struct IssuedInstruction {
  const KernelTiming* timing = nullptr;
  const PcTiming* pc = nullptr;
  u32 row_base = 0, predicate_base = 0;

  const ptx::Instr& instr() const { return timing->code[pc->index]; }
};

class Scoreboard {
 public:
  /// Another warp, whose first instruction may issue then.
  void begin(Readiness first) {
    next_issue_ = first;
    rows_ = words_ = 0;
    answers_ = 0;
    ready_.clear();
  }
  /// REQUIRES: before latest(), as the warp's rows may have grown.
  void fit(const Warp& warp) {
    if (words_ != warp.rows.size() + warp.predicates.size()) [[unlikely]]
      grow(warp);
  }
  /// When everything is there that the instruction reads, and nothing is under way that it overwrites.
  Readiness latest(const IssuedInstruction& instruction) const {
    const auto& [timing, pc, row_base, predicate_base] = instruction;
    Readiness latest = next_issue_;
    const Readiness* const rows = ready_.data() + row_base;
    if (pc->all_rows) {
      for (const u16 row : pc->first_rows) latest = std::max(latest, rows[row]);
      if (pc->all_rows > pc->first_rows.size()) [[unlikely]] {
        const u16* const row = timing->rows.data() + pc->rows;
        for (u32 i = pc->first_rows.size(), end = pc->all_rows; i < end; ++i) latest = std::max(latest, rows[row[i]]);
      }
    }
    if (!pc->all_predicates) return latest;
    const Readiness* const predicates = ready_.data() + rows_ + predicate_base;
    const u16* const predicate = timing->predicates.data() + pc->predicates;
    for (u32 i = 0, end = pc->all_predicates; i < end; ++i) latest = std::max(latest, predicates[predicate[i]]);
    return latest;
  }
  /// What the instruction writes can be read then.
  void write(const IssuedInstruction& instruction, Readiness when) {
    each_written(instruction, [when](Readiness& of) { of = when; });
  }
  /// What the instruction writes can be read when the access is over.
  void write_with(const IssuedInstruction& instruction, u32 access) {
    ++answers_;
    write(instruction, ready_with(access));
  }
  /// It is over.
  void answer(const IssuedInstruction& instruction, u32 access, Readiness when) {
    --answers_;
    const auto told = [access, when](Readiness& of) {
      if (of == ready_with(access)) of = when;
    };
    told(next_issue_);
    each_written(instruction, told);
  }

  /// Registers wait for accesses that are not over.
  bool waits_for_answers() const { return answers_ != 0; }

  void set_next_issue(Readiness when) { next_issue_ = when; }
  void delay_next_issue(Readiness when) { next_issue_ = std::max(next_issue_, when); }

 private:
  template <class Do>
  void each_written(const IssuedInstruction& instruction, Do&& act) {
    const auto& [timing, pc, row_base, predicate_base] = instruction;
    Readiness* const rows = ready_.data() + row_base;
    if (pc->written_rows == 1) [[likely]] {
      act(rows[pc->first_rows[0]]);
    } else {
      const u16* const row = timing->rows.data() + pc->rows;
      for (u32 i = 0, end = pc->written_rows; i < end; ++i) act(rows[row[i]]);
    }
    if (!pc->written_predicates) return;
    Readiness* const predicates = ready_.data() + rows_ + predicate_base;
    const u16* const predicate = timing->predicates.data() + pc->predicates;
    for (u32 i = 0, end = pc->written_predicates; i < end; ++i) act(predicates[predicate[i]]);
  }
  void grow(const Warp& warp) {
    words_ = warp.rows.size() + warp.predicates.size();
    const u32 rows = warp.rows.size() / warp_lanes;
    ready_.reserve(rows + warp.predicates.size());
    ready_.insert(ready_.begin() + rows_, rows - rows_, 0);
    ready_.resize(rows + warp.predicates.size());
    rows_ = rows;
  }

  Readiness next_issue_ = 0;
  std::vector<Readiness> ready_;  // rows, then predicates
  u32 rows_ = 0, words_ = 0;      // of the warp that there is room for
  u32 answers_ = 0;               // that registers wait for
};

}  // namespace ew::simt
