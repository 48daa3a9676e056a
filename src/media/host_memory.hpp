// The host's memory behind the host link: DRAM and the host's last-level cache, into which the device's writes may go
// (DDIO).
//
// A read sends a packet without data to the host and gets its bytes back; a write sends its bytes and, if a client
// waits for it, gets a packet without data back. At the host, lines that the last-level cache has cost its latency and
// no DRAM traffic; the others go over the DRAM's bus in order of arrival. Of the device's accesses only writes are put
// into the cache (DDIO); dirty lines that make room cost DRAM bandwidth. A core of the host stands on this side of the
// link (memory::HostAccess). Owned by the machine; the link and the cache are shared.
#pragma once

#include <vector>

#include "core/clock_ratio.hpp"
#include "media/host_memory_config.hpp"
#include "media/last_level_cache.hpp"
#include "media/request_slots.hpp"
#include "memory/device.hpp"
#include "memory/host_link.hpp"

namespace ew::media {

struct MediaParts;

class HostMemory final : public memory::Device, public LastLevelCache::Memory {
 public:
  /// REQUIRES: parts.host_link, parts.host_cache.
  HostMemory(const HostMemoryConfig&, const MediaParts& parts);

  bool serve(const memory::DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  void persist_region(bool inside) override { bypassed_ = inside; }
  u64 in_flight() const override { return slots_.in_flight(); }
  const memory::DeviceStatistics& statistics() const override;
  void tell(core::AccountHolders& holders, u32 number) override { accounts_.tell(holders, number); }
  memory::DeviceStatistics take(core::Account account) override { return accounts_.take(account); }

  void evicted(const LastLevelCache::Line&, u64 number, const u8* bytes) override;

 private:
  void at_host(u64 slot, u64);
  void serve_device(u64 slot);
  void serve_core(u64 slot);
  void host_done(u64 slot, u64);
  void finish(u64 slot, u64);
  /// Cycle in which the DRAM has moved so many bytes.
  core::Cycle transfer(u64 bytes);
  void count(const memory::DeviceRequest&, u64 hits, u64 misses);

  core::TimeWheel& wheel_;
  memory::HostLink& link_;
  LastLevelCache& cache_;
  const HostMemoryConfig config_;
  const core::ClockRatio ratio_;  // of bytes
  const core::Cycle latency_, llc_latency_;
  RequestSlots<memory::DeviceRequest> slots_;
  bool bypassed_ = false;  // gpm_persist_begin has switched DDIO off: writes go to DRAM
  u64 bus_free_ = 0, bus_ticks_ = 0;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

}  // namespace ew::media
