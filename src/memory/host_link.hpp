// The link to the host (PCIe): two directions that do not disturb each other. What is sent is cut into packets; a
// packet takes its bytes and its overhead of the direction's bandwidth, then the latency, and arrives in order. Only so
// many packets are in flight a direction: the next waits for a credit. Owned by the machine; the host's memory,
// non-volatile memory there and pages of managed memory that move share it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/clock_ratio.hpp"
#include "core/fields.hpp"
#include "core/time_wheel.hpp"

namespace ew::memory {

/// Defaults: PCIe 3.0 x16. 8 GT/s x 16 lanes x 128/130 = 15.754 GB/s a direction before packet overhead (PCI Express
/// Base Specification 3.0, section 4.2.2). A memory request's packet of 64-bit address has 4 bytes of framing and
/// sequence number, 16 of header, 4 of check (sections 2.2, 3.6, 4.2.2.3): 24 bytes.
struct HostLinkConfig {
  core::BytesPerSecond bandwidth{15'753'846'000};  // a direction
  core::Picoseconds latency{300'000};              // a direction
  u32 overhead = 24;                               // bytes of each packet besides its data
  core::Bytes payload{256};                        // most data of one packet
  u32 credits = 127;                               // packets in flight, a direction

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("bandwidth", self.bandwidth, Range{0.001, 100000}, "",
          "Bandwidth of one direction, packet overhead included.", "PCIe 3.0 x16: 8 GT/s x 16 lanes x 128/130");
    visit("latency", self.latency, Range{0, 1e9}, "",
          "From the end of a packet on one side to its arrival on the other.", "SBRP, Table 1: 300 ns");
    visit("overhead", self.overhead, Range{0, 4096}, "bytes",
          "Bytes of each packet besides its data: framing, header, check. A read request is this and no more.",
          "PCI Express Base Specification 3.0: 4 + 16 + 4");
    visit("payload", self.payload, Range{16, 65536}, "", "Most data that one packet carries.",
          "Max_Payload_Size of usual root ports");
    visit("credits", self.credits, Range{1, 65536}, "packets",
          "Packets of one direction in flight; the next waits until one has arrived and its credit is back.",
          "PCI Express Base Specification 3.0, section 2.6.1: 127 headers at most");
  }
};

struct HostLinkDirection {
  u64 packets = 0, data_bytes = 0, wire_bytes = 0, busy_cycles = 0;
};

struct HostLinkStatistics {
#define STATISTICS "memory/host_link_statistics.inc"
#include "core/statistics_set.inc"
};

enum class LinkDirection : u8 { to_host, to_device };

class HostLink {
 public:
  HostLink(const HostLinkConfig&, core::TimeWheel&, core::Kilohertz sm_clock);

  /// Sends `bytes` of data in as many packets as they need (none: one packet that is all overhead, as a read request or
  /// an acknowledgement is); the handler runs in the cycle in which the last one has arrived. Returns that cycle. What
  /// is sent is sent in order and whole: a sender cuts long transfers into pieces if others shall come between.
  core::Cycle send(LinkDirection, u64 bytes, core::TimeWheel::Handler, void* target, u64 a = 0, u64 b = 0);
  /// `send` for a member function: send<&DmaEngine::arrived>(direction, bytes, engine, a, b).
  template <auto Member, class Target>
  core::Cycle send(LinkDirection direction, u64 bytes, Target& target, u64 a = 0, u64 b = 0) {
    return send(
        direction, bytes, [](void* t, u64 x, u64 y) { (static_cast<Target*>(t)->*Member)(x, y); }, &target, a, b);
  }

  /// Nothing is on its way.
  bool quiescent() const;
  /// A line for each direction on which something is: for reports of deadlocks.
  std::string what_is_under_way() const;
  /// Cycles that so many bytes need on the idle link.
  u64 idle_latency(u64 bytes) const;
  const HostLinkStatistics& statistics() const;
  /// Cycles that packets have waited for the wire or a credit.
  u64 waited_cycles(LinkDirection to) const { return ratio_.cycle_at(directions_[static_cast<u32>(to)].waited_ticks); }

 private:
  /// Times are in ticks: a tick moves one byte.
  struct Direction {
    u64 free = 0;                  // when the wire is
    std::vector<u64> credit_back;  // when each credit is there again; used in turn, for they return in order
    u32 credits = 0, next_credit = 0;
    core::Cycle last_arrival = 0;
    u64 wire_ticks = 0, waited_ticks = 0;
  };

  core::TimeWheel& wheel_;
  const HostLinkConfig config_;
  const core::ClockRatio ratio_;
  const u64 latency_;  // ticks
  std::array<Direction, 2> directions_;
  mutable HostLinkStatistics statistics_;
};

}  // namespace ew::memory
