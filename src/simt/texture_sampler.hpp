// How a texture object answers coordinates: addressing, filtering, conversion. CUDA C++ Programming Guide, "Texture
// Fetching". A value type; it says which texels an answer needs, and what the answer is once somebody has read them.
#pragma once

#include <array>

#include "simt/gpu.hpp"

namespace ew::simt {

/// Four components as 32-bit registers hold them: float bits, or an extended integer.
using Texel = std::array<u32, 4>;

/// One texel of an answer.
struct Tap {
  enum class Source : u8 { none, memory, border, zero } source = Source::none;
  u64 offset = 0;   // memory: from the object's address
  float share = 1;  // a filter's weight
};
inline constexpr u32 most_taps = 8;  // linear in three dimensions

struct Taps {
  std::array<Tap, most_taps> tap;
  u32 count = 0;
  bool filtered = false;  // the sum of the taps by their shares
};

class TextureSampler {
 public:
  explicit TextureSampler(const TextureObject& object) : object_(object) {}

  /// Coordinates as the instruction gives them, in texels or normalised; unused axes are 0.
  Taps sample(const std::array<float, 3>& at, u32 dimensions, u32 layer) const;
  Taps fetch(const std::array<i32, 3>& at, u32 dimensions, u32 layer) const;
  /// The four texels that a bilinear filter would use, in tld4's order.
  Taps gather(const std::array<float, 3>& at, u32 layer) const;

  /// The same for a direction into a cube map. REQUIRES: the object is one.
  Taps sample_cube(const std::array<float, 3>& direction, u32 layer) const;
  Taps gather_cube(const std::array<float, 3>& direction, u32 layer) const;

  u32 texel_bytes() const { return u32{object_.channels} * object_.channel_bytes; }
  /// A tap as it is read: `bytes` are those of the texel where its source is memory.
  Texel value(Tap::Source, const u8* bytes) const;

 private:
  i64 extent(u32 axis) const;
  i64 addressed(i64 index, u32 axis) const;  // -1: the border
  Tap tap(std::array<i64, 3> index, u32 dimensions, u32 layer) const;
  Texel border() const;
  Texel convert(const u8* bytes) const;
  bool reads_float() const;
  Taps filtered_across_faces(const std::array<float, 3>& at, u32 face, u32 first_layer) const;
  Tap tap_across_faces(const std::array<i64, 3>& index, u32 face, u32 first_layer) const;
  std::array<float, 3> in_texels(float s, float t) const;
  u32 first_face_of(u32 layer) const;
  Taps filtered(const std::array<float, 3>& at, u32 dimensions, u32 layer) const;

  const TextureObject& object_;
};

}  // namespace ew::simt
