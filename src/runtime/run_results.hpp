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
  simt::TimingStatistics sm;
  HierarchyStatistics hierarchy;
  Energy energy;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    simt::TimingStatistics::fields(self.sm, visit);
    HierarchyStatistics::fields(self.hierarchy, visit);
    Energy::fields(self.energy, visit);
  }
};

/// The values of core::statistics_of(TimingFigures), in order.
using FigureValues = std::vector<u64>;
FigureValues values_of(const TimingFigures&);

struct KernelRow {
  std::string name;
  Dim3 grid, block;
  u64 nanoseconds_begin = 0, nanoseconds_end = 0;
  FigureValues values;  // while it ran, those beside it included
};

struct RunResults {
  static constexpr std::size_t most_rows = 4096;  // later kernels are in the totals alone

  std::vector<KernelRow> kernels;
  u64 kernels_left_out = 0;
  FigureValues totals;  // empty: no timing machine ran
  u64 digest = 0, trace_records = 0;
  bool digested = false;

  void add(KernelRow);
  void add_totals(const FigureValues&);
  bool any() const { return !totals.empty(); }
  void write(nlohmann::ordered_json&) const;
  /// Kernels, issue slots, energy and traffic as text.
  std::string summary() const;
};

}  // namespace ew::runtime
