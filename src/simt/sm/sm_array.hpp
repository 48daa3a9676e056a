// All SMs of a timing machine: each runs by itself through a window of cycles, one after the other in their order.
// Owned by TimingGpu.
#pragma once

#include <deque>
#include <vector>

#include "simt/sm/atomics_observer.hpp"
#include "simt/sm/idle_slots.hpp"
#include "simt/sm/timing_sm.hpp"

namespace ew::simt {

/// Where the Executor finds the SM that issues.
class IssuingSm final : public Performer {
 public:
  using Newer = std::function<std::string(u32 sm, u64 address, u32 value)>;
  IssuingSm(EventRecorder* recorder, const Newer& newer) : recorder_(recorder), newer_(newer) {}

  void set(TimingSm& sm) { sm_ = &sm; }
  Performed memory(MemoryOp& op) override { return sm_->memory(op); }
  Performed sync(SyncOp& op) override {
    if (core::observation && recorder_) [[unlikely]] {
      const auto guard = recorder_->lock();
      recorder_->performed(op);
    }
    return Performed::done;
  }
  std::string newer_elsewhere(u32 sm, u64 address, u32 value) const override {
    return newer_ ? newer_(sm, address, value) : std::string();
  }

 private:
  TimingSm* sm_ = nullptr;
  EventRecorder* recorder_;
  const Newer& newer_;
};

/// One SM with its private memories, in a time of its own.
class RunningSm {
 public:
  RunningSm(const SmSetup& setup, const SmNeighbours& with, Sm& sm, core::Agenda::Line due)
      : partition_(due), sm_(setup, with, sm, partition_), runs_(with.runs) {}

  TimingSm& sm() { return sm_; }
  core::Partition& partition() { return partition_; }

  /// Runs until this cycle, which is not run.
  void run(Cycle end);
  /// It will run until `end` soon: what it then looks at comes into the host's caches (WarpIssue::expect).
  void expect(Cycle end, u32 step) const {
    sm_.issue().expect(partition_.inbox, end, end - partition_.wheel.now() >= long_window, step);
  }
  /// Its time is this. REQUIRES: it has run every cycle before it.
  void stand_at(Cycle now) { partition_.wheel.advance(now); }

  // What comes to it in a cycle that it has not run.
  void send(Block& block, const GridRun& run, Cycle when) {
    partition_.inbox.post<&RunningSm::add>(when, *this, reinterpret_cast<u64>(&block), run.index);
  }
  void send_flush(const GridRun& run, Cycle when) { partition_.inbox.post<&RunningSm::flush>(when, *this, run.index); }
  void send_fence_over(u32 token, Cycle when) { partition_.inbox.post<&RunningSm::fence_over>(when, *this, token); }

 private:
  static constexpr Cycle long_window = 16;

  void add(u64 block, u64 run) { sm_.add(*reinterpret_cast<Block*>(block), *runs_.at(static_cast<u32>(run))); }
  void flush(u64 run, u64) { sm_.flush(static_cast<u32>(run)); }
  void fence_over(u64 token, u64) { sm_.fence_over(static_cast<u32>(token)); }

  core::Partition partition_;
  TimingSm sm_;
  const GridRuns& runs_;
};

class SmArray {
 public:
  /// `wheel`: of the rest of the machine.
  SmArray(const SmSetup&, const SmNeighbours&, const core::TimeWheel& wheel, std::vector<Sm>&, IssuingSm&);

  TimingSm& operator[](u32 index) { return sms_[index].sm(); }
  RunningSm& running(u32 index) { return sms_[index]; }
  /// For every home. nullptr: nobody traces or records.
  memory::HomeObserver* observer_of_homes() { return observes_homes_ ? &atomics_observer_ : nullptr; }
  u32 size() const { return static_cast<u32>(sms_.size()); }
  auto begin() { return sms_.begin(); }
  auto end() { return sms_.end(); }

  /// Runs each SM until this cycle, which is not run.
  void run(Cycle end);
  /// The next cycle in which an SM has something to do, as far as it is known.
  Cycle next() const { return agenda_.next(); }
  /// The time of all SMs is this; else the time of one is that of its last event. REQUIRES: they have run every cycle
  /// before it.
  void stand_at(Cycle now);
  /// The launch has failed. REQUIRES: the same.
  void forget(const GridRun&, Cycle now);
  /// Issue slots of SMs without a warp, up to this cycle. REQUIRES: the same.
  u64 idle_slots(Cycle until) {
    return idle_slots_.up_to(until, [this](u32 sm) -> StallAccount& { return sms_[sm].sm().account(); });
  }
  TimingStatistics statistics(Cycle until);
  u64 digest();

 private:
  void expect(u32 sm, Cycle end, u32 step) const {
    if (sm < size() && agenda_.due(sm) < end) sms_[sm].expect(end, step);
  }

  core::Agenda agenda_;  // of each partition
  std::deque<RunningSm> sms_;
  IdleSlots idle_slots_;
  IssuingSm& issuing_;
  AtomicsObserver atomics_observer_;
  const bool observes_homes_;
};

}  // namespace ew::simt
