#include "simt/gpu.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <thread>
#include <utility>

#include "simt/executor.hpp"
#include "simt/flat_memory.hpp"
#include "simt/grid_barrier.hpp"
#include "simt/occupancy.hpp"

namespace ew::simt {
namespace {

// How long one warp, one block and one SM go on before the next has its turn, in warp instructions. Long, so that what
// they touch stays in the host's caches; finite, so that whoever waits for someone else is met.
constexpr u64 warp_turn = 2048, block_turn = 16384, sm_turn = 32768;
constexpr u32 stretches_until_release = 64;

}  // namespace

struct Gpu::State {
  GpuLimits limits;
  memory::AddressSpace& space;
  FlatMemory memory;
  Executor executor;
  std::vector<Sm> sms;
  std::vector<std::unique_ptr<Grid>> grids;  // in order of start
  u32 next_sm = 0;                           // where the next block goes if there is room
  u32 turn_of_sm = 0;
  struct Turn {
    u64 spent = 0;
    u32 fruitless = 0;  // blocks in a row that did nothing but wait
  } turn;               // of that SM
  u64 rounds = 0;
  bool round_useful = true;  // did anyone do more than wait since SM 0 had its turn?

  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<Warp*> free_warps;
  std::vector<std::unique_ptr<Block>> free_blocks;
  u64 resident_bytes = 0;

  LaunchId next_id = 1;
  std::vector<Completion> completions;
  Counters totals;
  u64 executed = 0;
  u64 base_ns = 0, base_cycle = 0;
  u64 instruction_limit = 0, crash_at = 0;
  std::function<void()> crash;
  std::atomic<bool> stop{false};

  State(const GpuLimits& with, memory::AddressSpace& addresses, DeviceServices& services)
      : limits(with),
        space(addresses),
        memory(addresses),
        executor(memory, services, addresses, limits),
        sms(with.sms) {
    for (u32 i = 0; i < sms.size(); ++i) sms[i].index = i;
  }

  u64 cycle() const {
    u64 latest = 0;
    for (const Sm& sm : sms) latest = std::max(latest, sm.cycle);
    return latest;
  }
  u64 now_ns() const { return base_ns + (cycle() - base_cycle) * 1'000'000 / limits.clock_khz; }

  // --- dispatch

  bool has_room(const Sm& sm, const BlockNeeds& needs) const {
    if (sm.blocks.size() >= limits.blocks_per_sm || sm.warps + needs.warps > limits.warps_per_sm) return false;
    if (sm.registers + needs.registers > limits.registers_per_sm) return false;
    return !needs.shared_bytes ||
           sm.shared_bytes + needs.shared_bytes + limits.shared_reserved_per_block <= limits.shared_bytes_per_sm;
  }

  Sm* sm_with_room(const BlockNeeds& needs) {
    for (u32 i = 0; i < sms.size(); ++i) {
      Sm& sm = sms[(next_sm + i) % sms.size()];
      if (!has_room(sm, needs)) continue;
      next_sm = (sm.index + 1) % sms.size();
      return &sm;
    }
    return nullptr;
  }

  /// Blocks go out in order, grid after grid; a later grid gets the room that the earlier ones have no more blocks for.
  void dispatch() {
    for (auto& grid : grids) {
      const BlockNeeds needs{grid->threads, grid->warps, grid->registers, grid->shared_bytes};
      if (grid->launch.cooperative && grid->next_block == 0 && !all_fit(*grid, needs)) return;
      while (grid->next_block < grid->blocks) {
        Sm* sm = sm_with_room(needs);
        if (!sm) return;
        place(*grid, *sm);
      }
    }
  }

  bool all_fit(const Grid& grid, const BlockNeeds& needs) const {
    u64 room = 0;
    for (const Sm& sm : sms) {
      Sm taken{.warps = sm.warps, .registers = sm.registers, .shared_bytes = sm.shared_bytes};
      u64 blocks = sm.blocks.size();
      while (blocks < limits.blocks_per_sm && has_room(taken, needs)) {
        ++blocks;
        ++room;
        taken.warps += needs.warps;
        taken.registers += needs.registers;
        if (needs.shared_bytes) taken.shared_bytes += needs.shared_bytes + limits.shared_reserved_per_block;
      }
    }
    return room >= grid.blocks;
  }

  void place(Grid& grid, Sm& sm) {
    std::unique_ptr<Block> block;
    if (free_blocks.empty()) {
      block = std::make_unique<Block>();
    } else {
      block = std::move(free_blocks.back());
      free_blocks.pop_back();
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
    block->warps.assign(grid.warps, nullptr);
    block->ready = block->unfinished = grid.warps == 64 ? ~u64{0} : (u64{1} << grid.warps) - 1;
    block->asleep = 0;
    block->stretches = 0;
    sm.warps += grid.warps;
    sm.registers += grid.registers;
    if (grid.shared_bytes) sm.shared_bytes += grid.shared_bytes + limits.shared_reserved_per_block;
    sm.blocks.push_back(std::move(block));
    ++grid.counters.blocks;
  }

  void begin_warp(Block& block, u32 index) {
    Grid& grid = *block.grid;
    if (!block.started) {
      block.started = true;
      block.shared.assign((grid.shared_bytes + 7) / 8, 0);
      resident_bytes += grid.shared_bytes;
    }
    if (free_warps.empty()) {
      warps.push_back(std::make_unique<Warp>());
      free_warps.push_back(warps.back().get());
    }
    Warp* warp = free_warps.back();
    free_warps.pop_back();
    const u32 rest = grid.threads - index * warp_lanes;
    warp->begin(block, index, rest >= warp_lanes ? all_lanes : (LaneMask{1} << rest) - 1, *grid.kernel);
    block.warps[index] = warp;
    ++grid.counters.warps;
    resident_bytes += bytes_of(*warp);
    grid.counters.max_resident_bytes = std::max(grid.counters.max_resident_bytes, resident_bytes);
  }

  static u64 bytes_of(const Warp& warp) {
    return sizeof(Warp) + u64{warp.rows.size() + warp.predicates.size() + warp.local.size()} * sizeof(u32);
  }

  void end_warp(Block& block, u32 index) {
    resident_bytes -= std::min(resident_bytes, bytes_of(*block.warps[index]));
    free_warps.push_back(block.warps[index]);
    block.warps[index] = nullptr;
    block.ready &= ~(u64{1} << index);
    block.unfinished &= ~(u64{1} << index);
  }

  /// Takes the block off its SM; its grid may be complete then.
  void end_block(Sm& sm, u32 slot) {
    std::unique_ptr<Block> block = std::move(sm.blocks[slot]);
    sm.blocks.erase(sm.blocks.begin() + slot);
    Grid& grid = *block->grid;
    for (u32 i = 0; i < block->warps.size(); ++i)
      if (block->warps[i]) end_warp(*block, i);
    if (block->started) resident_bytes -= std::min<u64>(resident_bytes, grid.shared_bytes);
    sm.warps -= grid.warps;
    sm.registers -= grid.registers;
    if (grid.shared_bytes) sm.shared_bytes -= grid.shared_bytes + limits.shared_reserved_per_block;
    free_blocks.push_back(std::move(block));
    --grid.unfinished;
  }

  void complete(Grid& grid) {
    const auto add = [](Counters& to, const Counters& from) {
      to.warp_instructions += from.warp_instructions;
      to.thread_instructions += from.thread_instructions;
      to.memory_instructions += from.memory_instructions;
      to.memory_lanes += from.memory_lanes;
      to.blocks += from.blocks;
      to.warps += from.warps;
      to.divergent_branches += from.divergent_branches;
      to.barriers += from.barriers;
      to.max_resident_bytes = std::max(to.max_resident_bytes, from.max_resident_bytes);
    };
    add(totals, grid.counters);
    if (grid.workspace) space.release(grid.workspace);
    completions.push_back({grid.id, grid.counters, grid.begin_ns, now_ns(), std::move(grid.fault)});
    std::erase_if(grids, [&](const auto& other) { return other.get() == &grid; });
  }

  void fail(Grid& grid, Fault fault) {
    grid.fault = std::move(fault);
    for (Sm& sm : sms)
      for (u32 i = static_cast<u32>(sm.blocks.size()); i-- > 0;)
        if (sm.blocks[i]->grid == &grid) end_block(sm, i);
    complete(grid);
  }

  // --- running

  struct Stretch {
    u64 used = 0;
    bool useful = false;
    bool failed = false;  // the grid is gone
  };

  u64 turn_within(u64 wanted, const Grid& grid) const {
    if (crash_at) wanted = std::min(wanted, crash_at - executed);
    if (instruction_limit) wanted = std::min(wanted, instruction_limit - grid.counters.warp_instructions);
    return wanted;
  }

  Stretch run_block(Block& block, u64 budget) {
    Stretch stretch;
    Grid& grid = *block.grid;
    if (block.asleep) executor.wake_sleepers(block, block.sm->cycle);
    while (stretch.used < budget && (block.ready || wake_waiting(block))) {
      bool useful = false;
      for (u64 left = block.ready; left && stretch.used < budget; left &= left - 1) {
        const u32 index = std::countr_zero(left);
        if (!block.warps[index]) begin_warp(block, index);
        Warp& warp = *block.warps[index];
        u64 count = 0;
        const Outcome outcome =
            executor.run(warp, turn_within(std::min(warp_turn, budget - stretch.used), grid), count);
        stretch.used += count;
        executed += count;
        block.sm->cycle += count;
        useful |= outcome != Outcome::spinning;
        if (crash_at && executed >= crash_at) {
          crash_at = 0;
          crash();
        }
        if (outcome == Outcome::ended)
          end_warp(block, index);
        else if (outcome != Outcome::running && !warp.any_running())
          block.ready &= ~(u64{1} << index);
        if (outcome == Outcome::faulted) {
          fail(grid, executor.take_fault());
          return {stretch.used, true, true};
        }
        if (instruction_limit && grid.counters.warp_instructions >= instruction_limit &&
            (block.unfinished || grid.unfinished > 1)) {
          fail(grid, executor.fault_of(
                         warp, FaultKind::instruction_limit,
                         std::to_string(instruction_limit) + " warp instructions have run (--max-instructions)"));
          return {stretch.used, true, true};
        }
      }
      stretch.useful |= useful;
      if (useful) continue;
      release_blocked(block);
      break;
    }
    // Someone who is not seen to spin may wait for lanes that are held back for their own warp's sake.
    if (++block.stretches % stretches_until_release == 0) release_blocked(block);
    if (!block.ready && !block.asleep && block.unfinished && !at_performer(block) && !release_blocked(block)) {
      fail(grid, executor.deadlock(block));
      return {stretch.used, true, true};
    }
    return stretch;
  }

  static bool at_performer(const Block& block) {
    for (const Warp* warp : block.warps)
      for (u32 s = 0; warp && s < warp->split_count; ++s)
        if (warp->splits[s].state == SplitState::at_performer) return true;
    return false;
  }

  /// Lanes that wait for others of their warp to meet them are let go where those wait for a barrier. True: someone can
  /// go on.
  static bool release_blocked(Block& block) {
    bool any = false;
    for (u64 left = block.unfinished & ~block.ready; left; left &= left - 1) {
      const u32 index = std::countr_zero(left);
      if (!block.warps[index] || !block.warps[index]->release_waiting()) continue;
      block.ready |= u64{1} << index;
      any = true;
    }
    return any;
  }

  static bool wake_waiting(Block& block) { return !block.asleep && block.unfinished && release_blocked(block); }

  /// One turn of an SM, which an earlier run() may have begun: where run() stops must not change who runs when. Adds
  /// what it executed to `used`. False: stopped within the turn.
  bool run_sm(Sm& sm, u64 wanted, u64& used) {
    while (turn.spent < sm_turn && turn.fruitless < sm.blocks.size()) {
      if (used >= wanted || stop.load(std::memory_order_relaxed)) return false;
      if (sm.next_block >= sm.blocks.size()) sm.next_block = 0;
      Block& block = *sm.blocks[sm.next_block];
      Grid& grid = *block.grid;
      const Stretch stretch = run_block(block, std::min(block_turn, sm_turn - turn.spent));
      turn.spent += stretch.used;
      used += stretch.used;
      if (stretch.failed) break;
      turn.fruitless = stretch.useful ? 0 : turn.fruitless + 1;
      round_useful |= stretch.useful;
      if (block.unfinished) {
        ++sm.next_block;
        continue;
      }
      end_block(sm, sm.next_block);
      if (grid.unfinished == 0) {
        complete(grid);
        break;
      }
      dispatch();
    }
    if (turn.spent == 0) skip_to_wake(sm);
    turn = {};
    return true;
  }

  /// Everyone on this SM sleeps: its time goes on to the first who wakes.
  void skip_to_wake(Sm& sm) {
    u64 earliest = ~u64{0};
    for (auto& block : sm.blocks) earliest = std::min(earliest, executor.wake_sleepers(*block, sm.cycle));
    if (earliest != ~u64{0}) sm.cycle = std::max(sm.cycle, earliest);
  }

  void end_round() {
    u64 latest = cycle();
    if (!round_useful) {  // everyone waits, perhaps for a sleeper, perhaps for the host
      u64 earliest = ~u64{0};
      for (Sm& sm : sms)
        for (auto& block : sm.blocks) earliest = std::min(earliest, executor.wake_sleepers(*block, latest));
      if (earliest != ~u64{0}) latest = std::max(latest, earliest);
      std::this_thread::yield();
    }
    for (Sm& sm : sms) sm.cycle = latest;
    round_useful = false;
    if (++rounds % grid_barrier::rounds_between_looks == 0) look_at_grid_barriers();
  }

  void look_at_grid_barriers() {
    for (auto& grid : grids) {
      if (!grid->workspace || !grid_barrier::stands_still(*grid, sms)) continue;
      const Block& block = grid_barrier::block_to_report(*grid, sms);
      return fail(*grid, executor.deadlock(block, grid_barrier::what_it_waits_for(*grid, block)));
    }
  }

  bool run(u64 wanted) {
    stop = false;
    u64 used = 0;
    dispatch();
    while (!grids.empty() && completions.empty() && used < wanted && !stop.load(std::memory_order_relaxed)) {
      Sm& sm = sms[turn_of_sm];
      if (!sm.blocks.empty() && !run_sm(sm, wanted, used)) break;
      if (++turn_of_sm < sms.size()) continue;
      turn_of_sm = 0;
      end_round();
      dispatch();
    }
    return !grids.empty();
  }
};

Gpu::Gpu(const GpuLimits& limits, memory::AddressSpace& space, DeviceServices& services)
    : state_(std::make_unique<State>(limits, space, services)) {}

Gpu::~Gpu() = default;

std::string Gpu::refuse(const Launch& launch) const {
  return refusal(state_->limits, launch);
}

u32 Gpu::occupancy(const ptx::Kernel& kernel, u32 threads, u32 dynamic_shared) const {
  return blocks_per_sm(state_->limits, needs_of(state_->limits, kernel, threads, dynamic_shared));
}

LaunchId Gpu::start(Launch launch) {
  auto grid = std::make_unique<Grid>();
  grid->id = state_->next_id++;
  grid->launch = std::move(launch);
  grid->kernel = grid->launch.kernel;
  const Dim3 block = grid->launch.block;
  const BlockNeeds needs =
      needs_of(state_->limits, *grid->kernel, static_cast<u32>(block.count()), grid->launch.dynamic_shared);
  grid->threads = needs.threads;
  grid->warps = needs.warps;
  grid->registers = needs.registers;
  grid->shared_bytes = needs.shared_bytes;
  grid->blocks = grid->unfinished = grid->launch.grid.count();
  grid->launch.parameters.resize(std::max<std::size_t>(grid->launch.parameters.size(), grid->kernel->parameter_bytes));
  for (const ptx::MemoryForm& form : grid->kernel->memory) grid->plans.push_back(plan_of(form));
  for (auto& row : grid->thread_ids) row.resize(grid->warps * warp_lanes);
  for (u32 i = 0; i < grid->threads; ++i) {
    grid->thread_ids[0][i] = i % block.x;
    grid->thread_ids[1][i] = i / block.x % block.y;
    grid->thread_ids[2][i] = i / block.x / block.y;
  }
  if (grid->launch.cooperative)
    grid->workspace = state_->space.allocate(memory::Region::internal, 16, 256, "grid barrier");
  if (state_->grids.empty())  // an SM that had nothing to do has waited until now
    for (Sm& sm : state_->sms) sm.cycle = state_->cycle();
  grid->begin_ns = state_->now_ns();
  grid->begin_cycle = state_->cycle();
  const LaunchId id = grid->id;
  state_->grids.push_back(std::move(grid));
  return id;
}

bool Gpu::run(u64 warp_instructions) {
  return state_->run(warp_instructions);
}

std::vector<Completion> Gpu::take_completions() {
  return std::exchange(state_->completions, {});
}

void Gpu::set_instruction_limit(u64 limit) {
  state_->instruction_limit = limit;
}

void Gpu::set_crash_point(u64 warp_instruction, std::function<void()> crash) {
  state_->crash_at = warp_instruction;
  state_->crash = std::move(crash);
}

void Gpu::request_stop() {
  state_->stop = true;
}

const Counters& Gpu::totals() const {
  return state_->totals;
}

u64 Gpu::simulated_nanoseconds() const {
  return state_->now_ns();
}

void Gpu::advance_nanoseconds(u64 nanoseconds) {
  state_->base_ns += nanoseconds;
}

}  // namespace ew::simt
