// The requests of a core of the host that wait because a memory has no room for them, in order. The first is offered
// again until the memory accepts it, then the next one. Owned by Core.
#pragma once

#include <utility>

#include "core/ring.hpp"
#include "core/time_wheel.hpp"
#include "memory/device.hpp"

namespace ew::host {

class WaitingRequests {
 public:
  /// The wheel calls accepted(target) when no request waits any more.
  WaitingRequests(core::TimeWheel& wheel, void (*accepted)(void* target), void* target)
      : wheel_(wheel), accepted_(accepted), target_(target) {}

  bool any() const { return !requests_.empty(); }
  /// Sends a request to the memory, behind those that wait.
  void send(memory::Device& to, const memory::DeviceRequest& request) {
    const bool first = requests_.empty();
    if (first && to.serve(request)) return;
    requests_.push_back({&to, request});
    if (!first) return;
    since_ = wheel_.now();
    ask();
  }
  /// The cycles in which requests have waited since the last call of this function.
  u64 take_waited_cycles() { return std::exchange(waited_, 0); }

 private:
  struct One {
    memory::Device* to = nullptr;
    memory::DeviceRequest request;
  };

  void ask() {
    const auto again = [](void* target, u64, u64) { static_cast<WaitingRequests*>(target)->room(); };
    requests_.front().to->notify_when_free(requests_.front().request.write, again, this, 0);
  }
  void room() {
    while (any()) {
      const One one = requests_.front();
      if (!one.to->serve(one.request)) return ask();
      requests_.pop_front();
    }
    waited_ += wheel_.now() - since_;
    accepted_(target_);
  }

  core::TimeWheel& wheel_;
  void (*const accepted_)(void*);
  void* const target_;
  core::Ring<One> requests_;
  core::Cycle since_ = 0;
  u64 waited_ = 0;
};

}  // namespace ew::host
