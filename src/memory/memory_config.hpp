// Geometry, latencies and widths of private caches and homes, in the units of their own clocks. Filled from the machine
// file by runtime/; every figure's source stands there.
#pragma once

#include "core/types.hpp"

namespace ew::memory {

struct PrivateCacheConfig {
  u64 bytes = 64 * 1024;
  u32 line = 128;         // 64 or 128
  u32 sector = 32;        // fetched at once
  u32 ways = 4;           // 0: fully associative
  u32 banks = 4;          // lines are interleaved over them; one access a bank and cycle
  u32 latency = 20;       // cycles from acceptance to a hit's value
  u32 mshrs = 256;        // lines under way
  u32 merges = 8;         // parts that wait for one line
  u32 write_buffer = 64;  // lines with bytes that are not yet in the image (write-through protocols)
  u32 drain_after = 128;  // cycles after which such a line leaves by itself; 0: at a release or when the buffer is full
  u32 fill_bytes = 32;    // a cycle from the network
};

struct HomeConfig {
  u64 bytes = 128 * 1024;  // of one slice
  u32 line = 128, sector = 32;
  u32 ways = 16;
  u32 latency = 32;  // cycles from arrival to the answer's departure
  u32 requests_per_cycle = 1;
  u32 atomics_per_cycle = 1;     // lanes on one line
  u32 mshrs = 192;               // lines under way to devices or held by the protocol
  bool keep_host_lines = false;  // lines of host memory may stay in the L2
};

}  // namespace ew::memory
