// Sectors on their way between a home's lines and their devices. Owned by the home.
#pragma once

#include "memory/home/parts.hpp"

namespace ew::memory {

class SectorTraffic {
 public:
  SectorTraffic(HomeParts& parts, DeviceClient& home) : p_(parts), home_(home) {}

  /// These sectors come. REQUIRES: the line has an MSHR.
  void fetch(u32 way, SectorMask);
  /// Sectors of a token (see fetch) are here. Returns their line's way.
  u32 fetched(u64 token);
  /// Dirty sectors leave; `waits` is told of each request, and nobody if it is null. Answers how many there are. A
  /// sector that was written in part goes with its byte mask: one request all the same.
  u32 write(u32 way, DeviceClient* waits = nullptr);

 private:
  HomeParts& p_;
  DeviceClient& home_;
};

}  // namespace ew::memory
