// Sets of an SM's warps as the sbrp model keeps them: one bit a warp slot.
#pragma once

#include <bit>

#include "core/types.hpp"

namespace ew::persistency {

inline u64 bit(u32 warp) {
  return u64{1} << warp;
}

/// Calls `visit` with each warp of the set, in the order of their slots.
template <class Visitor>
void each(u64 warps, Visitor&& visit) {
  for (; warps; warps &= warps - 1) visit(static_cast<u32>(std::countr_zero(warps)));
}

}  // namespace ew::persistency
