// Flushes of an SM's private cache at the ends of kernels: one at a time, as the cache takes no more. Owned by the SM.
#pragma once

#include <vector>

#include "simt/line_port.hpp"
#include "simt/sm/alarm.hpp"
#include "simt/sm/endings.hpp"
#include "simt/sm/grid_runs.hpp"

namespace ew::simt {

class FlushQueue {
 public:
  /// `token`: what the private cache is told to answer with.
  FlushQueue(u32 token, const GridRuns& runs, Endings& endings, Alarm& alarm)
      : token_(token), runs_(runs), endings_(endings), alarm_(alarm) {}
  void attach(LinePort& port) { port_ = &port; }

  /// Sends what the private cache holds home, for the launch of this index; then a notice says so.
  void flush(u32 run) {
    waiting_.push_back(run);
    step();
  }
  /// Begins the next, if it may begin.
  void step() {
    while (!waiting_.empty() && !under_way_) {
      under_way_ = true;
      const GridRun* const run = runs_.at(waiting_.front());
      if (!port_->end_kernel(token_, run ? run->account : core::nobody)) return;
      over();
    }
  }
  /// The one under way is over.
  void over() {
    under_way_ = false;
    endings_.flushed(waiting_.front());
    waiting_.erase(waiting_.begin());
    alarm_.wake_now();
  }

 private:
  u32 token_;
  const GridRuns& runs_;
  Endings& endings_;
  Alarm& alarm_;
  LinePort* port_ = nullptr;
  std::vector<u32> waiting_;  // indices of launches; the first may be under way
  bool under_way_ = false;
};

}  // namespace ew::simt
