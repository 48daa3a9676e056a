// The host's memory behind the host link: DRAM and the host's last-level cache, into which the device's writes may go
// (DDIO).
//
// A read sends a packet without data to the host and gets its bytes back; a write sends its bytes and, if a client
// waits for it, gets a packet without data back. At the host, lines that the last-level cache has cost its latency and
// no DRAM traffic; the others go over the DRAM's bus in order of arrival. Only the device's writes are put into the
// cache, into `ddio_ways` of each set, the least recently used of these going; dirty lines that go cost DRAM bandwidth.
// Owned by the machine; the link is shared.
#pragma once

#include <vector>

#include "core/clock_ratio.hpp"
#include "core/fields.hpp"
#include "media/request_slots.hpp"
#include "memory/device.hpp"
#include "memory/host_link.hpp"

namespace ew::media {

struct HostMemoryConfig {
  core::BytesPerSecond bandwidth{100'000'000'000};  // of the DRAM, reads and writes together
  core::Picoseconds latency{90'000};                // of the DRAM
  core::Picoseconds llc_latency{20'000};
  core::Bytes llc{32ull << 20};
  u32 llc_ways = 16;
  u32 llc_line = 64;
  bool ddio = true;
  u32 ddio_ways = 2;
  u32 queue = 512;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("bandwidth", self.bandwidth, Range{0.001, 100000}, "", "Bandwidth of host DRAM, reads and writes together.",
          "six channels of DDR4-2133 to -2666, as of usual servers");
    visit("latency", self.latency, Range{0, 1e9}, "", "Of host DRAM, from the root port.",
          "order of magnitude of published load latencies");
    visit("llc_latency", self.llc_latency, Range{0, 1e9}, "", "Of the host's last-level cache, from the root port.",
          "order of magnitude of published load latencies");
    visit("llc", self.llc, Range{0, 1 << 29}, "", "Size of the host's last-level cache; 0: none.",
          "assumed: near those of server processors (GPM's Xeon Gold 6242 has 22 MiB)");
    visit("llc_ways", self.llc_ways, Range{1, 64}, "ways", "Its associativity.",
          "assumed: between the 11 and 20 ways of Intel's server processors");
    visit("llc_line", self.llc_line, Range{16, 4096}, "bytes", "Its line.", "x86 processors");
    visit("ddio", self.ddio, Range{}, "",
          "Whether writes of the device go into the last-level cache instead of DRAM (data direct I/O).",
          "Intel Data Direct I/O Technology: on by default");
    visit("ddio_ways", self.ddio_ways, Range{1, 64}, "ways", "Ways of each set that such writes may take.",
          "Intel, IIO_LLC_WAYS: two ways by default");
    visit("queue", self.queue, Range{1, 1 << 20}, "requests", "Requests under way to host memory.",
          "assumed: as many as one copy engine has under way (copy.outstanding)");
  }
};

struct MediaParts;

class HostMemory final : public memory::Device {
 public:
  /// REQUIRES: parts.host_link.
  HostMemory(const HostMemoryConfig&, const MediaParts& parts);

  bool serve(const memory::DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  void persist_region(bool inside) override { bypassed_ = inside; }
  u64 in_flight() const override { return slots_.in_flight(); }
  const memory::DeviceStatistics& statistics() const override;
  void tell(core::AccountHolders& holders, u32 number) override { accounts_.tell(holders, number); }
  memory::DeviceStatistics take(core::Account account) override { return accounts_.take(account); }

 private:
  struct Way {
    u64 line = ~u64{0};
    u64 used = 0;  // greater: later
    bool dirty = false;
  };

  void at_host(u64 slot, u64);
  void host_done(u64 slot, u64);
  void finish(u64 slot, u64);
  /// Cycle in which the DRAM has moved so many bytes.
  core::Cycle transfer(u64 bytes);
  bool hit(u64 line, bool write);
  /// Bytes of the dirty line that went for it.
  u64 allocate(u64 line);
  Way* set(u64 line) { return &ways_[line % sets_ * in_set_]; }

  core::TimeWheel& wheel_;
  memory::HostLink& link_;
  const HostMemoryConfig config_;
  const core::ClockRatio ratio_;  // of bytes
  const core::Cycle latency_, llc_latency_;
  const u64 sets_;    // 0: nothing is ever cached
  const u32 in_set_;  // ways that the device's writes may take: nothing else is put into the cache
  std::vector<Way> ways_;
  RequestSlots<memory::DeviceRequest> slots_;
  bool bypassed_ = false;  // gpm_persist_begin has switched DDIO off: writes go to DRAM
  u64 bus_free_ = 0, bus_ticks_ = 0, uses_ = 0;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

}  // namespace ew::media
