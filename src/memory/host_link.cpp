#include "memory/host_link.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::memory {

HostLink::HostLink(const HostLinkConfig& config, core::TimeWheel& wheel, core::Kilohertz sm_clock)
    : wheel_(wheel),
      config_(config),
      ratio_(core::ClockRatio::of_bandwidth(sm_clock, config.bandwidth)),
      latency_(ratio_.ticks_covering(config.latency)) {
  for (Direction& direction : directions_) {
    direction.credits = config.credits;
    direction.credit_back.resize(config.credits);
  }
}

core::Cycle HostLink::send(LinkDirection to, u64 bytes, core::TimeWheel::Handler handler, void* target, u64 a, u64 b) {
  Direction& direction = directions_[static_cast<u32>(to)];
  HostLinkDirection& counts = statistics_.direction[static_cast<u32>(to)];
  counts.data_bytes += bytes;
  const u64 now = ratio_.tick_at(wheel_.now());
  u64 ready = now;
  do {
    const u64 data = std::min(bytes, config_.payload.count), length = data + config_.overhead;
    u64& credit_back = direction.credit_back[direction.next_credit];
    if (++direction.next_credit == direction.credits) direction.next_credit = 0;
    const u64 start = std::max({ready, direction.free, credit_back});
    direction.waited_ticks += start - ready;
    direction.wire_ticks += length;
    direction.free = ready = start + length;
    // It frees the receiver's buffer when it arrives; word of that takes as long back.
    credit_back = direction.free + 2 * latency_;
    ++counts.packets;
    bytes -= data;
  } while (bytes);
  direction.last_arrival = ratio_.cycle_at(direction.free + latency_);
  wheel_.at(direction.last_arrival, handler, target, a, b);
  return direction.last_arrival;
}

bool HostLink::quiescent() const {
  return std::all_of(directions_.begin(), directions_.end(),
                     [&](const Direction& direction) { return direction.last_arrival <= wheel_.now(); });
}

std::string HostLink::what_is_under_way() const {
  std::string text;
  for (u32 i = 0; i < 2; ++i)
    if (const u64 last = directions_[i].last_arrival; last > wheel_.now())
      text += fmt::format("host link: packets to the {} are on their way, the last arrives at cycle {}\n",
                          static_cast<LinkDirection>(i) == LinkDirection::to_host ? "host" : "device", last);
  return text;
}

u64 HostLink::idle_latency(u64 bytes) const {
  const u64 packets = bytes ? (bytes + config_.payload.count - 1) / config_.payload.count : 1;
  return ratio_.cycle_at(bytes + packets * config_.overhead + latency_);
}

const HostLinkStatistics& HostLink::statistics() const {
  for (u32 i = 0; i < 2; ++i) {
    statistics_.direction[i].wire_bytes = directions_[i].wire_ticks;
    statistics_.direction[i].busy_cycles = ratio_.cycle_at(directions_[i].wire_ticks);
  }
  return statistics_;
}

}  // namespace ew::memory
