#include "simt/sm/timing_sm.hpp"

#include <algorithm>
#include <utility>

#include "core/machine_part.hpp"

namespace ew::simt {

TimingSm::TimingSm(const SmSetup& setup, const SmNeighbours& with, Sm& sm, core::Partition& partition)
    : sm_(sm),
      alarm_(partition),
      endings_(sm.index, partition.wheel, with.notices),
      trace_(with.trace, partition.wheel, sm.index),
      table_(partition.wheel, alarm_),
      schedulers_(setup, sm.index),
      order_(table_, held_, endings_),
      polls_(setup, sm.index, partition.wheel, table_, with.polls, endings_),
      parked_(setup.limits.blocks_per_sm, setup.config, table_, with.executor, partition.wheel, alarm_, endings_),
      accesses_(setup.config.accesses),
      stalls_(setup.config.schedulers, sm.index, accesses_),
      residents_(sm, partition.wheel, with.residency, with.skew, with.polls, endings_, alarm_, setup.limits.assist,
                 {.table = table_,
                  .schedulers = schedulers_,
                  .parked = parked_,
                  .order = order_,
                  .polls = polls_,
                  .stalls = stalls_,
                  .trace = trace_}),
      flushes_(AccessOrder::tokens_end, with.runs, endings_, alarm_),
      completion_(setup.private_latency, accesses_, issuing_, with.executor, partition.wheel, with.latencies,
                  {.table = table_,
                   .order = order_,
                   .stalls = stalls_,
                   .residents = residents_,
                   .endings = endings_,
                   .alarm = alarm_}),
      unit_(setup, {.wheel = partition.wheel,
                    .alarm = alarm_,
                    .table = table_,
                    .held = held_,
                    .order = order_,
                    .watch = with.polls,
                    .accesses = accesses_,
                    .completion = completion_,
                    .issuing = issuing_}),
      answers_(setup,
               {.accesses = accesses_,
                .completion = completion_,
                .unit = unit_,
                .order = order_,
                .flushes = flushes_,
                .polls = polls_,
                .trace = trace_,
                .recorder = with.recorder,
                .sm = sm.index},
               {.wheel = partition.wheel,
                .table = table_,
                .executor = with.executor,
                .progress = with.progress,
                .polls = polls_,
                .completion = completion_,
                .stalls = stalls_,
                .accesses = accesses_,
                .order = order_,
                .alarm = alarm_}),
      causes_(table_, held_, unit_, accesses_, stalls_),
      local_(setup.config, table_, polls_, with.flat, with.recording),
      instructions_(setup, sm.index,
                    {.flat = with.flat,
                     .recorder = with.recorder,
                     .table = table_,
                     .order = order_,
                     .polls = polls_,
                     .steady_polls = answers_.steady_polls(),
                     .local = local_,
                     .unit = unit_,
                     .accesses = accesses_,
                     .issuing = issuing_}),
      issue_(setup, sm.index,
             {.executor = with.executor,
              .progress = with.progress,
              .endings = endings_,
              .trace = trace_,
              .table = table_,
              .schedulers = schedulers_,
              .held = held_,
              .order = order_,
              .polls = polls_,
              .parked = parked_,
              .residents = residents_,
              .stalls = stalls_,
              .unit = unit_,
              .issuing = issuing_}) {}

void TimingSm::attach(LinePort& port) {
  order_.attach(port);
  flushes_.attach(port);
  unit_.attach(port);
  instructions_.attach(port);
  issue_.attach(port);
}

void TimingSm::add(Block& block, GridRun& run) {
  const core::InPart here(core::sm_part, sm_.index);
  if (run.grid->l1_bytes && !table_.occupied()) instructions_.resize_cache(run.grid->l1_bytes, run.account);
  if (!std::exchange(run.on_sm[sm_.index].begun, true)) instructions_.begin_kernel(run.account);
  residents_.add(block, run);
}

void TimingSm::step(Cycle now) {
  const core::InPart here(core::sm_part, sm_.index);
  stalls_.charge(now);
  sm_.cycle = now;
  stalls_.begin_step();
  order_.acquire_if_due();
  flushes_.step();
  table_.wake(now);
  issue_.look_before(now);
  issue_.issue(now);
  unit_.step(now);
  issue_.look_behind(now);
  Cycle due = std::min(table_.due(now), unit_.due(now));
  if (const u64 ready = table_.ready().all() & ~held_.at_accesses(); ready && due > now + 1)
    due = std::min(due, issue_.due(ready, now));
  alarm_.set(due);
  const auto changed = [this] {
    const u64 slots = table_.take_changed() | causes_.blocked_anew();
    return schedulers_.of_slots(held_.take_changed() ? ~u64{0} : slots);
  };
  stalls_.end_step(now, table_.occupied() != 0, due == now + 1, changed, [this] {
    return [this, beyond = causes_.beyond_arithmetic()](u32 s) { return causes_.of(schedulers_[s].mine(), beyond); };
  });
}

void TimingSm::forget(const GridRun& run, Cycle now) {
  const core::InPart here(core::sm_part, sm_.index);
  stalls_.charge(now);
  residents_.forget(run);
  unit_.forget(run);
  stalls_.choose_anew([this](u32 s) { return causes_.of(schedulers_[s].mine()); });
}

TimingStatistics TimingSm::take(core::Account account, Cycle now) {
  const core::InPart here(core::sm_part, sm_.index);
  return stalls_.take(account, now, [this](u32 s) { return causes_.of(schedulers_[s].mine()); });
}

void TimingSm::settle(Cycle now) {
  stalls_.charge(now);
  for (u64 left = table_.occupied(); left; left &= left - 1) stalls_.settle(table_[first_of(left)], now);
  stalls_.settle_accesses();
}

}  // namespace ew::simt
