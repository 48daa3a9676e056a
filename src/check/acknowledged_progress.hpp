// The most that a run can have acknowledged when a crash leaves a given set of its persists. An acknowledgement counts
// when all persists that it promises are in the set. The crash may have come later than the last persist of the set. So
// every acknowledgement that counts may have happened.
#pragma once

#include <vector>

#include "check/persist_graph.hpp"

namespace ew::check {

class AcknowledgedProgress {
 public:
  explicit AcknowledgedProgress(const PersistGraph& graph) : AcknowledgedProgress(graph, graph.acknowledgements()) {}
  /// The same for another list of moments of the host, in their order (PersistGraph::mappings()).
  AcknowledgedProgress(const PersistGraph&, const std::vector<AcknowledgedNode>&);

  /// The progress that was acknowledged at most; 0: nothing.
  u64 of(const PersistSet&) const;
  std::size_t size() const { return steps_.size(); }
  /// The progress that this acknowledgement tells. They are numbered from 0, in the order of the run.
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
