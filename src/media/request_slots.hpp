// The requests that a device has under way, of which there is a most, and those who wait for room. Owned by the device.
#pragma once

#include <vector>

#include "media/room_waiters.hpp"

namespace ew::media {

template <class Slot>
class RequestSlots {
 public:
  explicit RequestSlots(u32 most) : most_(most) {
    slots_.reserve(most);
    free_.reserve(most);
  }

  bool full() const { return in_flight() == most_; }
  u64 in_flight() const { return slots_.size() - free_.size(); }
  /// REQUIRES: not full().
  u32 take(const Slot& slot) {
    if (free_.empty()) {
      slots_.push_back(slot);
      return static_cast<u32>(slots_.size() - 1);
    }
    const u32 number = free_.back();
    free_.pop_back();
    slots_[number] = slot;
    return number;
  }
  Slot& operator[](u64 number) { return slots_[number]; }
  void give_back(u64 number) { free_.push_back(static_cast<u32>(number)); }

  /// Device::notify_when_free().
  void wait(core::TimeWheel::Handler handler, void* target, u64 a) { waiters_.wait(handler, target, a); }
  /// Calls those who wait, in the order of asking, while there is room.
  void call_waiting() {
    waiters_.call([this] { return !full(); });
  }

  /// Those that were given back among them.
  const std::vector<Slot>& all() const { return slots_; }

 private:
  const u32 most_;
  std::vector<Slot> slots_;
  std::vector<u32> free_;
  RoomWaiters waiters_;
};

}  // namespace ew::media
