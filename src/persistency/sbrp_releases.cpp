#include "persistency/sbrp_releases.hpp"

#include <algorithm>

namespace ew::persistency {

void SbrpReleases::begin(u64 warps) {
  each(warps, [&](u32 warp) { released_[warp] = {}; });
}

void SbrpReleases::write(u64 name, u32 warp, PersistBuffer& buffer) {
  if (!matches_) return;
  const Release& release = released_[warp];
  if (release.place == PersistBuffer::none) return;
  const u32 number = number_of(name);
  Flag& flag = flags_[number];
  if (!buffer.inside(release.place)) {
    flag.durable_at = std::max(flag.durable_at, release.durable_at);
    return;
  }
  buffer.name(release.place, number, any_flag);
  flag.open = flag.open == PersistBuffer::none ? release.place : std::max(flag.open, release.place);
}

void SbrpReleases::retire(const PersistBuffer::Entry& entry, Place place, Mark durable_at) {
  each(entry.warps, [&](u32 warp) {
    if (released_[warp].place == place) released_[warp].durable_at = durable_at;
  });
  const auto left = [&](Flag& flag) {
    if (flag.open == PersistBuffer::none) return;
    flag.durable_at = std::max(flag.durable_at, durable_at);
    if (place == flag.open) flag.open = PersistBuffer::none;
  };
  if (entry.way == any_flag)
    std::ranges::for_each(flags_, left);
  else if (entry.way != PersistBuffer::unnamed)
    left(flags_[entry.way]);
}

void SbrpReleases::read(u64 name, u32 warp) {
  if (!matches_) return;
  const u16 number = number_of(name);
  Reads& reads = reads_[warp];
  const auto end = reads.flag.begin() + std::min(reads.count, most_read);
  if (std::find(reads.flag.begin(), end, number) != end) return;
  if (reads.count < most_read) reads.flag[reads.count] = number;
  reads.count += reads.count <= most_read;
}

u32 SbrpReleases::next(u32 warp) const {
  const Reads& reads = reads_[warp];
  return reads.done < reads.count ? reads.flag[reads.done] : no_flag;
}

bool SbrpReleases::has_acquired(u32 warp) const {
  const Reads& reads = reads_[warp];
  const u32 flag = reads.flag[reads.done];
  return reads.acquired[reads.done] == std::pair{flag, flags_[flag].open};
}

void SbrpReleases::acquire(u32 warp) {
  Reads& reads = reads_[warp];
  const u32 flag = reads.flag[reads.done];
  reads.acquired[reads.done] = {flag, flags_[flag].open};
}

u64 SbrpReleases::behind(u64 warps) const {
  u64 some = 0;
  each(warps, [&](u32 warp) { some |= acquired_[warp] != count_ ? bit(warp) : 0; });
  return some;
}

void SbrpReleases::acquire_all(u64 warps) {
  each(warps, [&](u32 warp) { acquired_[warp] = count_; });
}

}  // namespace ew::persistency
