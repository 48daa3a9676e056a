// What a run may have acknowledged when a crash leaves a given set of its persists: every acknowledgement whose
// promised persists are in the set. The crash may have come later than the last persist of the set, never earlier than
// an acknowledgement; so this is the most that the world can have been told.
#pragma once

#include <vector>

#include "check/persist_graph.hpp"

namespace ew::check {

class AcknowledgedProgress {
 public:
  explicit AcknowledgedProgress(const PersistGraph& graph) : AcknowledgedProgress(graph, graph.acknowledgements()) {}
  /// The same of another list of what the host does in order.
  AcknowledgedProgress(const PersistGraph&, const std::vector<AcknowledgedNode>&);

  /// 0: nothing.
  u64 of(const PersistSet&) const;
  std::size_t size() const { return steps_.size(); }
  /// Of the acknowledgements in order: how much is told.
  u64 progress(std::size_t number) const { return steps_[number].progress; }
  /// How many persists the run had issued by then.
  u32 issued(std::size_t number) const { return steps_[number].issued; }

 private:
  struct Step {
    u64 progress = 0;
    u32 issued = 0;
    std::vector<u32> promised;  // persists, without those of the steps before
  };
  std::vector<Step> steps_;
};

}  // namespace ew::check
