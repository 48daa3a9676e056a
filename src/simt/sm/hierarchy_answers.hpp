// What the memory hierarchy answers an SM: it performs a part of an access in the private cache, brings what a home
// performed, and says when the part is over. Owned by the SM; called by its private cache.
#pragma once

#include "simt/event_recorder.hpp"
#include "simt/sm/flush_queue.hpp"
#include "simt/sm/load_store_unit.hpp"
#include "simt/sm/steady_polls.hpp"

namespace ew::simt {

class HierarchyAnswers final : public memory::Agent {
 public:
  /// Who is told.
  struct Told {
    AccessPool& accesses;
    AccessCompletion& completion;
    LoadStoreUnit& unit;
    AccessOrder& order;
    FlushQueue& flushes;
    Polls& polls;
    const SmTrace& trace;
    EventRecorder* recorder;  // nullptr: no events of persistency are recorded
    u32 sm;
  };
  HierarchyAnswers(const SmSetup& setup, const Told& told, const SteadyPolls::Parts& steady)
      : told_(told), steady_polls_(setup, steady) {}
  SteadyPolls& steady_polls() { return steady_polls_; }

  memory::ByteMask perform(u32 access, u32 part, u8* bytes) override;
  void ask(u32 access, u32 part, memory::LineAtomic&) override;
  void found(u32 access, u32 part, const memory::LineAtomic&) override;
  void ask_poll(u32 access, u32 part, memory::HeldPoll&) override;
  void poll_held(u32 access, u32 part, const memory::HeldPoll&) override;
  void expect(u32 access, u32 part) const override { told_.accesses.expect(access, part); }
  void complete(u32 access, u32 part, memory::ServedBy by) override;
  void wake() override;
  void resume(u64 warps) override;
  void released(u32 token) override;

 private:
  Told told_;
  SteadyPolls steady_polls_;
};

}  // namespace ew::simt
