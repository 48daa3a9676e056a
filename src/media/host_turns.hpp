// What waits for its turn at a host before its persistent memory takes it. A value of the device.
#pragma once

#include "media/posted_writes.hpp"
#include "media/repeated_flushes.hpp"

namespace ew::media {

struct HostTurns {
  PostedWrites device;    // writes of the device past the cache, and its reads
  RepeatedFlushes cores;  // flushes of the host's cores
};

}  // namespace ew::media
