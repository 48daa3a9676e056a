// What the SMs of a timing machine did with their issue slots. One slot is one scheduler in one cycle; each is charged
// to exactly one cause, so the causes add up to schedulers x SMs x cycles. The categories are those of GSI (Alsop et
// al., ISPASS 2016; the thesis, section 1.2), weakest cause first, and two of persistency: an instruction issued;
// else memory structural, held by the persistency model, memory data, at an order operation for persists,
// synchronisation, compute structural, compute data, control, idle, by the first that holds for any warp of the
// scheduler.
#pragma once

#include <array>

#include "core/types.hpp"
#include "simt/latency_histogram.hpp"

namespace ew::simt {

/// Warp instructions by the unit that took them.
struct InstructionCounts {
#define STATISTICS "simt/statistics/instructions.inc"
#include "core/statistics_set.inc"
};

struct MemoryCounts {
#define STATISTICS "simt/statistics/memory.inc"
#include "core/statistics_set.inc"
};

/// Issue slots by cause.
struct SlotCounts {
#define STATISTICS "simt/statistics/slots.inc"
#include "core/statistics_set.inc"
};

/// The same of helper warps alone: those that a program has marked (everwarp/helper_warp.cuh), and assist warps.
struct HelperSlotCounts : SlotCounts {
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
#define COUNT(member, name, unit, sentence) \
  visit("helper." name, self.member, unit, "Of helper warps, part of " name ": " sentence);
#include "simt/statistics/slots.inc"
#undef COUNT
  }
};

/// What assist warps did.
struct AssistCounts {
#define STATISTICS "simt/statistics/assist.inc"
#include "core/statistics_set.inc"
};

struct TimingStatistics {
#define STATISTICS "simt/statistics/timing.inc"
#include "core/statistics_set.inc"

  /// Where the slots of a warp count while they are counted apart: `slots` are then those of all other warps.
  SlotCounts& slots_of(bool helper) {
    return helper ? helper_slots : slots;
  }
  /// From here on `slots` are those of all warps, as they are reported.
  void join_slots() {
    slots.add(helper_slots);
  }
  /// Every issue slot once. REQUIRES: joined.
  u64 all_slots() const;
};

}  // namespace ew::simt
