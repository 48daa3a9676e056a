// Exact time between clocks. The wheel counts SM cycles; a link counts bytes of its bandwidth, a memory cycles of its
// own clock. Each keeps its times as whole ticks of its own and asks here for the SM cycle in which something happens:
// rounding is up, to the first cycle that is not too early, and never enters the kept times, so that no error adds up.
//
// A tick is 1/hertz seconds: a cycle of another clock, or a byte of a bandwidth. Products have 128 bits: exact as long
// as the ticks themselves fit into 64 (12 hours at 4e14 ticks a second).
#pragma once

#include <numeric>

#include "core/types.hpp"
#include "core/units.hpp"

namespace ew::core {

class ClockRatio {
 public:
  /// REQUIRES: both are above zero.
  static ClockRatio of_hertz(Kilohertz sm, u64 hertz) { return ClockRatio(sm.count * 1000, hertz); }
  /// Ticks are `ticks_per_cycle`-ths of a cycle of `other`.
  static ClockRatio of_clock(Kilohertz sm, Kilohertz other, u64 ticks_per_cycle = 1) {
    return ClockRatio(sm.count * 1000, other.count * 1000 * ticks_per_cycle);
  }
  /// Ticks are bytes.
  static ClockRatio of_bandwidth(Kilohertz sm, BytesPerSecond bandwidth) {
    return ClockRatio(sm.count * 1000, bandwidth.count);
  }

  /// The first SM cycle that does not begin before the tick.
  u64 cycle_at(u64 tick) const { return scale_up(tick, cycles_, ticks_); }
  /// The first tick that does not begin before the SM cycle.
  u64 tick_at(u64 cycle) const { return scale_up(cycle, ticks_, cycles_); }
  /// Whole ticks that pass in so many SM cycles.
  u64 ticks_within(u64 cycles) const { return static_cast<u64>(Wide{cycles} * ticks_ / cycles_); }
  /// Ticks that cover a duration: for a latency, which is added once.
  u64 ticks_covering(Picoseconds time) const { return scale_up(time.count, hertz_, 1'000'000'000'000); }

 private:
  using Wide = unsigned __int128;

  ClockRatio(u64 sm_hertz, u64 hertz)
      : cycles_(sm_hertz / std::gcd(sm_hertz, hertz)), ticks_(hertz / std::gcd(sm_hertz, hertz)), hertz_(hertz) {}

  static u64 scale_up(u64 value, u64 to, u64 from) {
    const Wide product = Wide{value} * to + (from - 1);
    // A division of 64 bits is several times cheaper, and nearly always enough.
    if (static_cast<u64>(product >> 64) == 0) return static_cast<u64>(product) / from;
    return static_cast<u64>(product / from);
  }

  u64 cycles_, ticks_;  // as many SM cycles as ticks take the same time; no common divisor
  u64 hertz_;
};

/// SM cycles that cover a duration.
inline u64 cycles_covering(Kilohertz sm, Picoseconds time) {
  return static_cast<u64>((static_cast<unsigned __int128>(time.count) * sm.count + 999'999'999) / 1'000'000'000);
}

}  // namespace ew::core
