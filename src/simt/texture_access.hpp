// A texture instruction whose texels are being read: what each lane weighs, and where the texels come to. Owned by the
// TextureUnit, which uses it again; one is taken from the beginning of the instruction until its registers are written.
#pragma once

#include <array>

#include "simt/block.hpp"
#include "simt/texture_sampler.hpp"

namespace ew::simt {

struct TextureAccess {
  static constexpr u32 words = 4;  // of the largest texel

  Warp* warp = nullptr;  // nullptr: free
  const ptx::TextureForm* form = nullptr;
  LaneMask lanes = 0;
  u32 row_base = 0;
  u32 pending = 0;    // texels' operations that are at the performer
  bool parks = true;  // MemoryOp::parks of these
  // Copies: the program may destroy an object while a fetch of it is pending.
  std::array<TextureObject, warp_lanes> objects;
  u32 object_count = 0;
  std::array<u8, warp_lanes> object_of;  // per lane
  std::array<Taps, warp_lanes> taps;
  Words texels;  // word w of tap t of lane l at [(t * words + w) * 32 + l]

  TextureAccess() { texels.grow(most_taps * words * warp_lanes); }
  const TextureObject& object(u32 lane) const { return objects[object_of[lane]]; }
  /// What the destination registers of a lane get. REQUIRES: nothing is pending.
  Texel answer(u32 lane) const;
};

}  // namespace ew::simt
