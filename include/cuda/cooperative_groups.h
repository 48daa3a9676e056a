// Cooperative groups: the block, tiles of a warp, coalesced lanes, partitions, the grid.
// A group is a value of two words. They say which lanes of the warp take part, or that the whole block or grid does.
#pragma once
#define _COOPERATIVE_GROUPS_H_  // CUDA's include guard: programs and libraries test it

#if defined(__CUDA__)
#include "cuda_runtime.h"

#include "everwarp/cooperative/group.cuh"
#include "everwarp/cooperative/block_and_grid.cuh"
#include "everwarp/cooperative/lanes.cuh"
#include "everwarp/cooperative/tile.cuh"
#include "everwarp/cooperative/partition.cuh"
#endif
