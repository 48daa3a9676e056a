// The causes of lost issue slots: see timing_statistics.hpp.
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

u64& TimingSm::data_of(TimingStatistics& counts, Source source) {
  return source == Source::from_shared ? counts.data_shared
         : source == Source::constant  ? counts.data_constant
                                       : counts.data_private;
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
u64* TimingSm::persist_cause(u64 mine) const {
  static constexpr u64 TimingStatistics::*counters[] = {
      &TimingStatistics::persist_buffer, &TimingStatistics::persist_order, &TimingStatistics::persist_eviction,
      &TimingStatistics::persist_durable};
  for (u32 by = 0; by < std::size(counters); ++by) {
    const Stall why = static_cast<Stall>(static_cast<u32>(Stall::persist_buffer) + by);
    if (const u64 held = held_.at_accesses(why) & mine & table_.occupied())
      return &(table_.counts_of(held).*counters[by]);
  }
  return nullptr;
}

/// On the account of the warp's launch; of several warps with this cause, of the one in the first slot.
StallCause TimingSm::cause_of(u32 scheduler) {
  const u64 mine = schedulers_[scheduler].mine();
  const u64 memory = table_.ready().of(Unit::memory) & mine & ~held_.at_accesses();
  if (memory) return {&structural(table_.counts_of(memory))};
  if (held_.at_accesses() & mine) [[unlikely]]
    if (u64* const counter = persist_cause(mine)) return {counter};
  if (const u64 data = table_.waiting(Wait::memory) & mine) {
    const WarpSlot& w = table_[first_of(data)];
    if (w.access == no_access) return {&data_of(*w.counts, w.source)};
    Access& a = accesses_[w.access];
    if (a.path == AccessPath::shared) return {&data_of(*w.counts, a.source)};
    return {&a.stalled, w.access};
  }
  if (const u64 held = held_.at_order() & mine) return {&table_.counts_of(held).persist_fence};
  if (const u64 order = table_.waiting(Wait::order) & mine) return {&table_.counts_of(order).synchronisation};
  if (const u64 ready = table_.ready().all() & mine) return {&table_.counts_of(ready).compute_structural};
  if (const u64 data = table_.waiting(Wait::data) & mine) return {&table_.counts_of(data).compute_data};
  if (const u64 control = table_.waiting(Wait::control) & mine) return {&table_.counts_of(control).control};
  return stalls_.idle();
}

/// The access is over: what was lost to it goes to who served it.
void TimingSm::move_charges(u32 id, Access& a) {
  u64& counter = a.path == AccessPath::shared ? data_of(*a.counts_of, a.source) : served(*a.counts_of, a.served_by);
  stalls_.move(a, id, counter, with_.wheel.now());
}

TimingStatistics TimingSm::take(core::Account account, Cycle now) {
  return stalls_.take(account, now, [this](u32 s) { return cause_of(s); });
}

void TimingSm::settle(Cycle now) {
  stalls_.charge(now);
  for (u64 left = table_.occupied(); left; left &= left - 1) stalls_.settle(table_[first_of(left)], now);
  stalls_.settle_accesses();
}

}  // namespace ew::simt
