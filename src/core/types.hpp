// Integer names, dimensions and the scopes of the CUDA memory model: what every folder uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ew {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

inline constexpr u32 warp_lanes = 32;
using LaneMask = u32;

struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// Scope of a memory operation or fence (PTX ISA, memory consistency model, section "Scope").
enum class Scope : u8 { none, cta, cluster, gpu, sys };

}  // namespace ew
