#include "simt/local_bytes.hpp"

#include <bit>

namespace ew::simt {

void copy_local(Warp& warp, u32 from, u32 to, u32 size, LaneMask mask) {
  u32* words = warp.local.data();
  u32 i = 0;
  if (from % 4 == 0 && to % 4 == 0) {
    for (; i + 4 <= size; i += 4) {
      u32* target = words + (to + i) / 4 * warp_lanes;
      const u32* source = words + (from + i) / 4 * warp_lanes;
      for (u32 lane = 0; lane < warp_lanes; ++lane) target[lane] = (mask >> lane) & 1 ? source[lane] : target[lane];
    }
  }
  for (; i < size; ++i)
    for (LaneMask left = mask; left; left &= left - 1) {
      const u32 lane = std::countr_zero(left);
      set_local_byte(warp, lane, to + i, local_byte(warp, lane, from + i));
    }
}

}  // namespace ew::simt
