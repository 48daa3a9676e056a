// The cores of the host and the timed work that they do. A piece of work is a list of steps; the shares of a step are
// handed to the cores that are free, first come, first served; the next step begins when all of them are done. A share
// of traced code is a thread. An errand occupies no core.
// Owned by MemoryHierarchy.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/traced_cores.hpp"

namespace ew::host {

class Cores {
 public:
  using Tell = std::function<void(u64 id)>;
  /// The wheel calls `done` when a piece of work is over. REQUIRES: everything that `parts` names outlives this object.
  Cores(const Surroundings& parts, Tell done);

  /// Begins now, if cores are free.
  void start(u64 id, Work);
  bool idle() const { return works_.empty(); }
  const HostStatistics& statistics() const { return statistics_; }
  /// Counts calls of kernels that these cores serve, and the cycles that such calls have waited.
  void count_calls(u64 calls, u64 waited) { statistics_.daemon_calls += calls, statistics_.daemon_waits += waited; }
  std::string what_is_under_way() const;

 private:
  struct Running {
    Work work;
    std::size_t step = 0;
    u32 shares = 0;  // shares of the step that are not done yet
  };
  struct Task {
    u64 id;
    u32 thread;
  };

  void go_on(u64 id, u64 = 0);
  void dispatch();
  bool idle(u32 core) const { return cores_[core]->idle() && (!traced_ || (*traced_)[core].idle()); }
  TracedCores& traced();
  void over(u32 core);
  void step_over(u64 id);

  const Surroundings parts_;
  Tell done_;
  HostStatistics statistics_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::unique_ptr<TracedCores> traced_;  // the same cores, where they run traced code; nullptr: none has yet
  std::vector<u64> works_of_;            // by core
  std::map<u64, Running> works_;
  std::deque<Task> tasks_;  // that wait for a core
};

}  // namespace ew::host
