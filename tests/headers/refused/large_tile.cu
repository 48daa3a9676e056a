// error: tiles of several warps are not simulated
#include <cooperative_groups.h>
__global__ void kernel(int *out) {
  out[0] = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block()).thread_rank();
}
