#include "simt/sm/stall_causes.hpp"

namespace ew::simt {

using memory::ServedBy;
using memory::Stall;

namespace {

u64& counter_of(Source source, SlotCounts& counts) {
  return source == Source::from_shared ? counts.data_shared
         : source == Source::constant  ? counts.data_constant
                                       : counts.data_private;
}

/// A memory instruction could not issue, as the load/store unit took no more.
u64& structural(SlotCounts& counts, Stall blocked_by) {
  switch (blocked_by) {
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

}  // namespace

u64& counter_of(const Access& a, SlotCounts& counts) {
  if (a.path == AccessPath::shared) return counter_of(a.source, counts);
  switch (a.served_by) {
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

/// nullptr: the persistency model holds none of these warps.
u64* StallCauses::persistency(u64 slots) const {
  static constexpr u64 SlotCounts::*counters[] = {&SlotCounts::persist_buffer, &SlotCounts::persist_order,
                                                  &SlotCounts::persist_eviction, &SlotCounts::persist_durable};
  for (u32 by = 0; by < std::size(counters); ++by) {
    const Stall why = static_cast<Stall>(static_cast<u32>(Stall::persist_buffer) + by);
    if (const u64 held = held_.at_accesses(why) & slots & table_.occupied())
      return &(table_.slots_of(held).*counters[by]);
  }
  return nullptr;
}

StallCause StallCauses::of_memory(u64 slots) const {
  const ReadySets& ready = table_.ready();
  const u64 memory = ready.of(Unit::memory) & slots & ~held_.at_accesses();
  if (memory) return {&structural(table_.slots_of(memory), unit_.blocked_by())};
  if (held_.at_accesses() & slots) [[unlikely]]
    if (u64* const counter = persistency(slots)) return {counter};
  if (const u64 data = table_.waiting(Wait::memory) & slots) {
    const WarpSlot& w = table_[first_of(data)];
    if (w.access == no_access) return {&counter_of(w.source, *w.slots)};
    Access& a = accesses_[w.access];
    if (a.path == AccessPath::shared) return {&counter_of(a.source, *w.slots)};
    return {&a.stalled, w.access};
  }
  if (const u64 held = held_.at_order() & slots) return {&table_.slots_of(held).persist_fence};
  if (const u64 order = table_.waiting(Wait::order) & slots) return {&table_.slots_of(order).synchronisation};
  return of(slots, 0);
}

}  // namespace ew::simt
