#include "simt/cube_map.hpp"

#include <cmath>

namespace ew::simt {
namespace {

/// The direction of the point (s, t) of a face that is `m` away from the middle of the cube.
std::array<float, 3> direction_of(u32 face, float s, float t, float m) {
  switch (face) {
    case 0:
      return {m, -t, -s};
    case 1:
      return {-m, -t, s};
    case 2:
      return {s, m, t};
    case 3:
      return {s, -m, -t};
    case 4:
      return {s, -t, m};
    default:
      return {-s, -t, -m};
  }
}

}  // namespace

CubePoint cube_point(const std::array<float, 3>& direction) {
  const auto [x, y, z] = direction;
  const float ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
  if (az >= ax && az >= ay) return z < 0 ? CubePoint{5, -x / az, -y / az} : CubePoint{4, x / az, -y / az};
  if (ay >= ax) return y < 0 ? CubePoint{3, x / ay, -z / ay} : CubePoint{2, x / ay, z / ay};
  return x < 0 ? CubePoint{1, z / ax, -y / ax} : CubePoint{0, -z / ax, -y / ax};
}

std::optional<CubeTexel> cube_texel(u32 face, std::array<i64, 3> index, i64 side) {
  const bool beyond_s = index[0] < 0 || index[0] >= side, beyond_t = index[1] < 0 || index[1] >= side;
  if (beyond_s && beyond_t) return std::nullopt;
  if (!beyond_s && !beyond_t) return CubeTexel{face, index};
  const auto size = static_cast<float>(side);
  const auto middle = [&](i64 at) { return static_cast<float>(2 * at + 1) / size - 1; };
  // Half a texel down the side of the cube: the middle of the first texel there.
  const float s = beyond_s ? (index[0] < 0 ? -1.0f : 1.0f) : middle(index[0]);
  const float t = beyond_t ? (index[1] < 0 ? -1.0f : 1.0f) : middle(index[1]);
  const CubePoint next = cube_point(direction_of(face, s, t, 1 - 1 / size));
  const auto texel = [&](float at) { return static_cast<i64>(std::floor((at + 1) / 2 * size)); };
  return CubeTexel{next.face, {texel(next.s), texel(next.t), 0}};
}

}  // namespace ew::simt
