// From a warp's addresses to the lines they fall into, and to the passes that shared memory takes for them. Functions
// of the addresses alone.
#pragma once

#include <array>

#include "memory/request.hpp"
#include "simt/flat_memory.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

/// The lanes of an access that fall into one line.
struct AccessPart {
  u64 line = 0;
  LaneMask lanes = 0;
  memory::WordMask words = 0;
};

/// In the order of their first lanes. `bytes` a lane, which do not cross a line: see crosses_lines().
u32 coalesce(const MemoryOp&, Shape, u32 bytes, u32 line, std::array<AccessPart, warp_lanes>& parts);
bool crosses_lines(const MemoryOp&, u32 bytes, u32 line);
/// Sectors of 32 bytes that have one of these words.
u32 sectors_of(memory::WordMask);
/// The bytes of a line that the part's lanes cover.
memory::ByteMask bytes_of(const MemoryOp&, const AccessPart&, u32 bytes);

/// Cycles for which an access keeps the banks of shared memory busy. Lanes that read or write one word share its bank's
/// cycle; atomics do not. 64-bit accesses go in two halves of the warp, 128-bit ones in four quarters.
u32 shared_passes(const MemoryOp&, Shape, u32 bytes, u32 banks, bool atomic);

}  // namespace ew::simt
