// The charge of issue slots to causes: see timing_statistics.hpp. A cause holds until the SM is stepped again, so idle
// stretches are charged in one go; what is lost to an access is kept with it until it is known who served it.
#include "simt/timing_sm.hpp"

namespace ew::simt {

using memory::ServedBy;
using memory::Stall;

u64& TimingSm::served(ServedBy by) {
  switch (by) {
    case ServedBy::private_cache:
      return statistics_.data_private;
    case ServedBy::merged:
      return statistics_.data_merged;
    case ServedBy::home:
      return statistics_.data_home;
    case ServedBy::remote_cache:
      return statistics_.data_remote;
    case ServedBy::device:
      return statistics_.data_device;
    case ServedBy::host:
      return statistics_.data_host;
    case ServedBy::none:
      break;
  }
  return statistics_.data_unserved;
}

u64& TimingSm::data_of(u8 kind) {
  return kind == from_shared ? statistics_.data_shared
         : kind == constant  ? statistics_.data_constant
                             : statistics_.data_private;
}

u64& TimingSm::structural() {
  if (!head_stalled_ || queue_count_ == 0)
    return stall_ == Stall::bank && queue_count_ ? statistics_.structural_bank : statistics_.structural_unit;
  switch (stall_) {
    case Stall::bank:
      return statistics_.structural_bank;
    case Stall::mshr:
      return statistics_.structural_mshr;
    case Stall::merge:
      return statistics_.structural_merge;
    case Stall::line:
      return statistics_.structural_line;
    case Stall::write_buffer:
      return statistics_.structural_write_buffer;
    case Stall::release:
      return statistics_.structural_release;
    case Stall::network:
      return statistics_.structural_network;
    default:
      return statistics_.structural_unit;
  }
}

/// nullptr: the persistency model holds none of these warps.
u64* TimingSm::persist_cause(u64 mine) {
  u64* const counters[] = {&statistics_.persist_buffer, &statistics_.persist_order, &statistics_.persist_eviction,
                           &statistics_.persist_durable};
  for (u32 by = 0; by < std::size(counters); ++by)
    if (held_by_[by] & mine & occupied_) return counters[by];
  return nullptr;
}

void TimingSm::charge(Cycle until) {
  if (until <= charged_) return;
  const u64 cycles = until - charged_;
  charged_ = until;
  if (was_occupied_) statistics_.active_cycles += cycles;
  for (u32 s = 0; s < schedulers_; ++s) {
    const Cause& cause = causes_[s];
    (cause.counter ? *cause.counter : accesses_[cause.access].stalled) += cycles;
  }
}

TimingSm::Cause TimingSm::cause_of(u32 scheduler) {
  const u64 mine = mine_[scheduler];
  const u64 memory = ready_[static_cast<u32>(Unit::memory)];
  if (memory & mine & ~held_) return {&structural()};
  if (held_ & mine) [[unlikely]]
    if (u64* const counter = persist_cause(mine)) return {counter};
  if (const u64 waiting_for_data = waits_[for_memory] & mine) {
    const Slot& w = warps_[static_cast<u32>(std::countr_zero(waiting_for_data))];
    if (w.access == no_access) return {&data_of(w.kind)};
    if (accesses_[w.access].path == AccessPath::shared) return {&data_of(accesses_[w.access].kind)};
    return {nullptr, w.access};
  }
  if (held_at_order_ & mine) return {&statistics_.persist_fence};
  if (waits_[for_order] & mine) return {&statistics_.synchronisation};
  u64 ready = 0;
  for (const u64 set : ready_) ready |= set;
  if (ready & mine) return {&statistics_.compute_structural};
  if (waits_[for_data] & mine) return {&statistics_.compute_data};
  if (waits_[for_control] & mine) return {&statistics_.control};
  return {&statistics_.idle};
}

/// The cycle that has just been stepped, and the causes that hold from now on.
void TimingSm::choose_causes(Cycle now) {
  charged_ = now + 1;
  if (was_occupied_ || occupied_) ++statistics_.active_cycles;
  was_occupied_ = occupied_ != 0;
  const u32 issued = static_cast<u32>(std::popcount(issued_now_));
  statistics_.issued += issued;
  if (issued == schedulers_ && due_ == now + 1) {  // no cause is needed before the next step
    for (u32 s = 0; s < schedulers_; ++s) causes_[s] = {&statistics_.idle};
    return;
  }
  for (u32 s = 0; s < schedulers_; ++s) {
    const Cause cause = causes_[s] = cause_of(s);
    if (!((issued_now_ >> s) & 1)) ++(cause.counter ? *cause.counter : accesses_[cause.access].stalled);
  }
}

/// The access is over: what was lost to it goes to who served it.
void TimingSm::move_charges(u32 id, Access& a) {
  charge(shared_.wheel.now());
  u64& counter = a.path == AccessPath::shared ? data_of(a.kind) : served(a.served_by);
  counter += a.stalled;
  a.stalled = 0;
  for (u32 s = 0; s < schedulers_; ++s)
    if (causes_[s].access == id) causes_[s] = {&counter};
}

const TimingStatistics& TimingSm::statistics(Cycle now) {
  charge(now);
  for (u32 id = 0; id < accesses_.made(); ++id) statistics_.data_unserved += std::exchange(accesses_[id].stalled, 0);
  return statistics_;
}

}  // namespace ew::simt
