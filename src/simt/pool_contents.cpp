#include "simt/pool_contents.hpp"

#include <cstring>
#include <utility>

namespace ew::simt {

void PoolContents::add(u64 address, u64 size) {
  Pool pool{address, address + size, {}, {}};
  const u64* words = reinterpret_cast<const u64*>(address);
  const std::size_t count = static_cast<std::size_t>((size + 7) / 8);
  pool.known.assign(words, words + count);
  if (timing_) pool.written.resize((count + 63) / 64);
  pools_.push_back(std::move(pool));
  find_bounds();
}

void PoolContents::remove(u64 address) {
  std::erase_if(pools_, [&](const Pool& pool) { return pool.begin == address; });
  find_bounds();
}

u64 PoolContents::end_of(u64 address) const {
  for (const Pool& pool : pools_)
    if (pool.begin == address) return pool.end;
  return 0;
}

void PoolContents::find_bounds() {
  low_ = pools_.empty() ? 0 : ~u64{0}, high_ = 0;
  for (const Pool& one : pools_) low_ = std::min(low_, one.begin), high_ = std::max(high_, one.end);
}

void PoolContents::device_wrote(u64 address, u64 bytes) {
  for (Pool& pool : pools_) {
    if (address < pool.begin || address >= pool.end) continue;
    const u64 offset = address - pool.begin;
    if (!timing_) {
      std::memcpy(reinterpret_cast<u8*>(pool.known.data()) + offset, reinterpret_cast<const void*>(address), bytes);
      continue;
    }
    for (u64 word = offset / 8; word <= (offset + bytes - 1) / 8; ++word)
      pool.written[word / 64] |= u64{1} << word % 64;
  }
}

void PoolContents::over() {
  if (timing_ && under_way_ > 0 && --under_way_ == 0) settle();
}

void PoolContents::all_over() {
  under_way_ = 1;
  over();
}

/// Nothing is under way: the pools hold what it has written.
void PoolContents::settle() {
  for (Pool& pool : pools_) {
    const u64* now = reinterpret_cast<const u64*>(pool.begin);
    for (std::size_t group = 0; group < pool.written.size(); ++group)
      for (u64 left = std::exchange(pool.written[group], 0); left; left &= left - 1) {
        const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(left));
        pool.known[word] = now[word];
      }
  }
}

void PoolContents::find_all_host_stores() {
  for (const Pool& pool : pools_) find_host_stores(pool.begin, pool.end);
}

void PoolContents::find_host_stores(u64 begin_address, u64 end_address) {
  for (Pool& pool : pools_) {
    const u64 from = std::max(begin_address, pool.begin), to = std::min(end_address, pool.end);
    if (from >= to) continue;
    u8* const known = reinterpret_cast<u8*>(pool.known.data());
    if (std::memcmp(reinterpret_cast<const u8*>(from), known + (from - pool.begin), to - from) == 0) continue;
    writer_.begin({.kind = EventKind::host_store});
    each_piece(from, to - from, [&](u64 at, u32 bytes) {
      const u64 offset = at - pool.begin, word = offset / 8;
      if (timing_ && (pool.written[word / 64] >> word % 64 & 1)) return;
      if (std::memcmp(reinterpret_cast<const u8*>(at), known + offset, bytes) == 0) return;
      writer_.put_piece(at, bytes);
      std::memcpy(known + offset, reinterpret_cast<const u8*>(at), bytes);
    });
    writer_.finish_change();
  }
}

}  // namespace ew::simt
