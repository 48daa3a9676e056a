// Bytes that a home has sent to the persistence domain and that are not known to be durable. They are in the image
// already, and `written` is on its way. Owned by the home.
//
// Persists of one line reach their device in the order in which they come here.
#pragma once

#include "memory/home/parts.hpp"

namespace ew::memory {

class HomePersists {
 public:
  HomePersists(HomeParts& parts, DeviceClient& home) : p_(parts), home_(home) {}

  /// These bytes of the request's line, which is in this way, go to the NVM. A write's payload goes with them.
  void begin(u32 way, const Request&, const ByteMask& bytes);
  /// A device has accepted a part. `durable` leaves with the last.
  void served(u32 number);
  u32 under_way() const { return under_way_; }

 private:
  struct Persist {
    Request answer;
    u32 parts = 0;  // requests at the device, and one until all have been sent
    u32 next_free = no_number;
  };

  HomeParts& p_;
  DeviceClient& home_;
  std::vector<Persist> all_;
  u32 free_ = no_number, under_way_ = 0;
};

}  // namespace ew::memory
