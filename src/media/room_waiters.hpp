// Those who wait for room at a device: Device::notify_when_free(). Owned by the device.
#pragma once

#include "core/ring.hpp"
#include "core/time_wheel.hpp"

namespace ew::media {

class RoomWaiters {
 public:
  bool empty() const { return waiters_.empty(); }
  void wait(core::TimeWheel::Handler handler, void* target, u64 a) { waiters_.push_back({handler, target, a}); }
  /// Calls them in the order of asking, while `has_room()`. Who is called may take the room, and may wait again.
  template <class HasRoom>
  void call(HasRoom&& has_room) {
    while (!waiters_.empty() && has_room()) {
      const Waiter waiter = waiters_.front();
      waiters_.pop_front();
      waiter.handler(waiter.target, waiter.a, 0);
    }
  }

 private:
  struct Waiter {
    core::TimeWheel::Handler handler;
    void* target;
    u64 a;
  };

  core::Ring<Waiter> waiters_;
};

}  // namespace ew::media
