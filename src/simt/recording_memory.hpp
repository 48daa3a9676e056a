// FlatMemory when persistency events are recorded: every operation that matters is handed to an EventRecorder, in the
// order in which they are performed. Functional mode performs all memory operations with it (owned by
// FunctionalGpu, as its performer), a timing machine those of shared memory (owned by TimingGpu). Without a recorder a
// plain FlatMemory is there instead, so that recording costs nothing when it is off.
#pragma once

#include "simt/event_recorder.hpp"
#include "simt/flat_memory.hpp"

namespace ew::simt {

class RecordingMemory final : public Performer {
 public:
  RecordingMemory(memory::AddressSpace& space, EventRecorder& recorder) : flat_(space), recorder_(recorder) {}

  Performed memory(MemoryOp&) override;
  Performed sync(SyncOp&) override;

 private:
  Performed lane_by_lane(MemoryOp&);

  FlatMemory flat_;
  EventRecorder& recorder_;
};

}  // namespace ew::simt
