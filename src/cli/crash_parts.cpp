#include "cli/crash_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using Json = nlohmann::ordered_json;

// Trials of a part: so many that a task of Slurm is worth its start, since each begins with a run of the program.
constexpr std::size_t killed_trials = 10, rebuilt_trials = 50, recorded_states = 200;

Json read_part(const fs::path& folder) {
  return Json::parse(core::content_of(folder / "trials.json"), nullptr, false);
}

BatchOptions options_of(const BatchSettings& settings, const check::CrashPlan& plan, unsigned jobs, bool apart) {
  BatchOptions options = settings.options("ew crash", "crash-" + fs::path(plan.program[0]).stem().string());
  if (options.slurm && !apart)
    throw UserError("--slurm needs the pool in the trial's folder: name it by a relative path, or with {}");
  options.runs = "parts";
  options.jobs = 1;
  options.cpus = jobs;
  options.is_complete = [](const fs::path& folder) { return read_part(folder).is_object(); };
  return options;
}

Json json_of(const Outcome& outcome) {
  return {{"status", outcome.status},
          {"signal", outcome.signal},
          {"timed_out", outcome.timed_out},
          {"output", outcome.output}};
}

Outcome outcome_of(const Json& json) {
  Outcome outcome;
  outcome.status = json.at("status");
  outcome.signal = json.at("signal");
  outcome.timed_out = json.at("timed_out");
  outcome.output = json.at("output");
  return outcome;
}

Json json_of(const check::Trial& trial) {
  return {{"moment", trial.moment}, {"end", static_cast<int>(trial.end)}, {"recovery_status", trial.recovery_status},
          {"killed", trial.killed}, {"seconds", trial.seconds},           {"acknowledged", trial.acknowledged},
          {"nested", trial.nested}, {"nested_at", trial.nested_at},       {"last_line", trial.last_line},
          {"output", trial.output}};
}

check::Trial trial_of(const Json& json) {
  check::Trial trial;
  trial.moment = json.at("moment");
  trial.end = static_cast<check::TrialEnd>(json.at("end").get<int>());
  trial.recovery_status = json.at("recovery_status");
  trial.killed = json.at("killed");
  trial.seconds = json.at("seconds");
  trial.acknowledged = json.at("acknowledged");
  trial.nested = json.at("nested");
  trial.nested_at = json.at("nested_at");
  trial.last_line = json.at("last_line");
  trial.output = json.at("output");
  return trial;
}

Json json_of(const check::TimedTrial& trial) {
  return {{"persist", trial.moment.persist},
          {"number", trial.moment.number},
          {"writes", trial.writes},
          {"pools", trial.pools},
          {"acknowledged", trial.acknowledged},
          {"status", trial.status},
          {"output", trial.output},
          {"killed", trial.killed},
          {"nested", trial.nested},
          {"nested_at", trial.nested_at},
          {"unlike", trial.unlike}};
}

check::TimedTrial timed_trial_of(const Json& json) {
  check::TimedTrial trial;
  trial.moment = {json.at("persist"), json.at("number")};
  trial.writes = json.at("writes");
  trial.pools = json.at("pools");
  trial.acknowledged = json.at("acknowledged");
  trial.status = json.at("status");
  trial.output = json.at("output");
  trial.killed = json.at("killed");
  trial.nested = json.at("nested");
  trial.nested_at = json.at("nested_at");
  trial.unlike = json.at("unlike");
  return trial;
}

Json json_of(const check::StateVerdict& verdict) {
  return {{"state", verdict.state},
          {"digest", verdict.digest},
          {"nested", verdict.nested},
          {"failed", verdict.failed},
          {"outcome", json_of(verdict.outcome)},
          {"nested_state", verdict.nested_state},
          {"nested_place", verdict.nested_place}};
}

check::StateVerdict verdict_of(const Json& json) {
  check::StateVerdict verdict;
  verdict.state = json.at("state");
  verdict.digest = json.at("digest");
  verdict.nested = json.at("nested");
  verdict.failed = json.at("failed");
  verdict.outcome = outcome_of(json.at("outcome"));
  verdict.nested_state = json.at("nested_state");
  verdict.nested_place = json.at("nested_place");
  return verdict;
}

template <class List>
Json list_of(const List& list) {
  Json all = Json::array();
  for (const auto& one : list) all.push_back(json_of(one));
  return all;
}

template <class T>
std::vector<T> some(const std::vector<T>& all, std::size_t begin, std::size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

CrashParts::CrashParts(const BatchSettings& settings, const check::CrashPlan& plan, const RunSettings& machine,
                       const std::string& kind, unsigned jobs, bool apart)
    : batch_(options_of(settings, plan, jobs, apart)),
      name_(fs::path(plan.program[0]).stem().string()),
      slice_(settings.is_slice()),
      jobs_(jobs) {
  MachineRun run;
  run.settings = machine;
  run.machine_text = runtime::to_toml(machine.resolve());
  run.command = plan.program;
  run.prepare = plan.recovery;
  run.copies_files = true;
  Digest key;
  key.add(RunKeys().key(run));
  key.add(kind);
  key.add(fmt::format("{} {} {} {}", plan.seed, plan.nested, plan.nested_points, plan.timeout_seconds));
  key.add(plan.nested_at);
  key_ = key.text();
}

std::vector<Json> CrashParts::carry_out(const std::vector<std::string>& trials, std::size_t size,
                                        const std::function<Json(std::size_t, std::size_t)>& make) {
  std::vector<BatchRun> parts;
  for (std::size_t begin = 0; begin < trials.size(); begin += size) {
    const std::size_t end = std::min(begin + size, trials.size());
    Digest name;
    name.add(key_);
    for (std::size_t i = begin; i < end; ++i) name.add(trials[i]);
    parts.push_back({fmt::format("{}-{}", name_, name.text()), fmt::format("trials {} to {}", begin + 1, end)});
  }
  const auto failures =
      batch_.carry_out(parts, [&](std::size_t i, const fs::path& folder) -> std::optional<RunFailure> {
        core::write_file(folder / "trials.json",
                         core::json_text(make(i * size, std::min((i + 1) * size, trials.size()))));
        return std::nullopt;
      });
  std::vector<Json> results;
  if (slice_) return results;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!failures[i]) {
      results.push_back(read_part(batch_.folder_of(parts[i].name)));
      continue;
    }
    ++missing_;
    fmt::print(stderr, "FAIL {}: {}\n{}\n", parts[i].label, failures[i]->how, last_lines(failures[i]->output, 10));
  }
  return results;
}

std::vector<check::Trial> CrashParts::trials(
    const std::vector<unsigned long long>& points,
    const std::function<std::vector<check::Trial>(const std::vector<unsigned long long>&)>& make) {
  std::vector<std::string> names;
  for (const auto point : points) names.push_back(std::to_string(point));
  std::vector<check::Trial> all;
  for (const Json& part : carry_out(names, killed_trials, [&](std::size_t begin, std::size_t end) {
         return Json{{"trials", list_of(make(some(points, begin, end)))}};
       }))
    for (const Json& one : part.at("trials")) all.push_back(trial_of(one));
  return all;
}

std::vector<check::TimedTrial> CrashParts::trials(const std::vector<check::CrashMoment>& moments,
                                                  const std::vector<bool>& kills, check::TimedCampaign& campaign,
                                                  std::set<u64>& nested) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < moments.size(); ++i) names.push_back(moments[i].words() + (kills[i] ? " killed" : ""));
  std::vector<check::TimedTrial> all;
  for (const Json& part : carry_out(names, rebuilt_trials, [&](std::size_t begin, std::size_t end) {
         const auto trials = campaign.run(some(moments, begin, end), some(kills, begin, end), jobs_, {});
         return Json{{"trials", list_of(trials)}, {"nested_images", campaign.nested_images()}};
       })) {
    for (const Json& one : part.at("trials")) all.push_back(timed_trial_of(one));
    for (const Json& image : part.at("nested_images")) nested.insert(image.get<u64>());
  }
  return all;
}

check::TriedStates CrashParts::states(const std::vector<std::string>& names, check::ModelCampaign& campaign) {
  check::TriedStates all;
  for (const Json& part : carry_out(names, recorded_states, [&](std::size_t begin, std::size_t end) {
         const check::TriedStates tried = campaign.try_states(some(names, begin, end), {});
         return Json{
             {"verdicts", list_of(tried.verdicts)}, {"nested_images", tried.nested_images}, {"warm", tried.warm}};
       })) {
    for (const Json& one : part.at("verdicts")) all.verdicts.push_back(verdict_of(one));
    for (const Json& image : part.at("nested_images")) all.nested_images.insert(image.get<u64>());
    all.warm |= part.at("warm").get<bool>();
  }
  return all;
}

}  // namespace ew::cli
