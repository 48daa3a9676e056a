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

/// What assist warps did.
struct AssistCounts {
#define STATISTICS "simt/statistics/assist.inc"
#include "core/statistics_set.inc"
};

struct TimingStatistics {
#define STATISTICS "simt/statistics/timing.inc"
#include "core/statistics_set.inc"

  /// Every issue slot once.
  u64 all_slots() const;
};

}  // namespace ew::simt
