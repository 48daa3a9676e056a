#include "media/host_nvm.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "media/kinds.hpp"
#include "memory/masks.hpp"

namespace ew::media {
namespace {

constexpr auto pools = LastLevelCache::Of::pools;

constexpr u32 no_slot = ~u32{0};

// In a token of the medium: an eviction; and one for nobody's slot.
constexpr u64 eviction = u64{1} << 32, loose = u64{1} << 33;

/// The part of a line's mask that begins at this byte.
memory::ByteMask shifted(const memory::ByteMask& mask, u32 from, u32 count) {
  memory::ByteMask part;
  for (u32 i = 0; i < count; i += 64) part.bits[i / 64] = mask.bits[(from + i) / 64];
  if (count < 64) part.bits[0] = mask.bits[from / 64] >> (from % 64) & ((u64{1} << count) - 1);
  return part;
}

/// When the host may pass a device's request on.
core::Cycle turn_of(const memory::DeviceRequest& request, PostedWrites& posted, memory::Payloads* payloads,
                    core::Cycle now) {
  if (request.payload == memory::no_payload) return posted.whole_arrives(now);
  const u64 base = request.address - ((request.address - request.line) & (memory::longest_line - 1));
  return posted.arrive(base, (*payloads)[request.payload].valid, now);
}

}  // namespace

HostNvm::HostNvm(const NvmConfig& config, const HostMemoryConfig& host, const MediaParts& parts)
    : wheel_(parts.wheel),
      answers_(*parts.host_link, parts.wheel, parts.clock, config.fence_bandwidth),
      payloads_(parts.payloads),
      durable_(parts.durable),
      eadr_(config.eadr),
      cache_latency_(core::cycles_covering(parts.clock, host.llc_latency)),
      turns_{{host.llc_line, core::cycles_covering(parts.clock, config.line_merge)},
             RepeatedFlushes(core::cycles_covering(parts.clock, config.repeated_flush))},
      cache_(*parts.host_cache),
      cached_(config.ddio && !cache_.none()),
      ddio_(cached_),
      medium_(config, parts, 1, *this),
      slots_(config.queue) {
  cache_.attach(pools, *this);
}

bool HostNvm::serve(const memory::DeviceRequest& request) {
  if (slots_.full()) return false;
  const u32 slot = slots_.take({.request = request});
  memory::DeviceStatistics& counts = accounts_[request.account];
  (request.write ? counts.writes : counts.reads) += 1;
  (request.write ? counts.written_bytes : counts.read_bytes) += request.bytes;
  if (request.host != memory::HostAccess::none)
    serve_core(slot);
  else
    answers_.link().send<&HostNvm::at_host>(memory::LinkDirection::to_host, request.write ? request.bytes : 0, *this,
                                            slot);
  return true;
}

void HostNvm::at_host(u64 number, u64 taken) {
  const u32 slot = static_cast<u32>(number);
  const memory::DeviceRequest& request = slots_[slot].request;
  if (!taken && turns_.device.merges() && !ddio_)
    return wheel_.at<&HostNvm::at_host>(turn_of(request, turns_.device, payloads_, wheel_.now()), *this, slot, 1);
  if (!request.write) return read(slot);
  if (ddio_) return write_to_cache(slot);
  write_through(slot);
}

/// From the cache when it has every line of it, else from the medium.
void HostNvm::read(u32 slot) {
  const memory::DeviceRequest& request = slots_[slot].request;
  if (!cache_.none()) {
    const u64 first = request.address / cache_.line_bytes();
    const u64 last = (request.address + request.bytes - 1) / cache_.line_bytes();
    u64 hits = 0;
    for (u64 line = first; line <= last; ++line) hits += cache_.find(pools, line) != nullptr;
    if (cached_) {
      memory::DeviceStatistics& counts = accounts_[request.account];
      counts.cache_hits += hits;
      counts.cache_misses += last - first + 1 - hits;
    }
    if (hits == last - first + 1) {
      wheel_.at<&HostNvm::host_done>(wheel_.now() + cache_latency_, *this, slot);
      return;
    }
  }
  medium_.arrive({request.address, request.bytes, false, slot});
}

void HostNvm::write_to_cache(u32 slot) {
  const memory::DeviceRequest request = slots_[slot].request;
  slots_[slot].request.payload = memory::no_payload;
  const u32 width = cache_.line_bytes();
  u64 base = request.address & ~u64{memory::longest_line - 1};
  memory::ByteMask mask;
  static constexpr std::array<u8, memory::longest_line> unknown{};
  const u8* bytes = unknown.data();
  if (request.payload == memory::no_payload) {
    for (u64 i = request.address - base, n = 0; n < request.bytes; ++i, ++n) mask.bits[i / 64] |= u64{1} << (i % 64);
  } else {
    const memory::Payload& payload = (*payloads_)[request.payload];
    base = request.address - ((request.address - request.line) & 4095);
    mask = payload.valid;
    bytes = payload.bytes.data();
    if (eadr_ && durable_) durable_->write(request.line, bytes, mask, wheel_.now());
  }
  for (u32 at = 0; at < memory::longest_line; at += width) {
    const memory::ByteMask part = shifted(mask, at, width);
    const u64 address = request.payload == memory::no_payload ? 0 : request.line + at;
    if (part.any()) put_in_cache(slot, (base + at) / width, address, bytes + at, part);
  }
  if (request.payload != memory::no_payload) payloads_->give_back(request.payload);
  wheel_.at<&HostNvm::host_done>(wheel_.now() + cache_latency_, *this, slot);
}

void HostNvm::put_in_cache(u32 slot, u64 number, u64 address, const u8* bytes, const memory::ByteMask& mask) {
  LastLevelCache::Line* line = cache_.find(pools, number);
  memory::DeviceStatistics& counts = accounts_[slots_[slot].request.account];
  ++(line ? counts.cache_hits : counts.cache_misses);
  if (!line) {
    evicting_for_ = slot;
    line = &cache_.add(pools, number, slots_[slot].request.host != memory::HostAccess::none);
    evicting_for_ = no_slot;
    line->address = address;
  }
  line->dirty = line->dirty | mask;
  memory::copy_bytes(cache_.bytes(*line), bytes, mask);
}

/// The line's bytes go to the medium. Who has made it go keeps its slot until they have room there.
void HostNvm::evicted(const LastLevelCache::Line& line, u64 number, const u8* bytes) {
  NvmAccess access{number * cache_.line_bytes(), cache_.line_bytes(), true, loose};
  access.durable = eadr_;
  if (bytes) {
    access.line = line.address;
    access.payload = payloads_->take();
    memory::Payload& payload = (*payloads_)[access.payload];
    payload.valid = line.dirty;
    std::memcpy(payload.bytes.data(), bytes, cache_.line_bytes());
  }
  if (evicting_for_ == no_slot) {
    ++loose_evictions_;
  } else {
    access.token = evicting_for_ | eviction;
    ++slots_[evicting_for_].parts;
  }
  medium_.arrive(access);
}

void HostNvm::write_through(u32 slot) {
  const memory::DeviceRequest request = slots_[slot].request;
  slots_[slot].request.payload = memory::no_payload;  // the medium's, or the cache's, from here on
  if (!cache_.none()) {
    const u64 first = request.address / cache_.line_bytes();
    const u64 last = (request.address + request.bytes - 1) / cache_.line_bytes();
    for (u64 number = first; number <= last; ++number) {
      LastLevelCache::Line* const found = cache_.find(pools, number);
      if (!found) continue;
      evicting_for_ = slot;
      if (found->dirty.any()) evicted(*found, number, found->address ? cache_.bytes(*found) : nullptr);
      evicting_for_ = no_slot;
      cache_.remove(*found);
    }
  }
  medium_.arrive({request.address, request.bytes, true, slot, request.payload, request.line});
}

/// One line, or a part of it.
void HostNvm::serve_core(u32 slot) {
  using memory::HostAccess;
  const memory::DeviceRequest& request = slots_[slot].request;
  switch (request.host) {
    case HostAccess::none:
    case HostAccess::drive:  // drives do not reach pools
    case HostAccess::load:
    case HostAccess::store: {
      const bool hit = cache_.find(pools, request.address / cache_.line_bytes());
      if (!hit) return medium_.arrive({request.address, request.bytes, false, slot});
      ++accounts_[request.account].cache_hits;
      if (request.write) return write_to_cache(slot);
      wheel_.at<&HostNvm::host_done>(wheel_.now() + cache_latency_, *this, slot);
      return;
    }
    case HostAccess::write_back:
      if (!cache_.none()) return write_to_cache(slot);
      return write_through(slot);
    case HostAccess::stream:
      return write_through(slot);
    case HostAccess::flush:
      return flush(slot, 0);
  }
}

/// The medium has read the line that a core asked for.
void HostNvm::fetched_for_core(u32 slot) {
  const memory::DeviceRequest& request = slots_[slot].request;
  if (request.write) {
    if (!cache_.none()) return write_to_cache(slot);
    slots_[slot].request.host = memory::HostAccess::stream;  // the medium is not asked for the line again
    return write_through(slot);
  }
  const u64 number = request.address / cache_.line_bytes();
  ++accounts_[request.account].cache_misses;
  if (!cache_.none() && !cache_.find(pools, number)) {
    evicting_for_ = slot;
    cache_.add(pools, number, true).address = request.line;
    evicting_for_ = no_slot;
  }
  host_done(slot, 0);
}

/// The line's dirty bytes go to the medium: those of the core's own cache, and those of the last-level cache.
void HostNvm::flush(u64 slot, u64 taken) {
  memory::DeviceRequest& request = slots_[static_cast<u32>(slot)].request;
  const u64 number = request.address / cache_.line_bytes();
  LastLevelCache::Line* const line = cache_.find(pools, number);
  const bool handed = request.payload != memory::no_payload, dirty = line && line->dirty.any();
  if (!handed && !dirty) {
    wheel_.at<&HostNvm::host_done>(wheel_.now() + cache_latency_, *this, slot);
    return;
  }
  const core::Cycle turn = taken ? wheel_.now() : turns_.cores.turn_of(number, wheel_.now());
  if (turn > wheel_.now()) return wheel_.at<&HostNvm::flush>(turn, *this, slot, 1);
  memory::PayloadId payload = std::exchange(request.payload, memory::no_payload);
  if (dirty) {
    if (!handed) {
      payload = payloads_->take();
      (*payloads_)[payload].valid = {};
    }
    memory::Payload& bytes = (*payloads_)[payload];
    const memory::ByteMask more = line->dirty & ~bytes.valid;
    memory::copy_bytes(bytes.bytes.data(), cache_.bytes(*line), more);
    bytes.valid = bytes.valid | more;
    line->dirty = {};
  }
  NvmAccess access{number * cache_.line_bytes(), cache_.line_bytes(), true, slot, payload, request.line};
  access.durable = eadr_ && !handed;
  medium_.arrive(access);
}

void HostNvm::medium_done(u64 token) {
  if (token & loose) {
    --loose_evictions_;
    return;
  }
  const u32 slot = static_cast<u32>(token);
  if (token & eviction) return release(slot);
  const memory::HostAccess host = slots_[slot].request.host;
  if (host == memory::HostAccess::load || host == memory::HostAccess::store) return fetched_for_core(slot);
  host_done(slot, 0);
}

void HostNvm::host_done(u64 slot, u64) {
  const memory::DeviceRequest& request = slots_[slot].request;
  if (!request.client || request.host != memory::HostAccess::none) return finish(slot, 0);
  answers_.send<&HostNvm::finish>(request.write ? 0 : request.bytes, request.fence ? request.bytes : 0, *this, slot);
}

void HostNvm::finish(u64 slot, u64) {
  const memory::DeviceRequest request = slots_[slot].request;
  if (request.client) request.client->served(request.token);
  release(static_cast<u32>(slot));
}

void HostNvm::release(u32 slot) {
  if (--slots_[slot].parts) return;
  slots_.give_back(slot);
  slots_.call_waiting();
}

void HostNvm::notify_when_free(bool, core::TimeWheel::Handler handler, void* target, u64 a) {
  slots_.wait(handler, target, a);
}

void HostNvm::drop(u64 begin, u64 end) {
  for (const Slot& slot : slots_.all())
    if (slot.request.payload != memory::no_payload)
      memory::clear_range((*payloads_)[slot.request.payload].valid, slot.request.line, begin, end);
  medium_.drop(begin, end);
  cache_.drop(begin, end);
}

const memory::DeviceStatistics& HostNvm::statistics() const {
  statistics_ = accounts_.total();
  medium_.add_to(statistics_);
  return statistics_;
}

MediaKind kinds::host_nvm() {
  return {
      .name = "host-nvm",
      .sentence =
          "Non-volatile memory beside host DRAM, behind the host link, with the host's last-level cache (DDIO).",
      .place = MediaPlace::host_pools,
      .make = [](const MediaConfig& config, const MediaParts& parts) -> std::unique_ptr<memory::Device> {
        return std::make_unique<HostNvm>(config.nvm, config.host_memory, parts);
      },
  };
}

}  // namespace ew::media
