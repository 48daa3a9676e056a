// All SMs of a timing machine: in each cycle it steps those that have something to do, in their order. Owned by
// TimingGpu.
#pragma once

#include <memory>
#include <vector>

#include "simt/sm/atomics_observer.hpp"
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

class SmArray {
 public:
  SmArray(const SmSetup&, const SmNeighbours&, std::vector<Sm>&, IssuingSm&);

  TimingSm& operator[](u32 index) { return *sms_[index]; }
  /// For every home. nullptr: nobody traces or records.
  memory::HomeObserver* observer_of_homes() { return observes_homes_ ? &atomics_observer_ : nullptr; }
  u32 size() const { return static_cast<u32>(sms_.size()); }
  auto begin() const { return sms_.begin(); }
  auto end() const { return sms_.end(); }

  /// The next cycle in which an SM does something by itself, as far as it is known before the next event.
  Cycle step(Cycle now);
  /// The same, but at least the next one, without a step.
  Cycle due_behind(Cycle now) const;
  TimingStatistics statistics(Cycle until);

 private:
  std::vector<u64> active_;  // one bit an SM: it may have something to do
  std::vector<std::unique_ptr<TimingSm>> sms_;
  IssuingSm& issuing_;
  AtomicsObserver atomics_observer_;
  const bool observes_homes_;
};

}  // namespace ew::simt
