// exit() has been called: the machine goes, and what is queued with it. Other threads of the program that call CUDA, or
// that wait, have nothing more to learn and do not come back, so that they do not take the end for a success or a
// failure. Only where the thread that ends the program waits for them (a destructor that joins) do they get an error.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/host_threads.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

class EndOfProgram {
 public:
  /// By the thread that ends the program.
  void begin() { ends_ = HostThreads::self(); }
  bool begun() const { return ends_ != 0; }
  void machine_is_gone() { gone_ = true; }

  /// What had not ended when the program did. Set by the thread that ends it.
  void leave(std::vector<simt::InFlight> unfinished) { unfinished_ = std::move(unfinished); }
  const std::vector<simt::InFlight>& unfinished() const { return unfinished_; }

  /// Returns at once to the thread that ends the program. REQUIRES: no lock is held.
  void hold() const {
    for (int rests = 0; HostThreads::self() != ends_ && rests < 3;
         rests = gone_ && HostThreads::at_rest(ends_) ? rests + 1 : 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

 private:
  std::atomic<HostThreads::Id> ends_{0};
  std::atomic<bool> gone_{false};
  std::vector<simt::InFlight> unfinished_;
};

}  // namespace ew::runtime
