// The charge of issue slots to causes: see timing_statistics.hpp. A cause holds until the SM is stepped again, so idle
// stretches are charged in one go; what is lost to an access is kept with it until it is known who served it.
#include "simt/timing_sm.hpp"

namespace ew::simt {

using memory::ServedBy;
using memory::Stall;

u64& TimingSm::served(TimingStatistics& counts, ServedBy by) {
  switch (by) {
    case ServedBy::private_cache:
      return counts.data_private;
    case ServedBy::merged:
      return counts.data_merged;
    case ServedBy::home:
      return counts.data_home;
    case ServedBy::remote_cache:
      return counts.data_remote;
    case ServedBy::device:
      return counts.data_device;
    case ServedBy::host:
      return counts.data_host;
    case ServedBy::none:
      break;
  }
  return counts.data_unserved;
}

u64& TimingSm::data_of(TimingStatistics& counts, u8 kind) {
  return kind == from_shared ? counts.data_shared : kind == constant ? counts.data_constant : counts.data_private;
}

u64& TimingSm::structural(TimingStatistics& counts) const {
  if (!head_stalled_ || queue_count_ == 0)
    return stall_ == Stall::bank && queue_count_ ? counts.structural_bank : counts.structural_unit;
  switch (stall_) {
    case Stall::bank:
      return counts.structural_bank;
    case Stall::mshr:
      return counts.structural_mshr;
    case Stall::merge:
      return counts.structural_merge;
    case Stall::line:
      return counts.structural_line;
    case Stall::write_buffer:
      return counts.structural_write_buffer;
    case Stall::release:
      return counts.structural_release;
    case Stall::network:
      return counts.structural_network;
    default:
      return counts.structural_unit;
  }
}

/// nullptr: the persistency model holds none of these warps.
u64* TimingSm::persist_cause(u64 mine) {
  static constexpr u64 TimingStatistics::*counters[] = {
      &TimingStatistics::persist_buffer, &TimingStatistics::persist_order, &TimingStatistics::persist_eviction,
      &TimingStatistics::persist_durable};
  for (u32 by = 0; by < std::size(counters); ++by)
    if (const u64 held = held_by_[by] & mine & occupied_) return &(counts_of(held).*counters[by]);
  return nullptr;
}

void TimingSm::charge(Cycle until) {
  if (until <= charged_) return;
  const u64 cycles = until - charged_;
  charged_ = until;
  if (was_occupied_) active_cycles_ += cycles;
  for (u32 s = 0; s < schedulers_; ++s) {
    const Cause& cause = causes_[s];
    (cause.counter ? *cause.counter : accesses_[cause.access].stalled) += cycles;
  }
}

/// On the account of the warp's launch; of several warps with this cause, of the one in the first slot.
TimingSm::Cause TimingSm::cause_of(u32 scheduler) {
  const u64 mine = mine_[scheduler];
  const u64 memory = ready_[static_cast<u32>(Unit::memory)] & mine & ~held_;
  if (memory) return {&structural(counts_of(memory))};
  if (held_ & mine) [[unlikely]]
    if (u64* const counter = persist_cause(mine)) return {counter};
  if (const u64 waiting_for_data = waits_[for_memory] & mine) {
    const Slot& w = warps_[static_cast<u32>(std::countr_zero(waiting_for_data))];
    if (w.access == no_access) return {&data_of(*w.counts, w.kind)};
    const Access& a = accesses_[w.access];
    if (a.path == AccessPath::shared) return {&data_of(*w.counts, a.kind)};
    return {nullptr, w.access};
  }
  if (const u64 held = held_at_order_ & mine) return {&counts_of(held).persist_fence};
  if (const u64 order = waits_[for_order] & mine) return {&counts_of(order).synchronisation};
  u64 ready = 0;
  for (const u64 set : ready_) ready |= set;
  if (ready &= mine) return {&counts_of(ready).compute_structural};
  if (const u64 data = waits_[for_data] & mine) return {&counts_of(data).compute_data};
  if (const u64 control = waits_[for_control] & mine) return {&counts_of(control).control};
  return {idle_};
}

/// The cycle that has just been stepped, and the causes that hold from now on.
void TimingSm::choose_causes(Cycle now) {
  charged_ = now + 1;
  if (was_occupied_ || occupied_) ++active_cycles_;
  was_occupied_ = occupied_ != 0;
  const u32 issued = static_cast<u32>(std::popcount(issued_now_));
  if (issued == schedulers_ && alarm_.due() == now + 1) {  // no cause is needed before the next step
    for (u32 s = 0; s < schedulers_; ++s) causes_[s] = {idle_};
    return;
  }
  for (u32 s = 0; s < schedulers_; ++s) {
    const Cause cause = causes_[s] = cause_of(s);
    if (!((issued_now_ >> s) & 1)) ++(cause.counter ? *cause.counter : accesses_[cause.access].stalled);
  }
}

/// The access is over: what was lost to it goes to who served it.
void TimingSm::move_charges(u32 id, Access& a) {
  charge(with_.wheel.now());
  u64& counter = a.path == AccessPath::shared ? data_of(*a.counts_of, a.kind) : served(*a.counts_of, a.served_by);
  counter += a.stalled;
  a.stalled = 0;
  for (u32 s = 0; s < schedulers_; ++s)
    if (causes_[s].access == id) causes_[s] = {&counter};
}

/// A warp leaves the SM.
void TimingSm::count_residence(const Slot& w) {
  const Cycle end = with_.wheel.now() + 1;
  w.counts->warp_cycles += end - w.begun;
  GridRun::OnSm& on_this = w.grid->on_sm[sm_.index];
  if (--on_this.warps) return;
  if (end > on_this.since) w.counts->active_cycles += end - on_this.since;
  on_this.until = end;
}

/// What is lost to accesses under way is not served yet, as far as it is known now.
TimingStatistics TimingSm::statistics(Cycle now) {
  charge(now);
  TimingStatistics sum = accounts_.total();
  for (u32 id = 0; id < accesses_.made(); ++id) sum.data_unserved += accesses_[id].stalled;
  sum.active_cycles = active_cycles_;
  return sum;
}

TimingStatistics TimingSm::take(core::Account account, Cycle now) {
  charge(now);
  const u64* const begin = &accounts_[account].cycles;
  const u64* const end = begin + sizeof(TimingStatistics) / sizeof(u64);
  for (u32 s = 0; s < schedulers_; ++s)  // of a warp that has ended in this cycle
    if (causes_[s].counter >= begin && causes_[s].counter < end) causes_[s] = cause_of(s);
  return accounts_.take(account);
}

void TimingSm::settle(Cycle now) {
  charge(now);
  for (u64 left = occupied_; left; left &= left - 1) {
    Slot& w = warps_[static_cast<u32>(std::countr_zero(left))];
    w.counts->warp_cycles += now - std::exchange(w.begun, now);
    Cycle& since = w.grid->on_sm[sm_.index].since;
    if (now > since) w.counts->active_cycles += now - std::exchange(since, now);
  }
  for (u32 id = 0; id < accesses_.made(); ++id)
    if (const u64 stalled = std::exchange(accesses_[id].stalled, 0)) accesses_[id].counts_of->data_unserved += stalled;
}

void TimingSm::charge_idle_slots(Cycle now, core::Account alone) {
  charge(now);
  u64* const idle = &accounts_[alone].idle;
  for (u32 s = 0; s < schedulers_; ++s)
    if (causes_[s].counter == idle_) causes_[s] = {idle};
  idle_ = idle;
}

}  // namespace ew::simt
