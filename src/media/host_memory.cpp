#include "media/host_memory.hpp"

#include <algorithm>

#include "media/kinds.hpp"

namespace ew::media {

namespace {

constexpr memory::ByteMask whole_line{{~u64{0}, ~u64{0}}};

}  // namespace

HostMemory::HostMemory(const HostMemoryConfig& config, const MediaParts& parts)
    : wheel_(parts.wheel),
      link_(*parts.host_link),
      cache_(*parts.host_cache),
      config_(config),
      ratio_(core::ClockRatio::of_bandwidth(parts.clock, config.bandwidth)),
      latency_(core::cycles_covering(parts.clock, config.latency)),
      llc_latency_(core::cycles_covering(parts.clock, config.llc_latency)),
      slots_(config.queue) {
  cache_.attach(LastLevelCache::Of::memory, *this);
}

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
  if (request.host == memory::HostAccess::drive)
    serve_device(slot);
  else if (request.host != memory::HostAccess::none)
    serve_core(slot);
  else
    link_.send<&HostMemory::at_host>(memory::LinkDirection::to_host, request.write ? request.bytes : 0, *this, slot);
  return true;
}

void HostMemory::at_host(u64 slot, u64) {
  if (slots_[slot].mmio) {
    if (slots_[slot].client) slots_[slot].client->reached(slots_[slot].token);
    return host_done(slot, 0);
  }
  serve_device(slot);
}

void HostMemory::count(const memory::DeviceRequest& request, u64 hits, u64 misses) {
  memory::DeviceStatistics& counts = accounts_[request.account];
  counts.cache_hits += hits;
  counts.cache_misses += misses;
}

void HostMemory::serve_device(u64 slot) {
  const memory::DeviceRequest& request = slots_[slot];
  const u64 first = request.address / config_.llc_line;
  const u64 last = (request.address + request.bytes - 1) / config_.llc_line;
  const bool ddio = config_.ddio && !cache_.none() && !(bypassed_ && request.write), allocates = ddio && request.write;
  u64 hits = 0, to_dram = 0;
  const core::Cycle now = wheel_.now();
  for (u64 number = first; number <= last; ++number) {
    LastLevelCache::Line* const line = cache_.find(LastLevelCache::Of::memory, number);
    if (line && (ddio || !request.write)) {
      ++hits;
      if (request.write) line->dirty = whole_line;
    } else if (allocates) {
      cache_.add(LastLevelCache::Of::memory, number, false).dirty = whole_line;
    } else {
      if (line) cache_.remove(*line);  // a core's copy: the device writes past it
      to_dram += config_.llc_line;
    }
  }
  if (ddio) count(request, hits, last - first + 1 - hits);
  core::Cycle done = now;
  if (hits || allocates) done += llc_latency_;
  if (to_dram) done = std::max(done, transfer(to_dram) + latency_);
  wheel_.at<&HostMemory::host_done>(done, *this, slot);
}

/// One line, or a part of it.
void HostMemory::serve_core(u64 slot) {
  using memory::HostAccess;
  const memory::DeviceRequest& request = slots_[slot];
  const u64 number = request.address / config_.llc_line;
  LastLevelCache::Line* line = cache_.find(LastLevelCache::Of::memory, number);
  core::Cycle done = wheel_.now() + llc_latency_;
  switch (request.host) {
    case HostAccess::none:
    case HostAccess::drive:
    case HostAccess::load:
    case HostAccess::store:
      count(request, line != nullptr, line == nullptr);
      if (!line) {
        if (!cache_.none()) line = &cache_.add(LastLevelCache::Of::memory, number, true);
        done = std::max(done, transfer(config_.llc_line) + latency_);
      }
      if (line && request.write) line->dirty = whole_line;
      break;
    case HostAccess::write_back:
      if (!line && !cache_.none()) line = &cache_.add(LastLevelCache::Of::memory, number, true);
      if (line) line->dirty = whole_line;
      if (!line) done = std::max(done, transfer(config_.llc_line));
      break;
    case HostAccess::stream:
      if (line) cache_.remove(*line);
      done = std::max(done, transfer(request.bytes));
      break;
    case HostAccess::flush:
      if (line && line->dirty.any()) {
        line->dirty = {};
        done = std::max(done, transfer(config_.llc_line));
      }
      break;
  }
  wheel_.at<&HostMemory::host_done>(done, *this, slot);
}

void HostMemory::evicted(const LastLevelCache::Line&, u64, const u8*) {
  transfer(config_.llc_line);
}

core::Cycle HostMemory::transfer(u64 bytes) {
  const u64 now = ratio_.tick_at(wheel_.now()), start = std::max(bus_free_, now);
  accounts_[core::nobody].queued_cycles += ratio_.cycle_at(start) - wheel_.now();
  bus_free_ = start + bytes;
  bus_ticks_ += bytes;
  return ratio_.cycle_at(bus_free_);
}

void HostMemory::host_done(u64 slot, u64) {
  const memory::DeviceRequest& request = slots_[slot];
  if (!request.client || request.host != memory::HostAccess::none) return finish(slot, 0);
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
      .place = MediaPlace::host_memory,
      .make = [](const MediaConfig& config, const MediaParts& parts) -> std::unique_ptr<memory::Device> {
        return std::make_unique<HostMemory>(config.host_memory, parts);
      },
  };
}

}  // namespace ew::media
