#include "simt/launch_control.hpp"

#include <algorithm>
#include <utility>

namespace ew::simt {

void LaunchControl::begin(Grid& grid, const KernelTiming& timing, Cycle now) {
  GridRun& run = with_.runs.begin(grid);
  run.timing = &timing;
  run.begun = now;
  in_step_ += timing.in_step;
  with_.local_memory.give(run);
  with_.ledger.open(run, now);
}

void LaunchControl::dispatch(Cycle now) {
  while (Block* const block = with_.residency.place_next()) {
    GridRun& run = with_.runs.of(*block->grid);
    const u32 sm = block->sm->index;
    if (!std::exchange(run.on_sm[sm].sent, true)) run.sms.push_back(sm);
    with_.sms.running(sm).send(*block, run, now + ahead_);
  }
}

void LaunchControl::hear(Cycle now) {
  with_.notices.take(now, [&](const Notice& notice) { hear(notice, now); });
  if (std::exchange(dispatch_, false)) dispatch(now);
}

void LaunchControl::hear(const Notice& notice, Cycle now) {
  switch (notice.what) {
    case Notice::What::block_over: {
      GridRun& run = *with_.runs.at(notice.run);
      run.draining += notice.waits;
      with_.residency.end_block(*notice.block);
      dispatch_ = true;
      return look_at_end(run, now);
    }
    case Notice::What::drained: {
      GridRun& run = *with_.runs.at(notice.run);
      --run.draining;
      return look_at_end(run, now);
    }
    case Notice::What::flushed: {
      GridRun* const run = with_.runs.at(notice.run);
      if (!run || !run->flushes || --run->flushes || run->failure) return;
      return appoint(Appointment::What::close, now + ahead_, notice.run);
    }
    case Notice::What::failed: {
      const Endings& endings = with_.sms[notice.sm].endings();
      return fail(endings.failure(), endings.fault(), now);
    }
    case Notice::What::contended:
      return appoint(Appointment::What::contention, now + ahead_);
    case Notice::What::fence:
      return with_.fences.ask(notice.sm, notice.run);
  }
}

/// When the last stores of a launch are home, the private caches that it used are flushed.
void LaunchControl::look_at_end(GridRun& run, Cycle now) {
  if (run.grid->unfinished || run.draining || run.flushing || run.failure) return;
  run.flushing = true;
  run.flushes = static_cast<u32>(run.sms.size());
  for (const u32 sm : run.sms) with_.sms.running(sm).send_flush(run, now + ahead_);
}

/// Its last blocks may be on their way: it ends when they are there.
void LaunchControl::fail(Grid& grid, Fault fault, Cycle now) {
  GridRun& run = with_.runs.of(grid);
  if (run.failure) return;
  run.failure = std::move(fault);
  grid.next_block = grid.blocks;
  appoint(Appointment::What::fail, now + ahead_ + 1, run.index);
}

void LaunchControl::keep_appointments(Cycle now, u64 now_ns) {
  const auto due = [&](const Appointment& one) { return one.when <= now; };
  for (auto one = std::ranges::find_if(appointments_, due); one != appointments_.end();
       one = std::ranges::find_if(appointments_, due)) {
    const Appointment kept = *one;
    appointments_.erase(one);
    keep(kept, now, now_ns);
  }
  next_ = core::never;
  for (const Appointment& left : appointments_) next_ = std::min(next_, left.when);
  dispatch(now);
}

void LaunchControl::keep(const Appointment& one, Cycle now, u64 now_ns) {
  switch (one.what) {
    case Appointment::What::close: {
      GridRun& run = *with_.runs.at(one.run);
      if (run.failure) return;  // it ends so
      with_.ledger.close(run, now);
      with_.residency.complete(*run.grid, now_ns);
      return end(run);
    }
    case Appointment::What::fail:
      return end_failed(*with_.runs.at(one.run), now, now_ns);
    case Appointment::What::contention:
      contention_ = true;
      return;
    case Appointment::What::stop:
      stop_ = true;
      return;
  }
}

void LaunchControl::end_failed(GridRun& run, Cycle now, u64 now_ns) {
  with_.sms.forget(run, now);
  with_.ledger.close(run, now);
  with_.executor.forget(*run.grid);
  with_.residency.fail(*run.grid, *std::move(run.failure), now_ns);
  end(run);
}

void LaunchControl::end(GridRun& run) {
  in_step_ -= run.timing->in_step;
  with_.runs.end(run);
}

}  // namespace ew::simt
