#include "simt/texture_sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "simt/cube_map.hpp"

namespace ew::simt {
namespace {

using Format = TextureObject::Format;
using Address = TextureObject::Address;

float from_half(u16 bits) {
  const u32 exponent = (bits >> 10) & 31, fraction = bits & 0x3ff, sign = u32{bits & 0x8000u} << 16;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(fraction), -24), bits & 0x8000 ? -1.0f : 1.0f);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

float from_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

/// The filter's weights are 9-bit fixed point numbers with 8 bits of fraction.
float weight(float fraction) {
  return std::nearbyint(fraction * 256.0f) / 256.0f;
}

constexpr std::array<std::array<i64, 2>, 4> gather_order{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};

i64 floor_index(float value) {
  if (std::isnan(value)) return 0;
  return static_cast<i64>(std::floor(std::clamp(value, -1e9f, 1e9f)));
}

}  // namespace

bool TextureSampler::reads_float() const {
  return object_.format == Format::floating || object_.normalized_read;
}

i64 TextureSampler::extent(u32 axis) const {
  const u32 size = axis == 0 ? object_.width : axis == 1 ? object_.height : object_.depth;
  return std::max<i64>(size, 1);
}

i64 TextureSampler::addressed(i64 index, u32 axis) const {
  const i64 size = extent(axis);
  if (index >= 0 && index < size) return index;
  Address mode = object_.address_mode[axis];
  if (!object_.normalized_coordinates && mode != Address::border) mode = Address::clamp;
  switch (mode) {
    case Address::clamp:
      return std::clamp<i64>(index, 0, size - 1);
    case Address::wrap:
      return ((index % size) + size) % size;
    case Address::mirror: {
      const i64 at = ((index % (2 * size)) + 2 * size) % (2 * size);
      return at < size ? at : 2 * size - 1 - at;
    }
    case Address::border:
      return -1;
  }
  return -1;
}

Texel TextureSampler::convert(const u8* bytes) const {
  Texel texel{0, 0, 0, reads_float() ? std::bit_cast<u32>(1.0f) : 1u};
  for (u32 c = 0; c < object_.channels && c < 4; ++c) {
    u32 raw = 0;
    std::memcpy(&raw, bytes + c * object_.channel_bytes, object_.channel_bytes);
    const u32 bits = object_.channel_bytes * 8;
    const i32 extended = static_cast<i32>(raw << (32 - bits)) >> (32 - bits);
    if (object_.format == Format::floating) {
      texel[c] = object_.channel_bytes == 2 ? std::bit_cast<u32>(from_half(static_cast<u16>(raw))) : raw;
    } else if (object_.normalized_read) {
      const double largest =
          object_.format == Format::signed_integer ? double((1u << (bits - 1)) - 1) : double((u64{1} << bits) - 1);
      const double value =
          object_.format == Format::signed_integer ? std::max(extended / largest, -1.0) : raw / largest;
      texel[c] =
          std::bit_cast<u32>(object_.srgb && c < 3 ? from_srgb(static_cast<float>(value)) : static_cast<float>(value));
    } else {
      texel[c] = object_.format == Format::signed_integer ? static_cast<u32>(extended) : raw;
    }
  }
  return texel;
}

Texel TextureSampler::border() const {
  Texel border;
  for (u32 c = 0; c < 4; ++c)
    border[c] =
        reads_float() ? std::bit_cast<u32>(object_.border[c]) : static_cast<u32>(static_cast<i32>(object_.border[c]));
  return border;
}

Texel TextureSampler::value(Tap::Source source, const u8* bytes) const {
  switch (source) {
    case Tap::Source::memory:
      return convert(bytes);
    case Tap::Source::border:
      return border();
    default:
      return {};
  }
}

Tap TextureSampler::tap(std::array<i64, 3> index, u32 dimensions, u32 layer) const {
  for (u32 axis = 0; axis < dimensions; ++axis) {
    index[axis] = addressed(index[axis], axis);
    if (index[axis] < 0) return {.source = Tap::Source::border};
  }
  if (object_.layers) layer = std::min(layer, object_.layers - 1);
  u64 offset = static_cast<u64>(index[0]) * texel_bytes();
  if (dimensions > 1) offset += static_cast<u64>(index[1]) * object_.row_pitch;
  if (dimensions > 2) offset += static_cast<u64>(index[2]) * object_.slice_pitch;
  offset += layer * object_.slice_pitch;
  return {.source = Tap::Source::memory, .offset = offset};
}

Taps TextureSampler::filtered(const std::array<float, 3>& at, u32 dimensions, u32 layer) const {
  std::array<i64, 3> first{};
  std::array<float, 3> weights{};
  for (u32 axis = 0; axis < dimensions; ++axis) {
    const float shifted = at[axis] - 0.5f;
    first[axis] = floor_index(shifted);
    weights[axis] = std::isfinite(shifted) ? weight(shifted - std::floor(shifted)) : 0;
  }
  Taps taps{.filtered = true};
  for (u32 corner = 0; corner < (1u << dimensions); ++corner) {
    std::array<i64, 3> index = first;
    float share = 1;
    for (u32 axis = 0; axis < dimensions; ++axis) {
      const bool upper = (corner >> axis) & 1;
      index[axis] += upper;
      share *= upper ? weights[axis] : 1 - weights[axis];
    }
    if (share == 0) continue;
    Tap& tap = taps.tap[taps.count++];
    tap = this->tap(index, dimensions, layer);
    tap.share = share;
  }
  return taps;
}

Taps TextureSampler::sample(const std::array<float, 3>& at, u32 dimensions, u32 layer) const {
  std::array<float, 3> scaled = at;
  if (object_.normalized_coordinates)
    for (u32 axis = 0; axis < dimensions; ++axis) scaled[axis] = at[axis] * static_cast<float>(extent(axis));
  if (object_.linear_filter && reads_float()) return filtered(scaled, dimensions, layer);
  std::array<i64, 3> index{};
  for (u32 axis = 0; axis < dimensions; ++axis) index[axis] = floor_index(scaled[axis]);
  return {.tap = {tap(index, dimensions, layer)}, .count = 1};
}

Taps TextureSampler::fetch(const std::array<i32, 3>& at, u32 dimensions, u32 layer) const {
  if (object_.linear_memory && (at[0] < 0 || at[0] >= extent(0)))
    return {.tap = {Tap{.source = Tap::Source::zero}}, .count = 1};
  return {.tap = {tap({at[0], at[1], at[2]}, dimensions, layer)}, .count = 1};
}

Taps TextureSampler::gather(const std::array<float, 3>& at, u32 layer) const {
  std::array<i64, 3> first{};
  for (u32 axis = 0; axis < 2; ++axis) {
    const float scaled = object_.normalized_coordinates ? at[axis] * static_cast<float>(extent(axis)) : at[axis];
    first[axis] = floor_index(scaled - 0.5f);
  }
  Taps taps{.count = 4};
  for (u32 i = 0; i < 4; ++i)
    taps.tap[i] = tap({first[0] + gather_order[i][0], first[1] + gather_order[i][1], 0}, 2, layer);
  return taps;
}

std::array<float, 3> TextureSampler::in_texels(float s, float t) const {
  const auto side = static_cast<float>(extent(0));
  return {(s + 1) / 2 * side, (t + 1) / 2 * side, 0};
}

u32 TextureSampler::first_face_of(u32 layer) const {
  return 6 * std::min(layer, object_.layers / 6 - 1);
}

/// Beyond one edge lies the next face. Beyond two, at a corner of the cube, nothing does: a tap without a source.
Tap TextureSampler::tap_across_faces(const std::array<i64, 3>& index, u32 face, u32 first_layer) const {
  const auto texel = cube_texel(face, index, extent(0));
  return texel ? tap(texel->index, 2, first_layer + texel->face) : Tap{};
}

Taps TextureSampler::filtered_across_faces(const std::array<float, 3>& at, u32 face, u32 first_layer) const {
  std::array<i64, 3> first{};
  std::array<float, 2> weights{};
  for (u32 axis = 0; axis < 2; ++axis) {
    const float shifted = at[axis] - 0.5f;
    first[axis] = floor_index(shifted);
    weights[axis] = std::isfinite(shifted) ? weight(shifted - std::floor(shifted)) : 0;
  }
  std::array<Tap, 4> corners;
  float missing = 0;
  for (u32 corner = 0; corner < 4; ++corner) {
    const u32 right = corner & 1, lower = corner >> 1;
    corners[corner] = tap_across_faces({first[0] + right, first[1] + lower, 0}, face, first_layer);
    const float share = (right ? weights[0] : 1 - weights[0]) * (lower ? weights[1] : 1 - weights[1]);
    corners[corner].share = share;
    if (corners[corner].source == Tap::Source::none) missing = share;
  }
  Taps taps{.filtered = true};
  for (Tap& tap : corners) {
    if (tap.source == Tap::Source::none) continue;
    tap.share += missing / 3;  // the three texels that meet at the corner
    if (tap.share != 0) taps.tap[taps.count++] = tap;
  }
  return taps;
}

Taps TextureSampler::sample_cube(const std::array<float, 3>& direction, u32 layer) const {
  const CubePoint point = cube_point(direction);
  const u32 first_layer = first_face_of(layer);
  const std::array<float, 3> at = in_texels(point.s, point.t);
  if (object_.linear_filter && reads_float())
    return object_.seamless ? filtered_across_faces(at, point.face, first_layer)
                            : filtered(at, 2, first_layer + point.face);
  std::array<i64, 3> index{floor_index(at[0]), floor_index(at[1]), 0};
  if (object_.seamless)
    for (u32 axis = 0; axis < 2; ++axis) index[axis] = std::clamp<i64>(index[axis], 0, extent(axis) - 1);
  return {.tap = {tap(index, 2, first_layer + point.face)}, .count = 1};
}

Taps TextureSampler::gather_cube(const std::array<float, 3>& direction, u32 layer) const {
  const CubePoint point = cube_point(direction);
  const u32 first_layer = first_face_of(layer);
  const std::array<float, 3> at = in_texels(point.s, point.t);
  const std::array<i64, 2> first{floor_index(at[0] - 0.5f), floor_index(at[1] - 0.5f)};
  Taps taps{.count = 4};
  for (u32 i = 0; i < 4; ++i) {
    const std::array<i64, 3> index{first[0] + gather_order[i][0], first[1] + gather_order[i][1], 0};
    taps.tap[i] = tap_across_faces(index, point.face, first_layer);
    if (!object_.seamless || taps.tap[i].source == Tap::Source::none)
      taps.tap[i] = tap(index, 2, first_layer + point.face);
  }
  return taps;
}

}  // namespace ew::simt
