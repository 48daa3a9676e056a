#include "check/crash/recorded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "check/crash/folder.hpp"
#include "check/persist_builder.hpp"
#include "core/diagnostics.hpp"
#include "runtime/environment.hpp"

namespace ew::check {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;
using Clock = std::chrono::steady_clock;

}  // namespace

RecordedProgram::RecordedProgram(const CrashPlan& plan, const PersistAxioms& axioms, u64 budget)
    : plan_(plan), axioms_(axioms) {
  record();
  const auto begin = Clock::now();
  graph_ = build_persist_graph(*events_, axioms);
  build_seconds_ = process::seconds_since(begin);
  acknowledged_ = std::make_unique<AcknowledgedProgress>(graph_);
  mapped_ = std::make_unique<AcknowledgedProgress>(graph_, graph_.mappings());
  states_ = std::make_unique<CrashStates>(graph_, budget, plan.seed);
}

void RecordedProgram::record() {
  const auto begin = Clock::now();
  const process::Scratch scratch, kept;
  copy_named_files(plan_.program, scratch.path());
  const fs::path file = kept.path() / "events";
  const std::set<fs::path> there = files_of(scratch.path());
  const std::string output = run_program(plan_, scratch.path(), {{Environment::events_name, file.string()}});
  messages_ = messages_in(output);
  with_output(output, [&] {
    if (!fs::exists(file))
      throw UserError(
          "the program ran nothing under Everwarp, so there is nothing to crash: was it built with `ew build`?");
    events_ = std::make_unique<EventFile>(file.string());
    if (events_->pools().empty())
      throw UserError("the program maps no persistent pool (gpm_map), so a crash leaves nothing");
    pool_paths_ = pool_paths(*events_, scratch.path(), shares_pools_);
    made_pools_ = std::ranges::all_of(pool_paths_, [&](const fs::path& path) {
      return path.is_relative() && !there.contains(scratch.path() / path);
    });
    messages_ += other_files(scratch.path(), there, pool_paths_);
    run_recovery(plan_, scratch.path(), pool_paths_);
  });
  record_seconds_ = process::seconds_since(begin);
}

std::vector<std::string> RecordedProgram::state_names() const {
  std::vector<std::string> names;
  if (made_pools_) names.emplace_back(no_pool);
  for (u64 i = 0; i < states_->size(); ++i) names.push_back(states_->name(i));
  return names;
}

PersistSet RecordedProgram::named(const std::string& state, Reach& reach) const {
  return states_->named(state, reach);
}

PoolFiles RecordedProgram::files(const PoolImage& image, std::size_t pools) const {
  PoolFiles files;
  for (std::size_t i = 0; i < pools; ++i) files.push_back({pool_paths_[i], &image.file(i)});
  return files;
}

}  // namespace ew::check
