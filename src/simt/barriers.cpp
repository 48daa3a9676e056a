// Block barriers (counted by threads, as Volta and later do), mbarriers, nanosleep.
#include <bit>
#include <cstring>

#include "simt/executor.hpp"

namespace ew::simt {
namespace {

using ptx::BarrierKind;

constexpr u32 longest_sleep = 1'000'000;  // nanoseconds: PTX ISA, "nanosleep"

const u32* row_of(const Warp& warp, u32 frame, ptx::Row row) {
  if (row & ptx::constant_row) return warp.block->grid->kernel->constants.data() + (row & 0x7fff) * warp_lanes;
  return warp.rows.data() + (std::size_t{warp.frames[frame].row_base} + row) * warp_lanes;
}

LaneMask predicate_of(const Warp& warp, u32 frame, ptx::Predicate predicate) {
  if (predicate == ptx::always) return all_lanes;
  const LaneMask value = warp.predicates.data()[warp.frames[frame].predicate_base + (predicate & 0x7fff)];
  return predicate & ptx::negated ? ~value : value;
}

// The 64-bit object of an mbarrier: its layout is opaque in PTX.
struct MbarrierWord {
  u64 pending : 20, expected : 20, phase : 1;
  i64 bytes : 23;  // of transactions still to come
};
static_assert(sizeof(MbarrierWord) == 8);

void end_phase_if_complete(MbarrierWord& word) {
  if (word.pending != 0 || word.bytes != 0) return;
  word.phase ^= 1;
  word.pending = word.expected;
}

}  // namespace

bool Executor::barrier(Warp& warp, const ptx::BarrierForm& form, LaneMask mask) {
  only(warp, mask);
  Block& block = *warp.block;
  const u32 frame = warp.split().frame;
  const u32 lane = std::countr_zero(mask);
  const u32 id = row_of(warp, frame, form.id)[lane];
  if (id >= block.barriers.size())
    return refuse(warp, FaultKind::illegal_instruction, mask, "barrier " + std::to_string(id) + " (there are 0 to 15)");
  u32 threads = 0;
  if (form.threads != ptx::no_row) {
    threads = row_of(warp, frame, form.threads)[lane];
    if (threads == 0 || threads % warp_lanes)
      return refuse(warp, FaultKind::illegal_instruction, mask,
                    "barrier for " + std::to_string(threads) + " threads (a multiple of the warp size is needed)");
  }
  SyncOp op{.kind = SyncKind::block_barrier,
            .warp = &warp,
            .pc = warp.split().pc,
            .lanes = mask,
            .barrier = id,
            .threads = threads};
  performer_.sync(op);
  BlockBarrier& state = block.barriers[id];
  if (state.arrived == 0) state = BlockBarrier{.expected = threads};
  // A count that names every thread means every thread that is left; a producer that arrives and ends must still count.
  const u32 all = (block.grid->threads + warp_lanes - 1) / warp_lanes * warp_lanes;
  if (threads && (threads != all || form.kind == BarrierKind::arrive)) {
    state.all_threads = false;
    state.expected = threads;
  }
  state.arrived += static_cast<u32>(std::popcount(mask));
  const LaneMask source = predicate_of(warp, frame, form.source) & mask;
  state.popc += static_cast<u32>(std::popcount(source));
  state.any |= source != 0;
  state.all &= source == mask;
  ++block.grid->counters.barriers;
  warp.spins = false;
  const bool waits = form.kind != BarrierKind::arrive;
  if (waits) {
    warp.split().state = SplitState::at_barrier;
    warp.split().barrier = static_cast<u8>(id);
  } else {
    ++warp.split().pc;
  }
  if (state.arrived >= (state.all_threads ? block.live_threads : state.expected)) complete(block, id);
  if (warp.split().state != SplitState::running) return another(warp);
  warp.merge();
  return true;
}

void Executor::complete(Block& block, u32 id) {
  const BlockBarrier state = block.barriers[id];
  block.barriers[id] = BlockBarrier{};
  const ptx::Kernel& kernel = *block.grid->kernel;
  for (Warp* warp : block.warps) {
    if (!warp) continue;
    for (u32 s = 0; s < warp->split_count; ++s) {
      Split& split = warp->splits[s];
      if (split.state != SplitState::at_barrier || split.barrier != id) continue;
      const ptx::BarrierForm& form = kernel.barriers[kernel.code[split.pc].imm];
      if (form.kind == BarrierKind::red_popc && form.dst != ptx::no_row) {
        u32* to = const_cast<u32*>(row_of(*warp, split.frame, form.dst));
        for (u32 i = 0; i < warp_lanes; ++i) to[i] = (split.mask >> i) & 1 ? state.popc : to[i];
      } else if (form.dst_predicate != ptx::always) {
        u32& to = warp->predicates.data()[warp->frames[split.frame].predicate_base + form.dst_predicate];
        const bool value = form.kind == BarrierKind::red_and ? state.all : state.any;
        to = (to & ~split.mask) | (value ? split.mask : 0);
      }
      split.state = SplitState::running;
      ++split.pc;
      block.ready |= u64{1} << warp->index;
    }
  }
}

/// Threads that have exited are no longer waited for.
void Executor::check_barriers(Block& block) {
  if (block.live_threads == 0) return;
  for (u32 id = 0; id < block.barriers.size(); ++id) {
    const BlockBarrier& state = block.barriers[id];
    if (state.arrived && state.all_threads && state.arrived >= block.live_threads) complete(block, id);
  }
}

bool Executor::sleep(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  only(warp, mask);
  Split& split = warp.split();
  u32 longest = 0;
  const u32* nanoseconds = row_of(warp, split.frame, instr.a);
  for (LaneMask left = mask; left; left &= left - 1) longest = std::max(longest, nanoseconds[std::countr_zero(left)]);
  longest = std::min(longest, longest_sleep);
  SyncOp op{.kind = SyncKind::sleep, .warp = &warp, .pc = split.pc, .lanes = mask, .nanoseconds = longest};
  performer_.sync(op);
  ++split.pc;
  split.state = SplitState::asleep;
  const u64 now = warp.block->sm->cycle;
  split.wake = now + std::max<u64>(1, u64{longest} * limits_.clock_khz / 1'000'000);
  warp.block->asleep |= u64{1} << warp.index;
  warp.polled = true;
  return another(warp);
}

u64 Executor::wake_sleepers(Block& block, u64 cycle) {
  u64 earliest = ~u64{0};
  for (u64 left = block.asleep; left; left &= left - 1) {
    const u32 index = std::countr_zero(left);
    Warp* warp = block.warps[index];
    bool asleep = false;
    for (u32 s = 0; warp && s < warp->split_count; ++s) {
      Split& split = warp->splits[s];
      if (split.state != SplitState::asleep) continue;
      if (split.wake > cycle) {
        asleep = true;
        earliest = std::min(earliest, split.wake);
        continue;
      }
      split.state = SplitState::running;
      block.ready |= u64{1} << index;
    }
    if (!asleep) block.asleep &= ~(u64{1} << index);
  }
  return earliest;
}

void Executor::finish(Warp& warp, ptx::Pc pc, LaneMask lanes) {
  for (u32 s = 0; s < warp.split_count; ++s) {
    Split& split = warp.splits[s];
    if (split.state != SplitState::at_performer || split.pc != pc || !(split.mask & lanes)) continue;
    split.state = SplitState::running;
    ++split.pc;
    warp.block->ready |= u64{1} << warp.index;
  }
}

bool Executor::mbarrier(Warp& warp, const ptx::MbarrierForm& form, LaneMask mask) {
  using ptx::MbarrierKind;
  Block& block = *warp.block;
  const u32 frame = warp.split().frame;
  const u32* base = warp.rows.data() + std::size_t{warp.frames[frame].row_base} * warp_lanes;
  const auto row = [&](ptx::Row r) { return r & ptx::constant_row ? row_of(warp, frame, r) : base + r * warp_lanes; };
  LaneMask completed = 0;
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    if (form.kind == MbarrierKind::pending_count) {
      const u64 state = reinterpret_cast<const u64*>(row(form.state))[lane];
      const_cast<u32*>(row(form.dst))[lane] = static_cast<u32>(std::bit_cast<MbarrierWord>(state).pending);
      continue;
    }
    u64 address = form.offset;
    if (form.address != ptx::no_row)
      address +=
          form.address_bytes == 4 ? row(form.address)[lane] : reinterpret_cast<const u64*>(row(form.address))[lane];
    const u64 offset = form.shared ? address : address - memory::shared_window;
    if (offset % 8 || offset + 8 > block.grid->shared_bytes || offset >= block.grid->shared_bytes)
      return refuse_access(warp,
                           {offset % 8 ? FaultKind::misaligned_address : FaultKind::illegal_address, lane, address, 8});
    MbarrierWord word;
    std::memcpy(&word, block.shared_data() + offset, sizeof word);
    const u64 before = std::bit_cast<u64>(word);
    const u32 count = form.count == ptx::no_row ? 1 : row(form.count)[lane];
    switch (form.kind) {
      case MbarrierKind::init:
        word = {count, count, 0, 0};
        break;
      case MbarrierKind::inval:
        word = {};
        break;
      case MbarrierKind::expect_tx:
        word.bytes += count;
        break;
      case MbarrierKind::async_arrive:
        if (!form.noinc) break;  // its increment and its arrival meet: copies have been performed already
        [[fallthrough]];
      case MbarrierKind::arrive:
      case MbarrierKind::arrive_no_complete:
      case MbarrierKind::arrive_drop:
        if (count > word.pending)
          return refuse(warp, FaultKind::illegal_instruction, LaneMask{1} << lane,
                        "mbarrier arrival of " + std::to_string(count) + " where " + std::to_string(word.pending) +
                            " are pending");
        word.pending -= count;
        if (form.kind == MbarrierKind::arrive_drop) word.expected -= count;
        end_phase_if_complete(word);
        if (form.dst != ptx::no_row) reinterpret_cast<u64*>(const_cast<u32*>(row(form.dst)))[lane] = before;
        break;
      case MbarrierKind::test_wait:
      case MbarrierKind::try_wait: {
        const u64 phase = form.parity
                              ? row(form.state)[lane] & 1
                              : std::bit_cast<MbarrierWord>(reinterpret_cast<const u64*>(row(form.state))[lane]).phase;
        if (word.phase != phase) completed |= LaneMask{1} << lane;
        warp.polled = true;
        warp.seen = warp.seen * 31 + before + lane;
        break;
      }
      case MbarrierKind::pending_count:
        break;
    }
    std::memcpy(block.shared_data() + offset, &word, sizeof word);
  }
  if (form.dst_predicate != ptx::always) {
    u32& to = warp.predicates.data()[warp.frames[frame].predicate_base + form.dst_predicate];
    to = (to & ~mask) | completed;
  }
  if (form.kind == MbarrierKind::try_wait && completed != mask) yield_ = true;
  return true;
}

}  // namespace ew::simt
