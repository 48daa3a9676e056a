// Assist warps, as all modes run them: a block registers a routine, an event asks for it, and a warp that is none of
// the block's own runs it from its begin to its end. It is number Grid::warps of the block, so the block stays while
// the routine is asked for or runs; no barrier of all threads and no thread count knows it. A block has one such warp
// at a time. An event that comes while it runs is remembered: the routine runs once more.
//
// Which SM slot such a warp has, and when it begins, is for timing mode to say (sm/assist_slots.hpp). Functional mode
// begins it as it begins every warp of the block.
#pragma once

#include "simt/block.hpp"
#include "simt/everwarp_regions.hpp"

namespace ew::simt {

/// The warp is none of its block's own.
inline bool is_assist(const Warp& warp) {
  return warp.index == warp.block->grid->warps;
}

/// Whether this instruction, a region, is an event for the block's assist warp.
inline bool asks_for_assist(const Block& block, const ptx::Instr& region) {
  return block.assist.routine && block.grid->kernel->regions[region.imm].name == assist_wake;
}

/// An event. REQUIRES: the block has registered a routine.
inline void ask_for_assist(Block& block) {
  const u32 index = block.grid->warps;
  const u64 self = u64{1} << index;
  if (block.unfinished & self) {
    block.assist.again |= block.warps[index] != nullptr;
    return;
  }
  block.unfinished |= self;
  block.ready |= self;
  block.assist.asked = true;
}

/// The warp has ended: an event that came meanwhile counts now.
inline void assist_ended(Block& block) {
  if (!block.assist.again) return;
  block.assist.again = false;
  ask_for_assist(block);
}

}  // namespace ew::simt
