// How a core of the host reaches the memories beside it: its requests, in order, and the bytes of pools that go along.
// Nothing of it crosses the link to the GPU. Whoever does work on a core has one: Core (timed work), TracedCore (traced
// code).
#pragma once

#include "core/clock_ratio.hpp"
#include "core/time_wheel.hpp"
#include "host/host_config.hpp"
#include "host/waiting_requests.hpp"
#include "host/work.hpp"
#include "memory/device.hpp"
#include "memory/durable_image.hpp"
#include "memory/host_pages.hpp"

namespace ew::host {

struct HostStatistics {
#define STATISTICS "host/statistics.inc"
#include "core/statistics_set.inc"
};

struct Surroundings {
  core::TimeWheel& wheel;
  core::Kilohertz clock;  // that the wheel counts
  const HostConfig& config;
  memory::Payloads& payloads;
  memory::HostPages& pages;
  memory::Device* memory = nullptr;               // of the host
  memory::Device* pools = nullptr;                // beside it; nullptr: there is none
  const memory::DurableImage* durable = nullptr;  // of pools; nullptr: bytes are not followed
};

inline u64 line_of(u64 address) {
  return address / host_line * host_line;
}
/// The first picosecond of a cycle.
inline u64 picoseconds_at(core::Cycle cycle, core::Kilohertz clock) {
  return static_cast<u64>(static_cast<unsigned __int128>(cycle) * 1'000'000'000 / clock.count);
}

class Port {
 public:
  /// `accepted(target)`: called from the wheel when no request waits for room any more.
  Port(const Surroundings& parts, HostStatistics& statistics, void (*accepted)(void* target), void* target)
      : parts_(parts), statistics_(statistics), waiting_(parts.wheel, accepted, target) {}

  /// `request` has addresses of the program. REQUIRES: its pool, if it is of one, is beside the host.
  void send(memory::DeviceRequest request);
  /// A memory has no room: those that are sent wait.
  bool waits() const { return waiting_.any(); }
  /// Cycles in which requests have waited, since the last call.
  u64 take_waited_cycles() { return waiting_.take_waited_cycles(); }

  // Whole lines. The client hears served(token).
  void fetch(u64 line, u64 token, memory::DeviceClient&);
  /// What the core's own caches have of the line goes along.
  void flush(u64 line, u64 token, memory::DeviceClient&);
  /// These bytes of the line, a bit for each, past the caches.
  void stream(u64 line, u64 bytes, u64 token, memory::DeviceClient&);
  /// A dirty line goes to the last-level cache. Bytes of a pool that are durable as they stand need not go.
  void write_back(u64 line);

  /// A line's bytes on their way to a pool; none to volatile memory.
  memory::PayloadId payload_of(u64 to, const u8* bytes, u32 count) const;
  /// What the core's own caches may have of a pool's line: what is not durable as it stands.
  memory::PayloadId not_durable(u64 line) const;

 private:
  const Surroundings parts_;
  HostStatistics& statistics_;
  WaitingRequests waiting_;
};

}  // namespace ew::host
