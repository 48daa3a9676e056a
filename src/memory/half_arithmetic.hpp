// Sums of half-precision and bfloat16 numbers, rounded once, to nearest even. Functions of their arguments.
#pragma once

#include "core/types.hpp"

namespace ew::memory {

/// IEEE 754 binary16, as bits.
u16 add_half(u16 a, u16 b);
/// The upper half of a float, as bits.
u16 add_bfloat(u16 a, u16 b);

/// Two numbers in a word, each for itself.
template <u16 (*Add)(u16, u16)>
u32 add_pair(u32 a, u32 b) {
  return Add(static_cast<u16>(a), static_cast<u16>(b)) | u32{Add(static_cast<u16>(a >> 16), static_cast<u16>(b >> 16))}
                                                             << 16;
}

}  // namespace ew::memory
