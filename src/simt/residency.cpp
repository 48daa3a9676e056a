#include "simt/residency.hpp"

#include <algorithm>
#include <utility>

#include "simt/assist.hpp"
#include "simt/carveout.hpp"
#include "simt/local_bytes.hpp"

namespace ew::simt {
namespace {

/// Of a warp that begins.
u64 warp_bytes(const Grid& grid) {
  const ptx::Function& entry = grid.kernel->functions[0];
  return sizeof(Warp) + sizeof(SpinningLanes) +
         (u64{entry.rows} * warp_lanes + entry.predicates + (entry.frame_bytes + 3) / 4 * warp_lanes) * sizeof(u32);
}
u64 block_bytes(const Grid& grid) {
  return grid.shared_bytes + grid.warps * warp_bytes(grid);
}

BlockNeeds needs_of(const Grid& grid) {
  return {grid.threads, grid.warps, grid.registers, grid.shared_bytes};
}

void make_accesses(Grid& grid) {
  const ptx::Kernel& kernel = *grid.kernel;
  grid.made.clear();
  grid.plans.clear();
  for (const ptx::MbarrierForm& form : kernel.mbarriers) grid.made.push_back(access_of(form));
  for (const ptx::TextureForm& form : kernel.textures) grid.made.push_back(access_of(form));
  for (u32 i = 0; i < texel_sizes && !kernel.textures.empty(); ++i) grid.made.push_back(texel_access(1u << i));
  for (const ptx::MemoryForm& form : kernel.memory) grid.plans.push_back(plan_of(form));
  const std::size_t texels = kernel.mbarriers.size();  // from here on, no hardware asks for alignment
  for (std::size_t i = 0; i < grid.made.size(); ++i) {
    grid.plans.push_back(plan_of(grid.made[i]));
    if (i >= texels) grid.plans.back().alignment = 1;
  }
}

}  // namespace

Counters& Counters::operator+=(const Counters& part) {
  warp_instructions += part.warp_instructions;
  thread_instructions += part.thread_instructions;
  memory_instructions += part.memory_instructions;
  memory_lanes += part.memory_lanes;
  blocks += part.blocks;
  warps += part.warps;
  divergent_branches += part.divergent_branches;
  barriers += part.barriers;
  max_resident_bytes = std::max(max_resident_bytes, part.max_resident_bytes);
  return *this;
}

Residency::Residency(const GpuLimits& limits, memory::AddressSpace& space, bool whole_blocks)
    : limits_(limits), space_(space), sms_(limits.sms), whole_blocks_(whole_blocks) {
  for (u32 i = 0; i < sms_.size(); ++i) sms_[i].index = i;
}

/// With the storage of one that has ended.
std::unique_ptr<Grid> Residency::make_grid() {
  if (spare_grids_.empty()) return std::make_unique<Grid>();
  std::unique_ptr<Grid> grid = std::move(spare_grids_.back());
  spare_grids_.pop_back();
  Grid fresh;
  std::ranges::move(grid->thread_ids, fresh.thread_ids);
  fresh.made = std::move(grid->made);
  fresh.plans = std::move(grid->plans);
  fresh.branches = std::move(grid->branches);
  *grid = std::move(fresh);
  return grid;
}

Grid& Residency::start(Launch launch, u64 now_ns, u64 cycle) {
  std::unique_ptr<Grid> grid = make_grid();
  grid->id = next_id_++;
  grid->launch = std::move(launch);
  grid->kernel = grid->launch.kernel;
  const Dim3 block = grid->launch.block;
  const BlockNeeds needs =
      simt::needs_of(limits_, *grid->kernel, static_cast<u32>(block.count()), grid->launch.dynamic_shared);
  grid->threads = needs.threads;
  grid->warps = needs.warps;
  grid->registers = needs.registers;
  grid->shared_bytes = needs.shared_bytes;
  grid->l1_bytes = l1_bytes_of(limits_, needs, grid->launch.carveout);
  grid->blocks = grid->unfinished = grid->launch.grid.count();
  grid->launch.parameters.resize(std::max<std::size_t>(grid->launch.parameters.size(), grid->kernel->parameter_bytes));
  make_accesses(*grid);
  grid->branches.begin(static_cast<u32>(grid->kernel->code.size()));
  const u32 assists = limits_.assist.warps ? 1 : 0;
  for (auto& row : grid->thread_ids) row.assign((grid->warps + assists) * warp_lanes, 0);
  for (u32 lane = 0; lane < assists * warp_lanes; ++lane) grid->thread_ids[0][grid->warps * warp_lanes + lane] = lane;
  for (u32 i = 0; i < grid->threads; ++i) {
    grid->thread_ids[0][i] = i % block.x;
    grid->thread_ids[1][i] = i / block.x % block.y;
    grid->thread_ids[2][i] = i / block.x / block.y;
  }
  if (grid->launch.cooperative) grid->workspace = space_.allocate(memory::Region::internal, 16, 256, "grid barrier");
  grid->begin_ns = now_ns;
  grid->begin_cycle = cycle;
  grids_.push_back(std::move(grid));
  return *grids_.back();
}

bool Residency::has_room(const Sm& sm, const BlockNeeds& needs) const {
  if (sm.blocks.size() >= limits_.blocks_per_sm || sm.warps + needs.warps > limits_.warps_per_sm) return false;
  if (sm.registers + needs.registers > limits_.registers_per_sm) return false;
  return !needs.shared_bytes ||
         sm.shared_bytes + needs.shared_bytes + limits_.shared_reserved_per_block <= limits_.shared_bytes_per_sm;
}

Sm* Residency::sm_with_room(const BlockNeeds& needs) {
  for (u32 i = 0; i < sms_.size(); ++i) {
    Sm& sm = sms_[(next_sm_ + i) % sms_.size()];
    if (!has_room(sm, needs)) continue;
    next_sm_ = (sm.index + 1) % sms_.size();
    return &sm;
  }
  return nullptr;
}

Block* Residency::place_next() {
  for (; placed_ < grids_.size(); ++placed_) {
    Grid* const grid = grids_[placed_].get();
    if (grid->next_block == grid->blocks) continue;
    const BlockNeeds needs = needs_of(*grid);
    if (grid->launch.cooperative && grid->next_block == 0 && !all_fit(*grid, needs)) return nullptr;
    Sm* sm = sm_with_room(needs);
    return sm ? &place(*grid, *sm) : nullptr;
  }
  return nullptr;
}

bool Residency::all_fit(const Grid& grid, const BlockNeeds& needs) const {
  u64 room = 0;
  for (const Sm& sm : sms_) {
    Sm taken{.warps = sm.warps, .registers = sm.registers, .shared_bytes = sm.shared_bytes};
    u64 blocks = sm.blocks.size();
    while (blocks < limits_.blocks_per_sm && has_room(taken, needs)) {
      ++blocks;
      ++room;
      taken.warps += needs.warps;
      taken.registers += needs.registers;
      if (needs.shared_bytes) taken.shared_bytes += needs.shared_bytes + limits_.shared_reserved_per_block;
    }
  }
  return room >= grid.blocks;
}

Block& Residency::place(Grid& grid, Sm& sm) {
  std::unique_ptr<Block> block;
  if (free_blocks_.empty()) {
    block = std::make_unique<Block>();
  } else {
    block = std::move(free_blocks_.back());
    free_blocks_.pop_back();
  }
  const Dim3 shape = grid.launch.grid;
  block->grid = &grid;
  block->sm = &sm;
  block->number = grid.next_block++;
  block->index = {static_cast<u32>(block->number % shape.x), static_cast<u32>(block->number / shape.x % shape.y),
                  static_cast<u32>(block->number / shape.x / shape.y)};
  block->live_threads = grid.threads;
  block->started = false;
  block->barriers.fill({});
  block->warps.assign(grid.warps + (limits_.assist.warps ? 1 : 0), nullptr);
  block->assist = {};
  block->ready = block->unfinished = grid.warps == 64 ? ~u64{0} : (u64{1} << grid.warps) - 1;
  block->asleep = 0;
  sm.warps += grid.warps;
  sm.registers += grid.registers;
  if (grid.shared_bytes) sm.shared_bytes += grid.shared_bytes + limits_.shared_reserved_per_block;
  sm.blocks.push_back(std::move(block));
  ++grid.counters.blocks;
  if (whole_blocks_) count_bytes(grid, block_bytes(grid));
  return *sm.blocks.back();
}

void Residency::count_bytes(Grid& grid, u64 more) {
  resident_bytes_ += more;
  grid.counters.max_resident_bytes = std::max(grid.counters.max_resident_bytes, resident_bytes_);
}

Warp& Residency::begin_warp(Block& block, u32 index) {
  Grid& grid = *block.grid;
  if (!block.started) {
    block.started = true;
    block.shared.assign((grid.shared_bytes + 7) / 8, 0);
    if (!whole_blocks_) count_bytes(grid, grid.shared_bytes);
  }
  if (free_warps_.empty()) {
    constexpr u32 at_once = 16;
    Warp* const fresh = warps_.emplace_back(std::make_unique<Warp[]>(at_once)).get();
    for (u32 i = at_once; i-- > 0;) free_warps_.push_back(fresh + i);
  }
  Warp* warp = free_warps_.back();
  free_warps_.pop_back();
  if (index == grid.warps) {
    begin_assist(*warp, block);
  } else {
    const u32 rest = grid.threads - index * warp_lanes;
    warp->begin(block, index, rest >= warp_lanes ? all_lanes : (LaneMask{1} << rest) - 1, *grid.kernel);
    ++grid.counters.warps;
  }
  block.warps[index] = warp;
  if (!whole_blocks_) count_bytes(grid, warp_bytes(grid));
  return *warp;
}

void Residency::begin_assist(Warp& warp, Block& block) {
  const ptx::Kernel& kernel = *block.grid->kernel;
  const BlockAssist& asked = block.assist;
  warp.begin(block, block.grid->warps, all_lanes, kernel, asked.routine);
  const u32 at = kernel.functions[asked.routine].parameter_offsets[0];
  for (u32 lane = 0; lane < warp_lanes; ++lane)
    for (u32 i = 0; i < sizeof asked.argument; ++i)
      set_local_byte(warp, lane, at + i, static_cast<u8>(asked.argument >> 8 * i));
}

void Residency::end_warp(Block& block, u32 index) {
  if (!whole_blocks_) resident_bytes_ -= warp_bytes(*block.grid);
  free_warps_.push_back(block.warps[index]);
  block.warps[index] = nullptr;
  block.ready &= ~(u64{1} << index);
  block.unfinished &= ~(u64{1} << index);
  if (index == block.grid->warps) assist_ended(block);
}

void Residency::end_block(Sm& sm, u32 slot) {
  std::unique_ptr<Block> block = std::move(sm.blocks[slot]);
  sm.blocks.erase(sm.blocks.begin() + slot);
  Grid& grid = *block->grid;
  for (u32 i = 0; i < block->warps.size(); ++i)
    if (block->warps[i]) end_warp(*block, i);
  if (whole_blocks_)
    resident_bytes_ -= block_bytes(grid);
  else if (block->started)
    resident_bytes_ -= grid.shared_bytes;
  sm.warps -= grid.warps;
  sm.registers -= grid.registers;
  if (grid.shared_bytes) sm.shared_bytes -= grid.shared_bytes + limits_.shared_reserved_per_block;
  free_blocks_.push_back(std::move(block));
  --grid.unfinished;
}

void Residency::end_block(Block& block) {
  Sm& sm = *block.sm;
  const auto here = std::ranges::find_if(sm.blocks, [&](const auto& one) { return one.get() == &block; });
  end_block(sm, static_cast<u32>(here - sm.blocks.begin()));
}

void Residency::complete(Grid& grid, u64 now_ns) {
  totals_ += grid.counters;
  if (grid.workspace) space_.release(grid.workspace);
  completions_.push_back({grid.id, grid.counters, grid.begin_ns, now_ns, std::move(grid.fault)});
  const auto here = std::ranges::lower_bound(grids_, grid.id, {}, [](const auto& one) { return one->id; });
  if (here - grids_.begin() < static_cast<std::ptrdiff_t>(placed_)) --placed_;
  spare_grids_.push_back(std::move(*here));
  grids_.erase(here);
}

void Residency::fail(Grid& grid, Fault fault, u64 now_ns) {
  grid.fault = std::move(fault);
  for (Sm& sm : sms_)
    for (u32 i = static_cast<u32>(sm.blocks.size()); i-- > 0;)
      if (sm.blocks[i]->grid == &grid) end_block(sm, i);
  complete(grid, now_ns);
}

Counters Residency::so_far() const {
  Counters sum = totals_;
  for (const auto& grid : grids_) sum += grid->counters;
  return sum;
}

std::vector<Completion> Residency::take_completions() {
  return std::exchange(completions_, {});
}

}  // namespace ew::simt
