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
  /// Dirty sectors leave. Nobody waits for them. A sector that was written in part goes with its byte mask: one request
  /// all the same.
  void write(u32 way);

 private:
  HomeParts& p_;
  DeviceClient& home_;
};

}  // namespace ew::memory
