// What a run of a timing machine has measured: one row a kernel, and totals. Outlives the machines of a process (a
// reset makes another). Owned by Machine; written by the machine's thread, read when it stands still.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/statistics.hpp"
#include "core/types.hpp"
#include "runtime/energy.hpp"
#include "runtime/hierarchy_statistics.hpp"
#include "simt/timing_statistics.hpp"

namespace ew::runtime {

/// Everything that is counted, up to now.
struct TimingFigures {
#define STATISTICS "runtime/figures.inc"
#include "core/statistics_set.inc"
};

/// Names, units and sentences of them. Never destroyed: results are written while static objects of the program end.
const std::vector<core::Statistic>& figure_names();

/// The values of core::statistics_of(TimingFigures), in order.
using FigureValues = std::vector<u64>;
FigureValues values_of(const TimingFigures&);
void add_values(FigureValues& sum, const FigureValues&);

struct KernelRow {
  std::string name;
  Dim3 grid, block;
  u64 nanoseconds_begin = 0, nanoseconds_end = 0;
  u64 warp_instructions = 0, thread_instructions = 0;
  u64 resident_warps = 0;    // of an SM, if it has all the blocks of the kernel that fit
  std::string_view limiter;  // what keeps more of them out
  bool faulted = false, unfinished = false;
  FigureValues values;  // its own
  simt::LatencyCounts latencies;
};

/// Simulated nanoseconds, by what the machine was doing.
struct BusyTimes {
  u64 kernels = 0, copies = 0, both = 0, neither = 0;
};

/// Figures of one SM or one slice of the L2, of all launches together.
struct UnitRow {
  std::string_view kind;  // "sms", "l2_slices"
  FigureValues values;
};

struct MachineConfig;

struct RunResults {
  static constexpr std::size_t most_rows = 4096;  // later kernels are in the totals alone

  std::vector<KernelRow> kernels;
  u64 kernels_left_out = 0;
  FigureValues totals;                // empty: no timing machine ran
  FigureValues copies, nobody;        // what of them copies caused, and what no kernel or copy did
  simt::LatencyHistograms latencies;  // of all kernels
  BusyTimes times;
  std::vector<UnitRow> units;  // when they are asked for: in their order, by kind
  u64 digest = 0, trace_records = 0;
  bool digested = false;

  void add(KernelRow);
  void add_totals(const FigureValues&);
  bool any() const { return !totals.empty(); }
  void write(nlohmann::ordered_json&, const MachineConfig&) const;
  /// Kernels, issue slots, energy and traffic as text.
  std::string summary(const MachineConfig&) const;
};

}  // namespace ew::runtime
