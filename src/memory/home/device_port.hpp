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
  /// `most_writes` wait for a device, before it is full of writes.
  DevicePort(std::span<Device* const> devices, u32 most_writes)
      : devices_(devices), most_writes_(most_writes), queued_(2 * devices.size()) {}

  void put(u16 device, const DeviceRequest&);
  /// The device has no room for writes, and as many wait as may. They are taken all the same.
  bool full_of_writes(u16 device) const { return queued_[device * 2u + 1].size() >= most_writes_; }
  /// Once, when a device is no longer full of writes: `client` is served this token.
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
