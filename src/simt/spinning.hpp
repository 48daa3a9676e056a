// What the registers of lanes hold, as a number: equal numbers at one place of a loop mean that the loop does nothing.
#pragma once

#include "memory/address_space.hpp"
#include "simt/block.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

/// The name of a word of shared memory among those of all windows (PolledWords::place), and its offset again.
inline u64 shared_place(u64 address, const Block& block) {
  return address ^ (block.number + 1) * 0x9e3779b97f4a7c15;
}
inline u64 shared_offset(u64 place, const Block& block) {
  return shared_place(place, block) - memory::shared_window;
}
inline bool in_shared_memory(u64 place, const Block& block) {
  return shared_offset(place, block) < memory::shared_window_bytes;
}

inline u64 place_of(const MemoryOp& op, u32 lane) {
  const u64 at = op.address[lane] + (op.form->window == ptx::Window::shared ? memory::shared_window : 0);
  return at - memory::shared_window < memory::shared_window_bytes ? shared_place(at, *op.warp->block) : at;
}

/// Notes what op.lanes have found, as their registers hold it: a loop that finds the same each time is seen to wait.
void note_poll(const MemoryOp&);

/// Of the registers and predicates of these lanes.
u64 state_of(const Warp&, const Split&);

/// A lane that waits at this meeting has polled, just before it came, a word that a lane of the split polls now: it
/// left with what the others wait for, as one that has taken a lock.
bool left_with_what_they_want(const Warp&, const Split&, const Reconvergence&);

}  // namespace ew::simt
