#include "check/volatile_races.hpp"

#include <fmt/format.h>

#include "check/synchronisation.hpp"

namespace ew::check {

std::vector<std::string> volatile_races(const Program& program, const Execution& x) {
  const EventGraph& graph = x.graph;
  const Synchronisation all(x, persistency::sbrp_axioms);
  Relation conventional = all.steps();
  for_each(all.persist_releases(),
           [&](u32 r) { for_each(all.persist_acquires(), [&](u32 a) { conventional.remove(r, a); }); });
  const Relation persist_order = (graph.program_order | all.steps()).closure();
  const Relation volatile_order = (graph.program_order | conventional).closure();
  std::vector<std::string> races;
  for (u32 a = 0; a < graph.size(); ++a) {
    for_each(x.conflict.after(a), [&](u32 b) {
      const Event &first = graph.events[a], &second = graph.events[b];
      if (!first.accesses() || first.thread == second.thread) return;
      const bool strong = first.strong() && second.strong() && graph.scope_includes(a, b) && graph.scope_includes(b, a);
      if (strong || (first.persistent ? persist_order : volatile_order).has(a, b)) return;
      const bool swap = second.thread < first.thread;
      races.push_back(
          fmt::format("{} and {}", program.text_of(swap ? second : first), program.text_of(swap ? first : second)));
    });
  }
  return races;
}

}  // namespace ew::check
