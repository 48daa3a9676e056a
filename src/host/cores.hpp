// The cores of the host and the timed work that they do. A piece of work is a list of steps; the shares of a step are
// handed to the cores that are free, first come, first served; the next step begins when all of them are done.
// Owned by MemoryHierarchy.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/core.hpp"

namespace ew::host {

class Cores {
 public:
  using Tell = std::function<void(u64 id)>;
  /// `done`: called from the wheel when a piece of work is over. What `parts` names outlives it.
  Cores(const Surroundings& parts, Tell done);

  /// Begins now, as far as cores are free.
  void start(u64 id, Work);
  bool idle() const { return works_.empty(); }
  const HostStatistics& statistics() const { return statistics_; }
  /// Calls of kernels that these cores serve; cycles for which such calls have waited.
  void count_calls(u64 calls, u64 waited) { statistics_.daemon_calls += calls, statistics_.daemon_waits += waited; }
  std::string what_is_under_way() const;

 private:
  struct Running {
    Work work;
    std::size_t step = 0;
    u32 shares = 0;  // of the step, not done yet
  };
  struct Task {
    u64 id;
    u32 thread;
  };

  void go_on(u64 id, u64 = 0);
  void dispatch();
  void over(u32 core);

  const Surroundings parts_;
  Tell done_;
  HostStatistics statistics_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<u64> works_of_;  // by core
  std::map<u64, Running> works_;
  std::deque<Task> tasks_;  // that wait for a core
};

}  // namespace ew::host
