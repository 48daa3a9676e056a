// Persists of one SM that have left and are not acknowledged, and the warps that wait for them: the paper's ACTR and
// FSM. Owned by the sbrp model.
//
// A wait is for the persists that are in flight as it begins. It sets a mark, and the mark ends when those persists are
// acknowledged. Marks are numbered from 1 in the order in which they are set, and end in that order. FSM: the warps
// whose persists must not leave before their mark has ended.
#pragma once

#include <array>

#include "core/ring.hpp"
#include "memory/persistency.hpp"
#include "persistency/sbrp_warps.hpp"

namespace ew::persistency {

class SbrpInFlight {
 public:
  using Mark = u64;  // 0: over for ever

  /// together: every wait ends when nothing is in flight any more (SbrpArtifact::head_only).
  SbrpInFlight(memory::PersistMachinery& machinery, bool together) : machinery_(machinery), together_(together) {}

  u32 persists() const { return machinery_.in_flight(); }
  /// A persist of these warps leaves now.
  void sent(u64 warps) {
    each(warps, [&](u32 warp) { sent_before_[warp] = marks_set_ + 1; });
  }
  /// Of these warps, those with a persist that may be in flight.
  u64 of(u64 warps) const;

  u64 fsm() const { return fsm_; }
  /// The warps go to the FSM until what is in flight now is durable; or until a mark that was set before.
  void hold(u64 warps);
  void hold(u64 warps, Mark until);
  /// The mark at which the last of these warps leaves the FSM; 0: none is in it.
  Mark held_until(u64 warps) const;

  /// A mark is set, and ended() will name these warps. True: nothing is in flight, and no mark was set.
  bool wait(u64 warps) { return set_mark(0, warps); }
  /// The oldest mark ends: the warps that wait() named.
  u64 end_oldest();
  /// With `together`: nothing is in flight, and the marks end.
  bool all_end() const { return together_ && persists() == 0 && !marks_.empty(); }

 private:
  struct Waiting {
    u64 fsm = 0, others = 0;  // warps
  };
  bool set_mark(u64 fsm, u64 others);

  memory::PersistMachinery& machinery_;
  const bool together_;
  core::Ring<Waiting> marks_;
  Mark marks_set_ = 0, marks_over_ = 0;
  u64 fsm_ = 0;
  std::array<Mark, 64> fsm_until_{};    // by warp: the mark that takes it out
  std::array<Mark, 64> sent_before_{};  // by warp: the first mark behind its youngest persist
};

}  // namespace ew::persistency
