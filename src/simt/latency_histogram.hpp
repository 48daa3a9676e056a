// How long loads took, by who served them: counts in buckets of a quarter of an octave, so that a percentile is known
// to a fifth of its value, and counting is one increment.
#pragma once

#include <array>
#include <bit>

#include "core/types.hpp"

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

struct LatencyHistograms {
  std::array<std::array<u64, latency_buckets>, latency_levels> of{};

  void add(const LatencyHistograms& more) {
    for (u32 level = 0; level < latency_levels; ++level)
      for (u32 bucket = 0; bucket < latency_buckets; ++bucket) of[level][bucket] += more.of[level][bucket];
  }
};

}  // namespace ew::simt
