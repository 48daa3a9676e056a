#include "simt/sm/stall_account.hpp"

#include <algorithm>
#include <utility>

#include "simt/assist.hpp"

namespace ew::simt {
namespace {

u64& cycles_of(const WarpSlot& w) {
  return is_assist(*w.warp) ? w.counts->assist.cycles : w.counts->warp_cycles;
}

}  // namespace

StallAccount::StallAccount(u32 schedulers, u32 sm, AccessPool& accesses)
    : schedulers_(schedulers), sm_(sm), accesses_(accesses), all_((1u << schedulers) - 1) {
  causes_.fill(idle());
}

void StallAccount::move(Access& a, u32 access, u64& counter, Cycle now) {
  charge(now);
  counter += std::exchange(a.stalled, 0);
  for (u32 s = 0; s < schedulers_; ++s)
    if (causes_[s].access == access) causes_[s] = {&counter};
}

void StallAccount::issued_meanwhile(Access& a, SlotCounts& warps, u64 slots, Cycle now) {
  charge(now);
  u64 left = slots;
  const auto take = [&left](u64& lost) {
    const u64 taken = std::min(left, lost);
    lost -= taken;
    left -= taken;
  };
  take(a.stalled);
  for (u32 id = 0; left && id < accesses_.made(); ++id) take(accesses_[id].stalled);
  SlotCounts::fields(warps, [&](std::string_view, u64& lost, auto&&...) {
    if (&lost != &warps.issued) take(lost);
  });
  warps.issued += slots - left;
  accounts_[a.grid->account].polls_without_slot += left;
}

void StallAccount::enter(GridRun& run, u32 warps, Cycle now) {
  charge(now);
  occupied_ = true;
  GridRun::OnSm& on_this = run.on_sm[sm_];
  if (!on_this.warps) on_this.since = std::max(now, on_this.until);
  on_this.warps += warps;
}

void StallAccount::count_residence(const WarpSlot& w, Cycle now) {
  const Cycle end = now + 1;
  cycles_of(w) += end - w.begun;
  GridRun::OnSm& on_this = w.run().on_sm[sm_];
  if (--on_this.warps) return;
  if (end > on_this.since) w.counts->active_cycles += end - on_this.since;
  on_this.until = end;
}

TimingStatistics StallAccount::statistics(Cycle now) {
  charge(now);
  TimingStatistics sum = accounts_.total();
  for (u32 id = 0; id < accesses_.made(); ++id)
    sum.slots_of(accesses_[id].of_helper).data_unserved += accesses_[id].stalled;
  sum.join_slots();
  sum.slots.idle += idle_slots_;
  sum.active_cycles = active_cycles_;
  return sum;
}

void StallAccount::settle(WarpSlot& w, Cycle now) {
  cycles_of(w) += now - std::exchange(w.begun, now);
  Cycle& since = w.run().on_sm[sm_].since;
  if (now > since) w.counts->active_cycles += now - std::exchange(since, now);
}

void StallAccount::settle_accesses() {
  for (u32 id = 0; id < accesses_.made(); ++id)
    if (const u64 stalled = std::exchange(accesses_[id].stalled, 0)) slots_of(accesses_[id]).data_unserved += stalled;
}

}  // namespace ew::simt
