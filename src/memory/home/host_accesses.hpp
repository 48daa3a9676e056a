// Accesses to memory behind the host link that the L2 does not keep. They are performed in order of arrival, and the
// answer waits for the way there and back. Accesses to a device's registers (mmio) are performed when they have been
// there. Owned by the home.
#pragma once

#include "memory/home/parts.hpp"

namespace ew::memory {

class HostAccesses {
 public:
  HostAccesses(HomeParts& parts, DeviceClient& home) : p_(parts), home_(home) {}

  /// The request of a line that lies there. False: it must wait until others are over.
  bool begin(const Request&);
  /// It is where the device's registers are, with its last part.
  void reached(u32 number);
  /// A device has served a part of the access. True: the access is over, and one that waits may go on.
  bool served(u32 number);
  u32 under_way() const { return under_way_; }

 private:
  struct HostAccess {
    Request answer;  // before it is performed: the request
    u32 data_bytes = 0;
    u32 parts = 0;  // requests at the device
    u32 next_free = no_number;
    bool mmio = false, performed = false;
  };
  void perform(HostAccess&);
  void ask_registers(const Request&) const;
  void tell_registers(const Request&, const ByteMask& written) const;

  HomeParts& p_;
  DeviceClient& home_;
  std::vector<HostAccess> all_;
  u32 free_ = no_number, under_way_ = 0;
};

}  // namespace ew::memory
