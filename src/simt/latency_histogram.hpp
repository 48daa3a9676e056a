// How long loads took, by who served them: counts in buckets of a quarter of an octave, so that a percentile is known
// to a fifth of its value, and counting is one increment.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "core/accounts.hpp"

namespace ew::simt {

/// By memory::ServedBy; 0 is none.
inline constexpr u32 latency_levels = 7;
inline constexpr const char* latency_names[latency_levels] = {
    nullptr,
#define LEVEL(number, name, sentence) name,
#include "simt/statistics/latency.inc"
#undef LEVEL
};

/// 0 to 7 cycles have a bucket each, then each octave has four; what is above 2^24 is in the last.
inline constexpr u32 latency_buckets = 8 + 4 * 21;
constexpr u32 latency_bucket(u64 cycles) {
  if (cycles < 8) return static_cast<u32>(cycles);
  const u32 octave = static_cast<u32>(std::bit_width(cycles)) - 4;  // 0: 8 to 15
  const u32 bucket = 8 + 4 * octave + static_cast<u32>(cycles >> (octave + 1) & 3);
  return bucket < latency_buckets ? bucket : latency_buckets - 1;
}
/// The least latency of a bucket.
constexpr u64 latency_from(u32 bucket) {
  if (bucket < 8) return bucket;
  const u32 octave = (bucket - 8) / 4;
  return (u64{4} + (bucket - 8) % 4) << (octave + 1);
}
static_assert(latency_bucket(8) == 8 && latency_from(8) == 8 && latency_from(latency_bucket(1000)) == 896);

/// Of a launch that has ended: the buckets that have something in them.
struct LatencyCounts {
  struct Bucket {
    u8 level = 0, bucket = 0;
    u64 count = 0;
  };
  std::vector<Bucket> buckets;
};

struct LatencyHistograms {
  std::array<std::array<u64, latency_buckets>, latency_levels> of{};

  void add(const LatencyCounts& more) {
    for (const LatencyCounts::Bucket& one : more.buckets) of[one.level][one.bucket] += one.count;
  }
};

/// Those of each account. A set stays where it is.
class LatencyAccounts {
 public:
  /// REQUIRES: open() has been called for the account, at any time.
  LatencyHistograms& operator[](core::Account account) { return *sets_[account]; }

  void open(core::Account account) {
    if (account >= sets_.size()) sets_.resize(account + std::size_t{1});
    if (!sets_[account]) sets_[account] = std::make_unique<LatencyHistograms>();
  }
  /// What the account has counted since it was taken last. `counts`: how many in each level, so that empty levels
  /// are not looked through.
  LatencyCounts take(core::Account account, const std::array<u64, latency_levels>& counts) {
    LatencyCounts taken;
    for (u8 level = 0; level < latency_levels; ++level) {
      if (!counts[level]) continue;
      auto& buckets = sets_[account]->of[level];
      for (u8 bucket = 0; bucket < latency_buckets; ++bucket)
        if (buckets[bucket]) taken.buckets.push_back({level, bucket, std::exchange(buckets[bucket], 0)});
    }
    return taken;
  }

 private:
  std::vector<std::unique_ptr<LatencyHistograms>> sets_;
};

}  // namespace ew::simt
