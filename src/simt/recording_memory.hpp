// Functional mode's memory when persistency events are recorded: FlatMemory, with every operation that matters handed
// to an EventRecorder in the order of being performed. Owned by FunctionalGpu; without a recorder a plain FlatMemory is
// there instead, so that recording costs nothing when it is off.
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
