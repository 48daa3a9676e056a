// The six faces of a cube map: which face a direction meets and where, and which texel lies across a face's edge. CUDA
// C++ Programming Guide, "Cubemap Textures". Pure functions.
#pragma once

#include <array>
#include <optional>

#include "core/types.hpp"

namespace ew::simt {

/// A point of a face; both coordinates go from -1 to 1.
struct CubePoint {
  u32 face = 0;  // +x -x +y -y +z -z
  float s = 0, t = 0;
};

/// Of equal axes z counts before y, and y before x.
CubePoint cube_point(const std::array<float, 3>& direction);

struct CubeTexel {
  u32 face = 0;
  std::array<i64, 3> index{};
};

/// The texel at `index` of a face with `side` texels a side; at most one coordinate beyond the edge, by one: the texel
/// of the next face. Beyond two edges, at a corner of the cube, there is none.
std::optional<CubeTexel> cube_texel(u32 face, std::array<i64, 3> index, i64 side);

}  // namespace ew::simt
