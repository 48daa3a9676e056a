// Bytes of a lane's local memory, where the frames of its functions lie: word w of lane l at [w * 32 + l].
#pragma once

#include "simt/warp.hpp"

namespace ew::simt {

inline u8 local_byte(const Warp& warp, u32 lane, u64 offset) {
  return static_cast<u8>(warp.local.data()[offset / 4 * warp_lanes + lane] >> (offset % 4 * 8));
}

inline void set_local_byte(Warp& warp, u32 lane, u64 offset, u8 value) {
  u32& word = warp.local.data()[offset / 4 * warp_lanes + lane];
  const u32 shift = offset % 4 * 8;
  word = (word & ~(0xffu << shift)) | u32{value} << shift;
}

/// An argument or a result of these lanes, from one frame to another.
void copy_local(Warp&, u32 from, u32 to, u32 size, LaneMask);

}  // namespace ew::simt
