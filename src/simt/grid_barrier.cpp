#include "simt/grid_barrier.hpp"

#include <fmt/format.h>

#include <cstring>

namespace ew::simt::grid_barrier {
namespace {

constexpr u32 enough_looks = 4;

/// As include/cuda has it: the top bit changes when all blocks have come. Each adds one but the first, which adds what
/// is left to that bit.
u32 read(const Grid& grid) {
  u32 word = 0;
  std::memcpy(&word, reinterpret_cast<const void*>(grid.workspace), sizeof word);
  return word;
}

u64 blocks_that_came(const Grid& grid) {
  constexpr u32 top = 0x8000'0000;
  const u32 below = read(grid) & (top - 1);
  return below < top / 2 ? below : grid.blocks - (top - below);
}

bool waits(const Warp& warp, const Split& split) {
  if (split.state == SplitState::at_barrier || split.state == SplitState::at_warp_sync) return true;
  if (!synchronizes_grid(warp, split)) return false;
  if (split.state != SplitState::at_performer) return true;
  // Who looks at the counter while it stands still waits; who is about to change it has not come yet.
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  const ptx::Instr& instr = kernel.code[split.pc];
  return instr.op == ptx::Op::memory && kernel.memory[instr.imm].kind == ptx::MemoryKind::load;
}

bool waits(const Block& block) {
  for (u32 i = 0; i < block.warps.size(); ++i) {
    if (!((block.unfinished >> i) & 1)) continue;
    const Warp* warp = block.warps[i];
    if (!warp) return false;  // not begun
    for (u32 s = 0; s < warp->split_count; ++s)
      if (!waits(*warp, warp->splits[s])) return false;
  }
  return true;
}

bool has_come(const Block& block) {
  for (const Warp* warp : block.warps)
    for (u32 s = 0; warp && s < warp->split_count; ++s)
      if (warp->splits[s].state != SplitState::at_barrier && synchronizes_grid(*warp, warp->splits[s])) return true;
  return false;
}

bool everyone_waits(const Grid& grid, const std::vector<Sm>& sms) {
  if (grid.next_block != grid.blocks) return false;
  for (const Sm& sm : sms)
    for (const auto& block : sm.blocks)
      if (block->grid == &grid && !waits(*block)) return false;
  return true;
}

}  // namespace

bool synchronizes_grid(const Warp& warp, const Split& split) {
  const ptx::Function& function = warp.block->grid->kernel->functions[warp.frames[split.frame].function];
  return function.name.find("synchronize_grid") != function.name.npos;
}

bool stands_still(Grid& grid, const std::vector<Sm>& sms) {
  const u64 seen = read(grid);
  const bool same = grid.barrier_looks > 0 && seen == grid.barrier_seen;
  grid.barrier_looks = everyone_waits(grid, sms) ? (same ? grid.barrier_looks + 1 : 1) : 0;
  grid.barrier_seen = seen;
  return grid.barrier_looks >= enough_looks;
}

const Block& block_to_report(const Grid& grid, const std::vector<Sm>& sms) {
  const Block* found = nullptr;
  for (const Sm& sm : sms)
    for (const auto& block : sm.blocks)
      if (block->grid == &grid && (!found || (has_come(*found) && !has_come(*block)))) found = block.get();
  return *found;
}

std::string what_it_waits_for(const Grid& grid, const Block& reported) {
  const u64 ended = grid.blocks - grid.unfinished;
  return fmt::format(
      "{} of {} blocks have come to the grid-wide barrier, {}; block ({},{},{}) waits so:", blocks_that_came(grid),
      grid.blocks, ended ? fmt::format("{} ended without it", ended) : "the others wait elsewhere", reported.index.x,
      reported.index.y, reported.index.z);
}

}  // namespace ew::simt::grid_barrier
