// The drain routine of assist warps: warps of the SM that empty the rings of its blocks where the machine has them
// (assist.cuh). Included by tx.cuh; tx_helper.cuh has the ring, and what both kinds of warps do with it.
//
// A block registers serve_ring() when its kernel begins. Who commits wakes it when its frame is whole; who finds no room
// wakes it as well, for room may need frames of other blocks. A run moves what it finds, up to 256 pairs; it asks for
// another run as long as there is something to do. So the blocks of an SM take turns, and between two events no
// instruction is spent on the ring. When the block's threads are through, a run only empties the ring. Frames may be left
// that are not applied, as helper warps leave them: the block must not stay for them.
#pragma once

#if defined(__CUDACC__)

#include "assist.cuh"
#include "tx_helper.cuh"

namespace everwarp {
namespace tx {

/// The ring of this block.
EVERWARP_DEVICE Ring* ring_of_block() {
  extern __shared__ __align__(64) unsigned char everwarp_tx_shared[];
  return reinterpret_cast<Ring*>(everwarp_tx_shared);
}

/// What an assist warp does with the ring of the block that has woken it. `space`: a Space in device memory. 32 lanes.
inline __device__ __attribute__((noinline)) void serve_ring(void* space_of_block) {
  const Space space = *static_cast<const Space*>(space_of_block);
  Ring* const ring = ring_of_block();
  const unsigned lane = threadIdx.x, block = blockIdx.x;
  const bool through = __shfl_sync(~0u, look(&ring->running), 0) == 0;
  __threadfence_block();
  const bool moved = drain(space, ring, block, lane);
  const unsigned used = __shfl_sync(~0u, look(&ring->head) - look(&ring->freed), 0);
  const bool tight = used > space.options.log / 2;
  bool applied = false;
  if (moved ? tight : !through) applied = apply_some(space, 0, lane, tight ? 1 : 32);
  if (tight) {
    const unsigned to = advance_warp(space, &space.shared->applied, space.applied, 0, lane);
    if (lane == 0) free_log(space, ring, block, to);
  }
  __syncwarp();
  if (lane == 0) space.block_logs[block] = BlockLog{look(&ring->head), look(&ring->freed)};
  if (moved || applied) wake_assist();  // perhaps there is more; other blocks of the SM come first
}

/// How a program of this machine persists: what the machine file says (assist.model).
inline Mode mode_of_machine() {
  const Assist assist = machine_assist();
  return assist == assist_hardware ? assisted : assist == assist_software ? helper : strict;
}

}  // namespace tx
}  // namespace everwarp

#endif  // __CUDACC__
