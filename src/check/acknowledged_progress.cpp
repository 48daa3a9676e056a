#include "check/acknowledged_progress.hpp"

#include <algorithm>

namespace ew::check {

AcknowledgedProgress::AcknowledgedProgress(const PersistGraph& graph, const std::vector<AcknowledgedNode>& all) {
  std::vector<bool> seen(graph.nodes(), false);
  std::vector<u32> pending;
  for (const AcknowledgedNode& told : all) {
    std::vector<u32> promised;
    pending.assign(told.node ? 1 : 0, told.node);
    while (!pending.empty()) {
      const u32 node = pending.back();
      pending.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      if (const u32 persist = graph.persist_at(node); persist != no_persist) promised.push_back(persist);
      pending.insert(pending.end(), graph.before(node).begin(), graph.before(node).end());
    }
    steps_.push_back(
        {std::max(steps_.empty() ? 0 : steps_.back().progress, told.progress), told.issued, std::move(promised)});
  }
}

u64 AcknowledgedProgress::of(const PersistSet& set) const {
  u64 progress = 0;
  for (const Step& step : steps_) {
    for (const u32 persist : step.promised)
      if (persist >= set.size() || !set.has(persist)) return progress;
    progress = step.progress;
  }
  return progress;
}

}  // namespace ew::check
