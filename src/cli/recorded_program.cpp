#include "cli/recorded_program.hpp"

#include <fmt/format.h>

#include <chrono>
#include <set>

#include "check/persist_builder.hpp"
#include "cli/crash_folder.hpp"
#include "core/diagnostics.hpp"
#include "runtime/environment.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;
using Clock = std::chrono::steady_clock;

}  // namespace

RecordedProgram::RecordedProgram(const CrashPlan& plan, const check::PersistAxioms& axioms, u64 budget)
    : plan_(plan), axioms_(axioms) {
  record();
  const auto begin = Clock::now();
  graph_ = check::build_persist_graph(*events_, axioms);
  build_seconds_ = process::seconds_since(begin);
  acknowledged_ = std::make_unique<check::AcknowledgedProgress>(graph_);
  mapped_ = std::make_unique<check::AcknowledgedProgress>(graph_, graph_.mappings());
  states_ = std::make_unique<check::CrashStates>(graph_, budget, plan.settings.seed);
}

void RecordedProgram::record() {
  const auto begin = Clock::now();
  const process::Scratch scratch, kept;
  copy_named_files(plan_.program, scratch.path());
  const fs::path file = kept.path() / "events";
  auto environment = plan_.settings.environment();
  environment.emplace_back(Environment::events_name, file.string());
  const process::RunOptions options{.capture = process::Capture::both,
                                    .environment = environment,
                                    .directory = scratch.path().string(),
                                    .timeout_seconds = plan_.timeout_seconds,
                                    .no_input = true};
  std::set<fs::path> there;
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) there.insert(entry.path());
  const process::Outcome outcome = process::run(in_folder(plan_.program, scratch.path()), options);
  if (outcome.status != 0)
    throw UserError(fmt::format("the program should succeed without a crash first, but it {}:\n{}",
                                process::how_it_ended(outcome), outcome.output));
  if (!fs::exists(file))
    throw UserError(
        "the program ran nothing under Everwarp, so there is nothing to crash: was it built with `ew build`?");
  events_ = std::make_unique<check::EventFile>(file.string());
  if (events_->pools().empty())
    throw UserError("the program maps no persistent pool (gpm_map), so a crash leaves nothing");
  pool_paths_ = pool_paths(*events_, scratch.path(), shares_pools_);
  for (const fs::path& path : pool_paths_) made_pools_ = path.is_relative() && !there.contains(scratch.path() / path);
  auto recovery = options;
  recovery.environment = plan_.settings.environment();
  const process::Outcome after = process::run(in_folder(plan_.recovery, scratch.path()), recovery);
  if (after.status != 0)
    throw UserError(fmt::format("the recovery should succeed after a run without a crash, but it {}:\n{}",
                                process::how_it_ended(after), after.output));
  record_seconds_ = process::seconds_since(begin);
}

std::vector<std::string> RecordedProgram::state_names() const {
  std::vector<std::string> names;
  if (made_pools_) names.emplace_back(no_pool);
  for (u64 i = 0; i < states_->size(); ++i) names.push_back(states_->name(i));
  return names;
}

check::PersistSet RecordedProgram::named(const std::string& state, check::Reach& reach) const {
  return states_->named(state, reach);
}

Image RecordedProgram::files(const check::PoolImage& image, std::size_t pools) const {
  Image files;
  for (std::size_t i = 0; i < pools; ++i) files.push_back({pool_paths_[i], &image.file(i)});
  return files;
}

}  // namespace ew::cli
