// What the timeline shows of a timing machine: bars of kernels, copies, blocks and warps, and counters of what moved
// since the last sample. Bars are kept without a file, too, as a check (bars.hpp). Owned by TimingMachine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/trace.hpp"
#include "runtime/bars.hpp"
#include "runtime/run_results.hpp"
#include "runtime/timeline.hpp"
#include "runtime/work_under_way.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

class MachineTimeline {
 public:
  /// `figures`: everything that is counted, up to now. References outlive it.
  MachineTimeline(const simt::TimingGpu&, const WorkUnderWay&, std::function<TimingFigures()> figures);

  /// Writes a file from now on. Throws core::UserError when it cannot be written.
  void open(const std::string& file, u32 sms, u32 copy_engines, core::Trace&);
  bool on() const { return timeline_ != nullptr; }
  /// The counters since the last sample. Called every so many cycles while the machine runs, and at the end of the run.
  static constexpr u64 sampling_cycles = 1000;
  void sample();
  void kernel_ended(const RunningKernel&, u64 begin, u64 end, bool unfinished);
  void copy_ended(const RunningCopy&, u64 now);
  /// What is wrong with the first bar of which something is; empty: nothing with any.
  const std::string& mistake() const { return bars_.mistake(); }

  /// Throws core::UserError when something of the file could not be written.
  void close();

 private:
  struct ResidentWarp {
    u64 begin = 0;
    bool named = false;  // its track
  };
  void bar(Timeline::Group, u32 track, u64 begin, u64 end, std::string_view what, std::string_view details = {});
  void show(const core::TraceRecord&);
  void show_block(const core::TraceRecord&);
  void show_warp(const core::TraceRecord&);

  const simt::TimingGpu& gpu_;
  const WorkUnderWay& under_way_;
  const std::function<TimingFigures()> figures_;
  std::unique_ptr<Timeline> timeline_;
  Bars bars_;
  TimingFigures sampled_;
  std::vector<u64> block_begins_;             // by track
  std::vector<ResidentWarp> resident_warps_;  // by track: the warp of a slot
};

}  // namespace ew::runtime
