// Sees atomics of SMs at the moment when homes perform them: the trace's records, and those that persistency is checked
// by. Owned by SmArray. It reads the SM's record of the access and changes nothing.
#pragma once

#include "memory/home/image.hpp"
#include "simt/event_recorder.hpp"
#include "simt/sm/access_pool.hpp"
#include "simt/sm/sm_trace.hpp"

namespace ew::simt {

class AtomicsObserver final : public memory::HomeObserver {
 public:
  AtomicsObserver(core::Trace* trace, const core::TimeWheel& wheel, EventRecorder* recorder)
      : trace_(trace), wheel_(wheel), recorder_(recorder) {}

  void performed(const memory::Request&) override {}
  void perform(const memory::Request&, memory::LineAtomic&, u8* line) override;

 private:
  void perform_recorded(const Access&, memory::LineAtomic&, u64 bias, u8* line);

  core::Trace* trace_;  // nullptr: there is none
  const core::TimeWheel& wheel_;
  EventRecorder* recorder_;  // nullptr: nothing is recorded
};

}  // namespace ew::simt
