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
  explicit DevicePort(std::span<Device* const> devices) : devices_(devices), queued_(2 * devices.size()) {}

  void put(u16 device, const DeviceRequest&);
  u64 queued() const { return total_; }
  /// Of what waits, bytes of the program in [begin, end) are not written any more.
  void drop(Payloads&, u64 begin, u64 end);

 private:
  void ask_for_room(u32 which);
  void put_waiting(u32 which);

  std::span<Device* const> devices_;
  std::vector<core::Ring<DeviceRequest>> queued_;  // by device and direction
  u64 total_ = 0;
};

}  // namespace ew::memory
