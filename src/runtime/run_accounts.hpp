// Whose the figures of a timing machine are: each is counted for one launch, for copies, or for nobody. Hands them in
// to the results of the run, and holds them to what is always true (invariants.hpp). Owned by TimingMachine.
#pragma once

#include <string>
#include <vector>

#include "runtime/invariants.hpp"
#include "runtime/memory_hierarchy.hpp"
#include "runtime/run_results.hpp"
#include "runtime/work_under_way.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

class RunAccounts {
 public:
  /// `per_unit`: figures of each SM and each slice of the L2 are handed in, too. References outlive it.
  RunAccounts(const MachineConfig&, simt::TimingGpu&, MemoryHierarchy&, const WorkUnderWay&, RunResults&,
              bool per_unit);

  /// The time since the last call counts as what runs now. Before anything begins, and when something has ended.
  void count_time();
  /// A launch begins on this account. What an earlier launch of it left behind (lines that were on their way to memory)
  /// is nobody's.
  void open(core::Account);
  /// The launch has ended, or the machine is closed before it has: its row goes to the results.
  void close(RunningKernel, const simt::Completion&, bool unfinished);

  /// Everything that is counted, up to now.
  TimingFigures figures() const;
  /// Adds what has been measured since the last call. `mistake_of_bars`: Bars::mistake().
  void hand_in(RunResults&, const std::string& mistake_of_bars);

 private:
  u64 idle_time(const KernelRow&);
  void take_late(core::Account);
  void hand_in_rest(RunResults&);
  void hand_in_units(RunResults&) const;
  void check_invariants(const FigureValues&, const std::string& mistake_of_bars) const;

  const MachineConfig& config_;
  const LaunchInvariants of_launches_;
  simt::TimingGpu& gpu_;
  MemoryHierarchy& hierarchy_;
  const WorkUnderWay& under_way_;
  RunResults& results_;
  const bool per_unit_;
  u64 marked_ = 0;                         // ns, up to where RunResults::times says what was done
  u64 idle_counted_ = 0, idle_until_ = 0;  // ns of kernels that have ended, and up to when they were counted
  FigureValues handed_in_;
  FigureValues of_kernels_;           // that have ended, together
  HierarchyStatistics late_;          // nobody's, not handed in yet
  FigureValues of_copies_, of_rest_;  // handed in
  std::vector<bool> closed_;          // by account: its launch has ended, and no other has taken it over
  bool faulted_ = false;
};

}  // namespace ew::runtime
