// A home's way to its devices. What a device has no room for waits here, in order: reads and writes apart. Owned by the
// home.
#pragma once

#include <span>
#include <vector>

#include "core/ring.hpp"
#include "memory/device.hpp"

namespace ew::memory {

class DevicePort {
 public:
  /// A device is full of writes when `most_writes` of them wait here for it.
  DevicePort(std::span<Device* const> devices, u32 most_writes)
      : devices_(devices), most_writes_(most_writes), queued_(2 * devices.size()) {}

  void put(u16 device, const DeviceRequest&);
  /// The caller should put no more writes. put() takes them all the same.
  bool full_of_writes(u16 device) const { return queued_[device * 2u + 1].size() >= most_writes_; }
  /// The client is served this token, once: when a device that was full of writes is so no more.
  void tell_when_not_full(DeviceClient& client, u64 token) {
    client_ = &client;
    token_ = token;
  }
  u64 queued() const { return total_; }
  /// Of what waits, bytes of the program in [begin, end) are not written any more.
  void drop(Payloads&, u64 begin, u64 end);

 private:
  void ask_for_room(u32 which);
  void put_waiting(u32 which);

  std::span<Device* const> devices_;
  const u32 most_writes_;
  DeviceClient* client_ = nullptr;  // nullptr: nobody waits
  u64 token_ = 0;
  std::vector<core::Ring<DeviceRequest>> queued_;  // by device and direction
  u64 total_ = 0;
};

}  // namespace ew::memory
