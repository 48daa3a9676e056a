#include "cli/machine_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "check/crash/folder.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using Clock = std::chrono::steady_clock;

/// A run's call, with the machine as it was resolved, whatever happens to machine files meanwhile.
Outcome call(const MachineRun& run, const Words& words, bool functional, const fs::path& part, double timeout_seconds) {
  RunSettings settings = run.settings;
  settings.machine = (part / "resolved.toml").string();
  settings.settings.clear();
  if (functional)  // the state that a crash leaves is made fast: what is performed is durable
    settings.settings.push_back("machine.mode=functional");
  else
    settings.statistics_file = (part / "stats.json").string();
  return process::run(words, {.capture = Capture::both,
                              .environment = settings.environment(),
                              .directory = (part / "work").string(),
                              .timeout_seconds = timeout_seconds,
                              .no_input = true});
}

}  // namespace

std::string typed(const RunSettings& settings, const Words& call, bool functional) {
  Words words{"ew", "run"};
  for (const std::string& word : settings.as_options()) words.push_back(word);
  if (functional) words.push_back("--functional");
  words.push_back("--");
  words.insert(words.end(), call.begin(), call.end());
  return shell_line(words);
}

std::string Digest::text() const {
  return fmt::format("{:016x}", of_.value());
}

RunKeys::RunKeys() {
  contents(library_path());
}

const std::string& RunKeys::contents(const fs::path& path) {
  std::string& digest = contents_[path.string()];
  if (!digest.empty()) return digest;
  const core::FileText file = core::read_file(path, ~u64{0});
  if (!file.why.empty()) throw UserError(fmt::format("cannot read {}: {}", path.string(), file.why));
  Digest of;
  of.add(file.text);
  return digest = of.text();
}

std::string RunKeys::key(const MachineRun& run) {
  Digest key;
  key.add(contents(library_path()));
  for (const Words* words : {&run.command, &run.prepare})
    if (!words->empty()) key.add(contents(words->at(0)));
  key.add(run.settings.machine);
  key.add(run.machine_text);
  key.add(fmt::format("seed {} {}", run.settings.seed, run.settings.max_instructions));
  for (const Words* words : {&run.prepare, &run.command}) {
    key.add("call");
    for (std::size_t i = 1; i < words->size(); ++i) {
      key.add((*words)[i]);
      std::error_code error;
      if (run.copies_files && fs::is_regular_file((*words)[i], error)) key.add(contents((*words)[i]));
    }
  }
  return key.text();
}

std::optional<RunFailure> make_run(const MachineRun& run, const fs::path& part, double timeout_seconds,
                                   const std::string& commit) {
  const fs::path work = part / "work";
  fs::create_directories(work);
  if (run.copies_files) check::copy_named_files(run.command, work);
  core::write_file(part / "resolved.toml", run.machine_text);
  const std::time_t began = std::time(nullptr);
  const auto failure = [](const Outcome& outcome, const std::string& command) {
    return RunFailure{outcome.status, how_it_ended(outcome), command, outcome.output};
  };
  if (!run.prepare.empty())
    if (const Outcome outcome = call(run, run.prepare, true, part, timeout_seconds); outcome.status != 0)
      return failure(outcome, typed(run.settings, run.prepare, true));
  const auto begin = Clock::now();
  const Outcome outcome = call(run, run.command, false, part, timeout_seconds);
  const double seconds = seconds_since(begin);
  const std::string command = typed(run.settings, run.command);
  if (outcome.status != 0) return failure(outcome, command);
  if (!fs::is_regular_file(part / "stats.json"))
    return RunFailure{0, "left no statistics: it ran no kernel under Everwarp", command, outcome.output};
  core::write_file(part / "output.txt", outcome.output);
  nlohmann::ordered_json environment = run.environment;
  environment["machine"] = run.settings.machine;
  environment["set"] = run.settings.settings;
  environment["seed"] = run.settings.seed;
  environment["command"] = command;
  if (!run.prepare.empty()) environment["prepared_by"] = typed(run.settings, run.prepare, true);
  environment["version"] = EW_VERSION;
  environment["commit"] = commit;
  environment["began"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(began));
  environment["wall_seconds"] = seconds;
  environment["peak_bytes"] = outcome.peak_bytes;
  core::write_file(part / "env.json", core::json_text(environment) + "\n");
  fs::remove_all(work);
  return std::nullopt;
}

}  // namespace ew::cli
