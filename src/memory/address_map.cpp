#include "memory/address_map.hpp"

#include <algorithm>
#include <tuple>

namespace ew::memory {
namespace {

constexpr u64 page = 4096;
// An arena's bytes start at its number times this; adopted memory follows behind the last arena.
constexpr u64 arena_stride = u64{1} << 41;
constexpr u64 first_adopted = arena_stride * 8, first_pool_frame = arena_stride * 16;

bool behind_host_link(Region region) {
  return region == Region::host || region == Region::registered || region == Region::mmio;
}

/// Spreads what differs in a few bits of `value` over all of the result.
u32 mix(u64 value) {
  value *= 0x9e37'79b9'7f4a'7c15;
  value ^= value >> 32;
  value *= 0xd6e8'feb8'6659'fd93;
  return static_cast<u32>(value >> 32);
}

}  // namespace

AddressMap::AddressMap(const AddressMapConfig& config, const AddressSpace& space)
    : config_(config), space_(space), reaches_host_(space.reaches_host()), adopted_end_(first_adopted) {
  std::tie(pools_begin_, pools_bytes_) = space.pool_range();
  refresh();
}

void AddressMap::refresh() {
  if (adoptions_ == space_.adoptions()) return;
  adoptions_ = space_.adoptions();
  windows_.clear();
  last_ = 0;
  has_mmio_ = false;
  u64 arena = 0;
  for (const AddressSpace::Window& window : space_.windows()) {
    const bool host = behind_host_link(window.region), mmio = window.region == Region::mmio;
    const bool shared = window.region != Region::device && window.region != Region::constant;
    has_mmio_ |= mmio;
    if (window.region == Region::pool) {
      if (window.number) map_frames(window.begin, window.end);
      continue;
    }
    if (window.number == 0) {
      windows_.push_back({window.begin, window.end, arena++ * arena_stride, host, shared, mmio});
      continue;
    }
    // Whole pages: a line may reach beyond what was registered. The physical address stays while the adoption lives.
    const u64 begin = window.begin & ~(page - 1), end = (window.end + page - 1) & ~(page - 1);
    auto known = std::lower_bound(adopted_.begin(), adopted_.end(), std::pair{window.number, u64{0}});
    if (known == adopted_.end() || known->first != window.number) {
      known = adopted_.insert(known, {window.number, adopted_end_});
      adopted_end_ += end - begin;
    }
    windows_.push_back({begin, end, known->second, host, shared, mmio});
  }
  for (std::size_t i = 0; i < pool_frames_.size(); ++i) {
    if (i && pool_frames_[i] == pool_frames_[i - 1] + pool_frame)
      windows_.back().end += pool_frame;
    else
      windows_.push_back(
          {pool_frames_[i], pool_frames_[i] + pool_frame, first_pool_frame + i * pool_frame, false, true, false});
  }
  std::sort(windows_.begin(), windows_.end(), [](const Window& a, const Window& b) { return a.begin < b.begin; });
}

/// The frames that a pool is the first to lie in.
void AddressMap::map_frames(u64 begin, u64 end) {
  for (u64 frame = begin - (begin - pools_begin_) % pool_frame; frame < end; frame += pool_frame)
    if (std::find(pool_frames_.begin(), pool_frames_.end(), frame) == pool_frames_.end()) pool_frames_.push_back(frame);
}

const AddressMap::Window* AddressMap::look_up(u64 line) const {
  const auto next =
      std::upper_bound(windows_.begin(), windows_.end(), line, [](u64 a, const Window& w) { return a < w.begin; });
  if (next == windows_.begin() || line >= std::prev(next)->end) return nullptr;
  last_ = static_cast<std::size_t>(std::prev(next) - windows_.begin());
  return &windows_[last_];
}

/// Consecutive blocks of `interleave` bytes go to the slices in turn; with `hashed`, each round of slices starts
/// elsewhere, so that no stride stays on one slice while a sequence still meets each equally often.
u16 AddressMap::slice_of(Place place) const {
  const u64 block = place.physical / config_.interleave, round = block / config_.slices;
  u64 slice = block - round * config_.slices;
  if (config_.hashed) slice = (slice + mix(round)) % config_.slices;
  return static_cast<u16>(slice);
}

DevicePlace AddressMap::in_device(Place place) const {
  if (place.host && !config_.shared) return {static_cast<u16>(config_.channels), place.physical};
  if (!place.persistent) return in_channel(place, config_.channels);
  DevicePlace found{0, place.physical};
  if (config_.nvm_channels) found = in_channel(place, config_.nvm_channels);
  found.device = static_cast<u16>(found.device + config_.channels + 1);
  return found;
}

/// A channel's slices follow each other in its own address space.
DevicePlace AddressMap::in_channel(Place place, u32 channels) const {
  const u64 slice = slice_of(place), round = place.physical / config_.interleave / config_.slices;
  const u64 channel = slice * channels / config_.slices;
  const u64 first = (channel * config_.slices + channels - 1) / channels;
  const u64 beyond = ((channel + 1) * config_.slices + channels - 1) / channels;
  return {static_cast<u16>(channel),
          (round * (beyond - first) + (slice - first)) * config_.interleave + place.physical % config_.interleave};
}

}  // namespace ew::memory
