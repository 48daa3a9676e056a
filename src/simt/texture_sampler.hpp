// How a texture object answers coordinates: addressing, filtering, conversion. CUDA C++ Programming Guide, "Texture
// Fetching". A value type over the object's memory; no state of its own.
#pragma once

#include <array>

#include "simt/gpu.hpp"

namespace ew::simt {

/// Four components as 32-bit registers hold them: float bits, or an extended integer.
using Texel = std::array<u32, 4>;

class TextureSampler {
 public:
  /// `available`: bytes of live memory from object.address on.
  TextureSampler(const TextureObject& object, u64 available) : object_(object), available_(available) {}

  /// Coordinates as the instruction gives them, in texels or normalised; unused axes are 0.
  Texel sample(const std::array<float, 3>& at, u32 dimensions, u32 layer) const;
  Texel fetch(const std::array<i32, 3>& at, u32 dimensions, u32 layer) const;
  /// One component of the four texels that a bilinear filter would use, in tld4's order.
  Texel gather(const std::array<float, 3>& at, u32 layer, u32 component) const;
  /// False once a texel lay outside the live memory: the texture's memory was freed.
  bool valid() const { return valid_; }

 private:
  i64 extent(u32 axis) const;
  i64 addressed(i64 index, u32 axis) const;  // -1: the border
  Texel texel(std::array<i64, 3> index, u32 dimensions, u32 layer) const;
  Texel convert(const u8* bytes) const;
  bool reads_float() const;
  Texel filtered(const std::array<float, 3>& at, u32 dimensions, u32 layer) const;

  const TextureObject& object_;
  u64 available_;
  mutable bool valid_ = true;
};

}  // namespace ew::simt
