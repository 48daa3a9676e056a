// When a register can be read, or a warp's next instruction may issue: at a cycle, or when an access is over. Values
// only: a greater one is later, and an access is later than every cycle.
#pragma once

#include "core/time_wheel.hpp"

namespace ew::simt {

using core::Cycle;

inline constexpr u32 no_access = ~u32{0};

/// Where a value comes from, or what comes before the next instruction.
enum class Source : u8 { computed, cached, from_shared, constant, branch, barrier };

/// The cycle above three bits of its source; or the top bit and the number of an access.
using Readiness = u64;
inline constexpr Readiness by_access = u64{1} << 63;

constexpr Readiness ready_at(Cycle when, Source source) {
  return when << 3 | static_cast<u64>(source);
}
constexpr Readiness ready_with(u32 access) {
  return by_access | access;
}
constexpr bool waits_for_access(Readiness r) {
  return (r & by_access) != 0;
}
constexpr u32 access_of(Readiness r) {
  return static_cast<u32>(r);
}
constexpr Cycle cycle_of(Readiness r) {
  return r >> 3;
}
constexpr Source source_of(Readiness r) {
  return static_cast<Source>(r & 7);
}

}  // namespace ew::simt
