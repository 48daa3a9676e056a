// A part of timed work that no core does: the thread that made the call sleeps until it is over. A drive's commands are
// such a part (runtime/host_queue.hpp).
#pragma once

#include "core/time_wheel.hpp"

namespace ew::host {

class Errand {
 public:
  /// Whom to tell, from the wheel, when it is over.
  struct Over {
    void (*call)(void* target, u64 id) = nullptr;
    void* target = nullptr;
    u64 id = 0;
  };

  virtual ~Errand() = default;
  /// Does part `number` now, in no simulated time.
  virtual void perform(u64 number) = 0;
  virtual void begin(u64 number, core::TimeWheel&, Over) = 0;
};

}  // namespace ew::host
