// Crashes of recoveries, of `ew crash --states model --nested 2`: a recovery is recorded as the program was, and
// crashed in states that the model allows it to leave.
#include <fmt/format.h>

#include "cli/crash_model.hpp"
#include "cli/recorded_recovery.hpp"
#include "core/fingerprint.hpp"

namespace ew::cli {

namespace {

using check::PersistSet;

/// All states, or a choice: those that the recovery passes through, evenly spread, and of some persists the least state
/// with it and the greatest without it, in which persists stand in every order that is allowed.
std::vector<std::string> names_of(const check::CrashStates& states, u32 persists, std::size_t most, u64 seed) {
  std::vector<std::string> names;
  if (states.exhaustive()) {
    for (u64 i = 0; i < states.size(); ++i) names.push_back(states.name(i));
    return names;
  }
  const std::size_t passed = (most + 1) / 2;
  for (const u64 point : spread_points(persists, passed, seed)) names.push_back(fmt::format("upto:{}", point));
  bool with = false;
  for (const u64 point : spread_points(persists, most - passed, seed + 1))
    names.push_back(fmt::format("{}:{}", (with = !with) ? "without" : "with", point - 1));
  return names;
}

/// Between which places of the recovery it was crashed.
std::string crash_place(const check::EventFile& events, const check::PersistGraph& graph, const PersistSet& set) {
  std::string last = "its first persist", first;
  for (u32 p = 0; p < set.size(); ++p) {
    const check::Persist& persist = graph.persist(p);
    if (set.has(p)) last = events.place(persist.launch, persist.pc);
    if (!set.has(p) && first.empty()) first = events.place(persist.launch, persist.pc);
  }
  return last + " " + first;
}

}  // namespace

u64 ModelCampaign::recovery_seed(const std::string& state) const {
  return plan_.settings.seed + core::fingerprint(state);
}

bool ModelCampaign::Worker::survives_crash(const std::string& state, Failed& failed) {
  const CrashPlan& plan = campaign.plan_;
  const bool nothing = state == no_pool;
  const RecordedRecovery once(recovery, nothing ? Image{} : pool_files(), nothing ? 0 : acknowledged,
                              campaign.model_.model);
  if (!once.ran()) return true;
  const u64 seed = campaign.recovery_seed(state);
  const check::CrashStates states(once.graph(), plan.nested_points, seed);
  check::Reach walk(once.graph());
  const auto names = plan.nested_at.empty() ? names_of(states, once.graph().size(), plan.nested_points, seed)
                                            : std::vector<std::string>{plan.nested_at};
  for (const std::string& name : names) {
    ++nested;
    const PersistSet set = states.named(name, walk);
    const Image after = once.left(set);
    const u64 acknowledged_then = once.acknowledged(set);
    const Outcome second = campaign.nested_.of(digest_of(after, acknowledged_then),
                                               [&] { return recovery.run(after, acknowledged_then); });
    if (second.status == 0) continue;
    failed.nested = name;
    failed.outcome = second;
    failed.nested_place = crash_place(once.events(), once.graph(), set);
    failed.outcome.output += once.text_of_crash(set);
    return false;
  }
  return true;
}

}  // namespace ew::cli
