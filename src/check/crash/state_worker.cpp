#include "check/crash/state_worker.hpp"

#include <fmt/format.h>

#include "check/crash/points.hpp"
#include "check/crash/recorded_recovery.hpp"
#include "check/crash_states.hpp"
#include "core/fingerprint.hpp"

namespace ew::check {

namespace {

/// The names of all states, or of a choice. Half of the choice are states that the recovery passes through, evenly
/// spread. For the others some persists are taken in turn: the smallest state with the persist, or the largest without.
std::vector<std::string> names_of(const CrashStates& states, u32 persists, std::size_t most, u64 seed) {
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

/// The two places of the recovery between which it was crashed.
std::string crash_place(const EventFile& events, const PersistGraph& graph, const PersistSet& set) {
  std::string last = "its first persist", first;
  for (u32 p = 0; p < set.size(); ++p) {
    const Persist& persist = graph.persist(p);
    if (set.has(p)) last = events.place(persist.launch, persist.pc);
    if (!set.has(p) && first.empty()) first = events.place(persist.launch, persist.pc);
  }
  return last + " " + first;
}

}  // namespace

u64 recovery_seed(const CrashPlan& plan, const std::string& state) {
  return plan.seed + core::fingerprint(state);
}

StateWorker::StateWorker(const RecordedProgram& program, bool warm)
    : program_(program),
      recovery_(program.plan(), warm),
      image_(program.events(), program.graph().persists()),
      reach_(program.graph()) {}

void StateWorker::build(const PersistSet& set) {
  image_.build(set);
  pools_ = program_.pools_mapped(set);
  acknowledged_ = program_.acknowledged(set);
}

u64 StateWorker::digest() const {
  return image_.digest() ^ acknowledged_ * 0x9e3779b97f4a7c15 ^ pools_ << 56;
}

process::Outcome StateWorker::judge(const PersistSet& set) {
  build(set);
  return recover();
}

bool StateWorker::survives_crash(const std::string& state, ImageVerdicts& verdicts, FailedState& failed) {
  const CrashPlan& plan = program_.plan();
  const bool nothing = state == no_pool;
  const RecordedRecovery once(recovery_, nothing ? PoolFiles{} : pool_files(), nothing ? 0 : acknowledged_,
                              program_.axioms());
  if (!once.ran()) return true;
  const u64 seed = recovery_seed(plan, state);
  const CrashStates states(once.graph(), plan.nested_points, seed);
  Reach walk(once.graph());
  const auto names = plan.nested_at.empty() ? names_of(states, once.graph().size(), plan.nested_points, seed)
                                            : std::vector<std::string>{plan.nested_at};
  for (const std::string& name : names) {
    ++nested_;
    const PersistSet set = states.named(name, walk);
    const PoolFiles after = once.left(set);
    const u64 acknowledged_then = once.acknowledged(set);
    const process::Outcome second =
        verdicts.of(digest_of(after, acknowledged_then), [&] { return recovery_.run(after, acknowledged_then); });
    if (second.status == 0) continue;
    failed.nested = name;
    failed.outcome = second;
    failed.nested_place = crash_place(once.events(), once.graph(), set);
    failed.outcome.output += once.text_of_crash(set);
    return false;
  }
  return true;
}

}  // namespace ew::check
