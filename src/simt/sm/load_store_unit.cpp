#include "simt/sm/load_store_unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace ew::simt {

using memory::ServedBy;
using memory::Stall;

namespace {

/// What the private cache has not accepted of it will not be asked for.
void cut_short(Access& a) {
  a.to_complete = static_cast<u8>(a.to_complete - (a.parts_count - a.next_part));
  a.parts_count = a.next_part;
}

/// Cycles of the unit that a warp's atomic takes at least; 0: it is none.
u32 cycles_of_atomic(const Access& a, const AtomicIntervals& config) {
  if (a.line.kind != memory::AccessKind::atomic && a.line.kind != memory::AccessKind::reduction) return 0;
  return config.swap && a.op.form->atomic == ptx::AtomicOp::cas ? config.swap : config.any;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const SmSetup& setup, const Parts& parts)
    : with_(parts),
      map_(setup.map),
      config_(setup.config),
      private_latency_(setup.private_latency),
      queue_(setup.config.accesses, parts.accesses) {}

// --- At issue

Access& LoadStoreUnit::begin(AccessPath path) {
  Access& a = with_.accesses[with_.accesses.take()];
  const u32 slot = with_.issuing.slot;
  const WarpSlot& w = with_.table[slot];
  a.grid = &w.run();
  with_.completion.begins(*a.grid);
  a.instruction = w.next;
  a.slot = slot;
  a.counts_of = w.counts;
  a.of_helper = w.helper();
  a.begun = with_.wheel.now();
  a.generation = w.generation;
  a.path = path;
  a.ready = 0;
  a.stalled = 0;
  a.others = 0;
  a.next_part = 0;
  a.served_by = ServedBy::none;
  a.source = Source::cached;
  a.counts = a.writes = a.finishes = a.copies = a.acquires = a.mmio = a.retained = a.done = a.placed = false;
  return a;
}

void LoadStoreUnit::work(u32 busy, u32 latency, Source source) {
  const Cycle now = with_.wheel.now();
  Readiness& result = with_.issuing.result;
  if (queue_.size() == 0 || with_.accesses.room() == 0) {
    const Cycle begin = std::max(now, free_from_);
    free_from_ = begin + busy;
    if (!waits_for_access(result)) result = std::max(result, ready_at(begin + latency, source));
    return;
  }
  Access& a = begin(AccessPath::shared);
  a.busy = busy;
  a.latency = latency;
  a.source = source;
  a.parts_count = a.to_complete = 1;
  const u32 id = with_.accesses.number_of(a);
  retain(id);
  queue_.push(id);
}

bool LoadStoreUnit::send(Access& a) {
  const u32 id = with_.accesses.number_of(a);
  a.to_perform = a.to_complete = a.parts_count;
  if (a.counts) with_.order.sent(a.slot, a.instruction.pc->order.as, a.instruction.pc->stores);
  a.line.access = id;
  a.line.warp = static_cast<u8>(a.slot);
  a.line.account = a.grid->account;
  const Cycle now = with_.wheel.now();
  if (with_.held.at_accesses() >> a.slot & 1) [[unlikely]] {  // by an earlier part of the same instruction
    retain(id);
    queue_.set_aside(id);
    return false;
  }
  if (queue_.size() == 0 && free_from_ <= now) {
    const u32 serial = a.serial;
    const Sent sent = proceed(id, now);
    if (a.serial != serial) return true;  // over, and the access may be another's
    retain(id);
    if (sent == Sent::later) queue_.push(id);
    return false;
  }
  retain(id);
  queue_.push(id);
  return false;
}

/// From now on registers wait for the access, not for the instruction.
void LoadStoreUnit::retain(u32 id) {
  Access& a = with_.accesses[id];
  a.retained = true;
  if (a.writes || a.copies) {
    a.leader = id;
    return;
  }
  u32& leader = with_.issuing.leader;
  if (leader == no_access) {
    leader = id;
    with_.issuing.result = ready_with(id);
  } else {
    ++with_.accesses[leader].others;
  }
  a.leader = leader;
}

// --- To the private cache

void LoadStoreUnit::step(Cycle now) {
  while (queue_.size() && !head_stalled_ && free_from_ <= now) {
    with_.accesses.expect(queue_.second());
    if (proceed(queue_.front(), now) == Sent::later) return;
    queue_.pop();
  }
}

LoadStoreUnit::Sent LoadStoreUnit::proceed(u32 id, Cycle now) {
  Access& a = with_.accesses[id];
  if (a.path == AccessPath::shared) {
    free_from_ = now + a.busy;
    a.ready = now + a.latency;
    a.to_complete = 0;
    with_.completion.finish(id);
    return Sent::over;
  }
  const u32 busy = std::max(cycles_of(a.op.lanes), cycles_of_atomic(a, config_.atomics));
  for (;;) {
    if (a.line.part != a.next_part || !a.placed) place(a, a.parts[a.next_part]);
    const bool last = a.next_part + 1 == a.parts_count;
    if (!last) {
      port_->expect_line(a.parts[a.next_part + 1].line);
      core::prefetch(&a.parts[a.next_part] + 6);
    }
    Stall why = Stall::none;
    const memory::Accepted accepted = port_->access(a.line, why);
    if (accepted == memory::Accepted::stalled) return stall(a, why, now);
    ++a.next_part;
    ++a.counts_of->memory.parts;
    if (accepted == memory::Accepted::performed) {
      a.ready = std::max(a.ready, now + private_latency_);
      with_.completion.part_over(id, ServedBy::private_cache);
    } else if (why == Stall::persist_durable) {
      hold(a, why, false);
    }
    if (last) break;
  }
  free_from_ = now + busy;
  return Sent::over;
}

LoadStoreUnit::Sent LoadStoreUnit::stall(Access& a, Stall why, Cycle now) {
  free_from_ = now + 1;
  if (memory::holds_the_warp(why)) {
    hold(a, why, true);
    return Sent::held;
  }
  stall_ = why;
  head_stalled_ = why != Stall::bank;
  return Sent::later;
}

/// What the private cache must know of this part.
void LoadStoreUnit::place(Access& a, const AccessPart& part) {
  memory::LineAccess& line = a.line;
  line.line = part.line;
  line.words = part.words;
  if (map_) {
    line.place = map_->place(part.line);
    line.mmio = line.place.mmio || (a.mmio && !line.place.persistent);
    with_.watch.met_host(line.place.host | line.place.persistent);
  }
  line.part = a.next_part;
  a.placed = true;
  line.lanes = static_cast<u8>(std::popcount(part.lanes));
}

/// The warp is held: it issues nothing, and its younger accesses leave the queue, so that those of other warps pass.
void LoadStoreUnit::hold(const Access& of, Stall why, bool aside) {
  const u32 slot = of.slot, access = with_.accesses.number_of(of);
  const bool first = with_.held.hold(slot, why);
  if (aside) queue_.set_aside(access);
  if (!first) return;
  queue_.filter([&](u32 id, u32) {
    const Access& a = with_.accesses[id];
    if (id == access || a.slot != slot || a.path == AccessPath::shared) return true;
    queue_.set_aside(id);
    return false;
  });
}

void LoadStoreUnit::resume(u64 warps) {
  with_.held.resume_at_order(warps);
  for (u64 left = warps; left; left &= left - 1) {
    const u32 slot = first_of(left);
    queue_.bring_back(slot);
    with_.table.look_again(slot, Wait::order);
  }
  with_.held.resume_at_accesses(warps);
  with_.alarm.wake_now();
}

// --- Ends and reports

void LoadStoreUnit::forget(const GridRun& run) {
  queue_.filter([&](u32 id, u32 place) {
    Access& a = with_.accesses[id];
    if (a.grid != &run) return true;
    cut_short(a);
    if (place == 0) head_stalled_ = false;
    return false;
  });
  queue_.filter_aside([&](u32 id) {
    Access& a = with_.accesses[id];
    if (a.grid != &run) return true;
    cut_short(a);
    return false;
  });
  with_.completion.forget(run);
}

std::string LoadStoreUnit::what_is_under_way(u32 sm) const {
  std::string text;
  if (with_.held.at_accesses() | with_.held.at_order())
    text +=
        fmt::format("\n  SM {}: the persistency model holds warp slots {:#x} at accesses and {:#x} at order operations",
                    sm, with_.held.at_accesses(), with_.held.at_order());
  if (queue_.size())
    text += fmt::format(
        "\n  SM {}: {} accesses wait for the load/store unit{}", sm, queue_.size(),
        head_stalled_ ? fmt::format("; the first is stalled by the private cache (reason {})", static_cast<u32>(stall_))
                      : "");
  u32 listed = 0;
  for (u32 id = 0; id < with_.accesses.made() && listed < 8; ++id) {
    const Access& a = with_.accesses[id];
    if (!a.grid) continue;
    ++listed;
    text += fmt::format(
        "\n  SM {}: access {} of warp slot {} to line {:#x}: {} of {} parts accepted, {} unanswered, {} others behind "
        "it",
        sm, id, a.slot, a.parts[0].line, a.next_part, a.parts_count, a.to_complete, a.others);
  }
  const std::string below = port_->what_is_under_way();
  if (!below.empty()) text += fmt::format("\n  private cache of SM {}:\n{}", sm, below);
  return text;
}

}  // namespace ew::simt
