// Crashes of recoveries, of `ew crash --states model --nested 2`: a recovery is recorded as the program was, and
// crashed in states that the model allows it to leave.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "cli/crash_folder.hpp"
#include "cli/crash_model.hpp"
#include "cli/recorded_run.hpp"
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

u32 last_of(const PersistSet& set) {
  u32 last = check::no_persist;
  for (u32 persist = 0; persist < set.size(); ++persist)
    if (set.has(persist)) last = persist;
  return last;
}

}  // namespace

bool ModelCampaign::Worker::survives_crash(const std::string& state, Failed& failed) {
  const CrashPlan& plan = campaign.plan_;
  const bool nothing = state == no_pool;
  const Image before = nothing ? Image{} : pool_files();
  const u64 told = nothing ? 0 : acknowledged;
  const Recording recording;
  const Outcome whole = recovery.run_anew(before, told, recording.environment());
  if (whole.status != 0 || !std::filesystem::exists(recording.events())) return true;  // told without a crash; or idle
  const check::EventFile events(recording.events().string());
  const check::PersistGraph graph = check::build_persist_graph(events, campaign.model_.model);
  if (graph.size() == 0) return true;
  bool outside = false;
  const auto paths = pool_paths(events, recovery.folder(), outside);
  const check::AcknowledgedProgress progress(graph), mapped(graph, graph.mappings());
  const u64 seed = plan.settings.seed + core::fingerprint(state);
  const check::CrashStates states(graph, plan.nested_points, seed);
  check::PoolImage files(events, graph.persists());
  check::Reach walk(graph);
  const auto names = plan.nested_at.empty() ? names_of(states, graph.size(), plan.nested_points, seed)
                                            : std::vector<std::string>{plan.nested_at};
  for (const std::string& name : names) {
    ++nested;
    const PersistSet set = states.named(name, walk);
    files.build(set);
    const Image after = overlaid(before, paths, std::span(files.files()).first(mapped.of(set)));
    const u64 acknowledged_then = std::max(told, progress.of(set));
    const Outcome second = campaign.nested_.of(digest_of(after, acknowledged_then),
                                               [&] { return recovery.run(after, acknowledged_then); });
    if (second.status == 0) continue;
    const u32 last = last_of(set);
    failed.nested = name;
    failed.outcome = second;
    failed.nested_place = "its first persist";
    std::string durable = "nothing";
    if (last != check::no_persist) {
      const check::Persist& persist = graph.persist(last);
      failed.nested_place = events.place(persist.launch, persist.pc);
      durable = fmt::format("{} of {} persists, the last {}", set.count(), graph.size(), text_of(events, persist));
    }
    failed.outcome.output +=
        fmt::format("[the recovery was crashed when {} had become durable; the one after that {}]\n", durable,
                    how_it_ended(second));
    return false;
  }
  return true;
}

}  // namespace ew::cli
