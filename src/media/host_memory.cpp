#include "media/host_memory.hpp"

#include <algorithm>

#include "media/kinds.hpp"

namespace ew::media {

HostMemory::HostMemory(const HostMemoryConfig& config, const MediaParts& parts)
    : wheel_(parts.wheel),
      link_(*parts.host_link),
      config_(config),
      ratio_(core::ClockRatio::of_bandwidth(parts.clock, config.bandwidth)),
      latency_(core::cycles_covering(parts.clock, config.latency)),
      llc_latency_(core::cycles_covering(parts.clock, config.llc_latency)),
      sets_(config.ddio ? config.llc.count / (u64{config.llc_line} * config.llc_ways) : 0),
      in_set_(std::min(config.ddio_ways, config.llc_ways)),
      ways_(sets_ * in_set_),
      slots_(config.queue) {}

const memory::DeviceStatistics& HostMemory::statistics() const {
  statistics_ = accounts_.total();
  statistics_.busy_picoseconds =
      static_cast<u64>(static_cast<unsigned __int128>(bus_ticks_) * 1'000'000'000'000 / config_.bandwidth.count);
  return statistics_;
}

bool HostMemory::serve(const memory::DeviceRequest& request) {
  if (slots_.full()) return false;
  const u32 slot = slots_.take(request);
  memory::DeviceStatistics& counts = accounts_[request.account];
  (request.write ? counts.writes : counts.reads) += 1;
  (request.write ? counts.written_bytes : counts.read_bytes) += request.bytes;
  link_.send<&HostMemory::at_host>(memory::LinkDirection::to_host, request.write ? request.bytes : 0, *this, slot);
  return true;
}

void HostMemory::at_host(u64 slot, u64) {
  const memory::DeviceRequest& request = slots_[slot];
  if (request.mmio) return host_done(slot, 0);
  const u64 first = request.address / config_.llc_line;
  const u64 last = (request.address + request.bytes - 1) / config_.llc_line;
  const bool cached = sets_ && !(bypassed_ && request.write), allocates = cached && request.write;
  u64 hits = 0, to_dram = 0, evicted = 0;
  for (u64 line = first; line <= last; ++line) {
    if (cached && hit(line, request.write)) {
      ++hits;
    } else if (allocates) {
      evicted += allocate(line);
    } else {
      to_dram += config_.llc_line;
    }
  }
  if (cached) {
    memory::DeviceStatistics& counts = accounts_[request.account];
    counts.cache_hits += hits;
    counts.cache_misses += last - first + 1 - hits;
  }
  core::Cycle done = wheel_.now();
  if (hits || allocates) done += llc_latency_;
  if (evicted) transfer(evicted);
  if (to_dram) done = std::max(done, transfer(to_dram) + latency_);
  wheel_.at<&HostMemory::host_done>(done, *this, slot);
}

core::Cycle HostMemory::transfer(u64 bytes) {
  const u64 now = ratio_.tick_at(wheel_.now()), start = std::max(bus_free_, now);
  accounts_[core::nobody].queued_cycles += ratio_.cycle_at(start) - wheel_.now();
  bus_free_ = start + bytes;
  bus_ticks_ += bytes;
  return ratio_.cycle_at(bus_free_);
}

bool HostMemory::hit(u64 line, bool write) {
  Way* const ways = set(line);
  for (u32 i = 0; i < in_set_; ++i) {
    if (ways[i].line != line) continue;
    ways[i].used = ++uses_;
    ways[i].dirty |= write;
    return true;
  }
  return false;
}

u64 HostMemory::allocate(u64 line) {
  Way* const ways = set(line);
  Way& way = *std::min_element(ways, ways + in_set_, [](const Way& a, const Way& b) { return a.used < b.used; });
  const u64 evicted = way.dirty ? config_.llc_line : 0;
  way = {line, ++uses_, true};
  return evicted;
}

void HostMemory::host_done(u64 slot, u64) {
  const memory::DeviceRequest& request = slots_[slot];
  if (!request.client) return finish(slot, 0);
  link_.send<&HostMemory::finish>(memory::LinkDirection::to_device, request.write ? 0 : request.bytes, *this, slot);
}

void HostMemory::finish(u64 slot, u64) {
  const memory::DeviceRequest request = slots_[slot];
  slots_.give_back(slot);
  if (request.client) request.client->served(request.token);
  slots_.call_waiting();
}

void HostMemory::notify_when_free(bool, core::TimeWheel::Handler handler, void* target, u64 a) {
  slots_.wait(handler, target, a);
}

MediaKind kinds::host_memory() {
  return {
      .name = "host-memory",
      .sentence = "Host DRAM and the host's last-level cache, behind the host link.",
      .make = [](const MediaConfig& config, const MediaParts& parts) -> std::unique_ptr<memory::Device> {
        return std::make_unique<HostMemory>(config.host_memory, parts);
      },
  };
}

}  // namespace ew::media
