#include "memory/durable_image.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/diagnostics.hpp"
#include "memory/masks.hpp"

namespace ew::memory {

DurableImage::~DurableImage() = default;

void DurableImage::attach(u64 begin, u64 bytes, u8* durable) {
  const auto next = std::ranges::upper_bound(pools_, begin, {}, &Pool::begin);
  pools_.insert(next, Pool{.begin = begin, .bytes = bytes, .durable = durable});
  last_ = 0;
}

void DurableImage::detach(u64 begin) {
  std::erase_if(pools_, [&](const Pool& pool) { return pool.begin == begin; });
  last_ = 0;
}

const DurableImage::Pool* DurableImage::find(u64 address) const {
  if (last_ < pools_.size() && address - pools_[last_].begin < pools_[last_].bytes) return &pools_[last_];
  const auto next = std::ranges::upper_bound(pools_, address, {}, &Pool::begin);
  if (next == pools_.begin() || address - std::prev(next)->begin >= std::prev(next)->bytes) return nullptr;
  last_ = static_cast<std::size_t>(std::prev(next) - pools_.begin());
  return &pools_[last_];
}

void DurableImage::write(u64 line, const u8* bytes, const ByteMask& mask, u64 cycle) {
  Pool* const pool = find(line);
  if (!pool || !mask.any()) return;
  cycle_ = cycle;
  copy_bytes(pool->durable + (line - pool->begin), bytes, mask);
  ++statistics_.writes;
  statistics_.bytes += mask.count();
  ++number_;
  if (log_) record_runs(line, bytes, mask);
  count();
}

ByteMask DurableImage::differs(u64 begin, const u8* now, u32 bytes) const {
  ByteMask mask;
  const Pool* const pool = find(begin);
  if (!pool) return mask;
  const u64 offset = begin - pool->begin;
  const u8* const durable = pool->durable + offset;
  const u32 inside = static_cast<u32>(std::min<u64>(bytes, pool->bytes - offset));
  for (u32 at = 0; at < inside; at += 8) {
    const u32 count = std::min(8u, inside - at);
    const bool same = count == 8 ? std::memcmp(durable + at, now + at, 8) == 0  // one comparison of words
                                 : std::memcmp(durable + at, now + at, count) == 0;
    if (!same) mask.bits[0] |= (u64{0xff} >> (8 - count)) << at;
  }
  return mask;
}

void DurableImage::copy(u64 begin, u64 size, const u8* from) {
  constexpr u64 most = 64;  // a line of the host's cache
  Pool* const pool = find(begin);
  if (!pool) return;
  u8* const to = pool->durable + (begin - pool->begin);
  for (u64 at = 0, next = 0; at < size; at = next) {
    next = std::min(size, at + most - (begin + at) % most);
    if (std::memcmp(to + at, from + at, next - at) == 0) continue;
    std::memcpy(to + at, from + at, next - at);
    ++statistics_.host_writes;
    statistics_.host_bytes += next - at;
    ++number_;
    if (log_) record(begin + at, from + at, static_cast<u32>(next - at));
    count();
  }
}

/// The durable write `number_` is over.
void DurableImage::count() {
  if (number_ != crash_at_) return;
  if (log_) std::fflush(log_.get());
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();  // nothing more is written until the signal arrives
}

void DurableImage::record_runs(u64 line, const u8* bytes, const ByteMask& mask) {
  for (u32 half = 0; half < 2; ++half) {
    u64 bits = mask.bits[half];
    for (u32 at = 0; bits;) {
      const u32 skipped = static_cast<u32>(std::countr_zero(bits));
      at += skipped;
      bits >>= skipped;
      const u32 run = static_cast<u32>(std::countr_one(bits));
      record(line + half * 64 + at, bytes + half * 64 + at, run);
      at += run;
      bits = run == 64 ? 0 : bits >> run;
    }
  }
}

void DurableImage::record(u64 address, const u8* bytes, u32 count) {
  const DurableRecord head{cycle_, address, count, static_cast<u32>(number_)};
  std::fwrite(&head, sizeof head, 1, log_.get());
  std::fwrite(bytes, 1, count, log_.get());
}

void DurableImage::worn(u64 granule, u64 bytes) {
  Pool* const pool = find(granule);
  if (!pool) return;
  if (pool->wear.empty()) {
    pool->granule = bytes;
    pool->wear.resize((pool->bytes + bytes - 1) / bytes + 1);
  }
  u32& wear = pool->wear[(granule - pool->begin) / pool->granule];
  if (wear == 0) ++statistics_.granules_worn;
  statistics_.most_worn = std::max<u64>(statistics_.most_worn, ++wear);
}

bool DurableImage::log_to(const std::string& path) {
  log_.reset(std::fopen(path.c_str(), "wb"));
  if (log_) std::setvbuf(log_.get(), nullptr, _IOFBF, 1 << 20);
  return log_ != nullptr;
}

void DurableImage::flush_log() {
  if (log_ && (std::fflush(log_.get()) != 0 || std::ferror(log_.get())))
    throw core::UserError(fmt::format("the log of durable writes cannot be written: {}", std::strerror(errno)));
}

}  // namespace ew::memory
