// What the memory hierarchy answers an SM: it performs a part of an access in the private cache, brings what a home
// performed, and says when the part is over. Owned by the SM; called by its private cache.
#pragma once

#include "simt/event_recorder.hpp"
#include "simt/sm/flush_queue.hpp"
#include "simt/sm/load_store_unit.hpp"

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
  explicit HierarchyAnswers(const Told& told) : told_(told) {}

  memory::ByteMask perform(u32 access, u32 part, u8* bytes) override;
  void ask(u32 access, u32 part, memory::LineAtomic&) override;
  void found(u32 access, u32 part, const memory::LineAtomic&) override;
  void complete(u32 access, u32 part, memory::ServedBy by) override;
  void wake() override;
  void resume(u64 warps) override;
  void released(u32 token) override;

 private:
  Told told_;
};

}  // namespace ew::simt
