// Plain values of lanes that are no arithmetic: special registers, addresses of a frame's variables, state spaces of
// addresses. Each writes the destination of these lanes of the current split.
#pragma once

#include "memory/address_space.hpp"
#include "simt/block.hpp"

namespace ew::simt {

/// Its value is another each time: a clock.
bool is_clock(ptx::Special);
/// `cycles_in_run`: of the running warp, beyond its SM's cycle.
void special_register(Warp&, const ptx::Instr&, LaneMask, const GpuLimits&, u64 cycles_in_run);
void frame_address(Warp&, const ptx::Instr&, LaneMask);
void address_query(Warp&, const ptx::Instr&, LaneMask, const memory::AddressSpace&);
void convert_address(Warp&, const ptx::Instr&, LaneMask);

}  // namespace ew::simt
