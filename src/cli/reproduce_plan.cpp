#include "cli/reproduce_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"
#include "report/study_table.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using report::Configuration, report::Figure, report::Phase, report::Program, report::Suite;

/// A call's words: "{size}" stands for the words of the size.
Words words_of(std::string call, const std::string& size) {
  for (std::size_t at = 0; (at = call.find("{size}", at)) != call.npos; at += size.size()) call.replace(at, 6, size);
  std::istringstream stream(call);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The words as options chosen among names; all names when there are none.
template <class Names>
void check_names(std::string_view option, const std::vector<std::string>& words, const Names& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  for (const std::string& word : words) report::expect_name({}, option, word, views);
}

std::string identity(const Program& program, const Configuration& configuration, Phase phase, u64 seed) {
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n", program.run_name, configuration.machine, phase == Phase::recovery, seed);
  for (const std::string& setting : configuration.settings) text += setting + "\n";
  for (const std::string& option : configuration.options) text += "option " + option + "\n";
  if (!configuration.source_prefix.empty()) text += "source " + configuration.source_prefix + "\n";
  if (!configuration.size.empty()) text += "size " + configuration.size + "\n";
  return text + configuration.words;
}

fs::path source_of(const Program& program, const Configuration& configuration) {
  const std::string& prefix = configuration.source_prefix;
  if (prefix.empty()) return program.source;
  fs::path source = program.source.parent_path() / (prefix + program.source.filename().string());
  if (!fs::is_regular_file(source))
    throw UserError(configuration.place, fmt::format("configuration {}: program {} has no such version, {}",
                                                     configuration.name, program.name, source.string()));
  return source;
}

std::vector<std::string> build_options(const Program& program, const Configuration& configuration) {
  std::vector<std::string> options = program.options;
  options.insert(options.end(), configuration.options.begin(), configuration.options.end());
  return options;
}

struct Asked {
  std::string program, configuration;
  Phase phase = Phase::run;
  bool operator==(const Asked&) const = default;
};

/// Of which programs, on which configurations, the bars and claims of a figure need a run. Each once.
std::vector<Asked> asked_by(const Figure& figure) {
  std::vector<Asked> list;
  std::set<std::tuple<std::string, std::string, Phase>> seen;
  const auto ask = [&](const std::string& program, const std::string& configuration, Phase phase) {
    if (seen.insert({program, configuration, phase}).second) list.push_back({program, configuration, phase});
  };
  const auto ask_all = [&](const std::string& name, const std::string& fixed_x) {
    if (name.empty()) return;
    for (const std::string& x : figure.x.points())
      for (const std::string& program : figure.programs)
        ask(program, figure.configuration(name, fixed_x.empty() ? x : fixed_x).name, figure.phase);
  };
  for (const report::Bar& bar : figure.bars) {
    ask_all(bar.over, figure.x.over);
    ask_all(bar.via, "");
    ask_all(bar.run, "");
  }
  const report::Measure note = [&](const report::Measurement& asked) {
    ask(asked.program, figure.machine(asked.machine, asked.x).name, asked.recovery ? Phase::recovery : figure.phase);
    return std::optional(1.0);
  };
  for (const report::Bar& bar : figure.bars)
    for (const std::string& program : figure.programs)
      if (bar.is_computed()) bar.value.value(note, program);
  for (const report::Claim& claim : figure.claims)
    if (claim.judged()) claim.expression.value(note);
  return list;
}

}  // namespace

std::vector<u64> ReproduceRequest::each_seed() const {
  std::vector<u64> list(seeds);
  std::iota(list.begin(), list.end(), u64{seed});
  return list;
}

ReproducePlan::ReproducePlan(const Suite& suite, const ReproduceRequest& request, const fs::path& out)
    : suite_(suite), request_(request), out_(out) {
  std::vector<std::string> ids;
  std::set<std::string> used;
  for (const Figure& figure : suite.figures)
    ids.push_back(figure.id), used.insert(figure.programs.begin(), figure.programs.end());
  check_names("figure", request.figures, ids);
  check_names("program", request.programs, used);
  const auto wanted = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  for (const Figure& figure : suite.figures) {
    if (!wanted(request.figures, figure.id)) continue;
    figures_.push_back(&figure);
    for (const std::string& name : figure.programs) {
      if (!wanted(request.programs, name) || std::ranges::find(programs_, name) != programs_.end()) continue;
      programs_.push_back(name);
      const Program& program = suite.programs.at(name);
      if (!program.sizes.contains(request.size)) {
        std::vector<std::string_view> sizes;
        for (const auto& [size, words] : program.sizes) sizes.push_back(size);
        throw UserError(fmt::format("program {} has no size \"{}\"{}; its sizes are {}", name, request.size,
                                    core::did_you_mean(request.size, sizes), fmt::join(sizes, ", ")));
      }
    }
  }
  if (programs_.empty()) throw UserError("none of these figures shows any of these programs");
  for (const Figure* figure : figures_) {
    for (const Asked& asked : asked_by(*figure)) {
      if (std::ranges::find(programs_, asked.program) == programs_.end()) continue;
      const Program& program = suite.programs.at(asked.program);
      const Configuration& configuration = figure->configurations.at(asked.configuration);
      ProgramBuild build{source_of(program, configuration), {}, build_options(program, configuration)};
      Digest digest;
      for (const std::string& option : build.options) digest.add(option);
      const std::string stem = build.source.stem().string();
      build.output = out / "programs" / (build.options.empty() ? stem : fmt::format("{}-{}", stem, digest.text()));
      const auto same = [&](const ProgramBuild& other) { return other.output == build.output; };
      if (std::ranges::none_of(builds_, same)) builds_.push_back(std::move(build));
    }
  }
}

const ProgramBuild& ReproducePlan::build_of(const Program& program, const Configuration& configuration) const {
  const auto options = build_options(program, configuration);
  const fs::path source = source_of(program, configuration);
  return *std::ranges::find_if(
      builds_, [&](const ProgramBuild& build) { return build.source == source && build.options == options; });
}

PlannedRun ReproducePlan::planned(const Program& program, const Configuration& configuration, Phase phase,
                                  u64 seed) const {
  PlannedRun planned;
  planned.program = &suite_.programs.at(program.run_name);
  planned.configuration = &configuration;
  planned.phase = phase;
  MachineRun& run = planned.run;
  run.settings.machine = configuration.machine;
  planned.size = suite_.size_on(configuration, request_.size);
  std::vector<std::string>& settings = run.settings.settings;
  if (const auto at = planned.program->settings_at.find(planned.size); at != planned.program->settings_at.end())
    settings = at->second;
  settings.insert(settings.end(), configuration.settings.begin(), configuration.settings.end());
  settings.insert(settings.end(), request_.settings.begin(), request_.settings.end());
  run.settings.seed = seed;
  run.machine_text = runtime::to_toml(run.settings.resolve());
  report::expect_name(configuration.place, "size", planned.size, report::names_of(program.sizes));
  const std::string& size = program.sizes.at(planned.size);
  const auto call = [&](const std::string& text) {
    Words words = words_of(text + " " + configuration.words, size);
    words.insert(words.begin(), build_of(program, configuration).output.string());
    return words;
  };
  run.command = call(phase == Phase::run ? program.run : program.recover);
  if (phase == Phase::recovery) run.prepare = call(program.prepare);
  run.environment = {{"program", program.run_name},
                     {"phase", phase == Phase::run ? "run" : "recovery"},
                     {"size", planned.size},
                     {"options", build_of(program, configuration).options},
                     {"words", Words(run.command.begin() + 1, run.command.end())}};
  return planned;
}

void ReproducePlan::add_run(const Program& program, const Configuration& configuration, Phase phase, u64 seed) {
  const std::string same = identity(program, configuration, phase, seed);
  if (name_of_.contains(same)) return;
  PlannedRun run = planned(program, configuration, phase, seed);
  run.name =
      fmt::format("{}-{}-{}", program.run_name, fs::path(configuration.machine).stem().string(), keys_.key(run.run));
  name_of_[same] = run.name;
  if (by_name_.contains(run.name)) return;  // two configurations that are the same machine
  by_name_[run.name] = runs_.size();
  runs_.push_back(std::move(run));
}

void ReproducePlan::make_runs() {
  for (const u64 seed : request_.each_seed())
    for (const Figure* figure : figures_)
      for (const Asked& asked : asked_by(*figure))
        if (std::ranges::find(programs_, asked.program) != programs_.end())
          add_run(suite_.programs.at(asked.program), figure->configurations.at(asked.configuration), asked.phase, seed);
}

const PlannedRun* ReproducePlan::find(const Program& program, const Configuration& configuration, Phase phase,
                                      u64 seed) const {
  const auto name = name_of_.find(identity(program, configuration, phase, seed));
  return name == name_of_.end() ? nullptr : &runs_[by_name_.at(name->second)];
}

std::string expected_time(const ReproducePlan& plan, const Suite& suite, unsigned jobs) {
  double seconds = 0;
  std::set<std::string> unknown;
  for (const PlannedRun& run : plan.runs()) {
    const Program& program = *run.program;
    const auto known = program.seconds.find(run.size);
    const auto measured = known != program.seconds.end() ? known : program.seconds.find(suite.size);
    const auto part = program.works.find(known != program.seconds.end() ? run.size : suite.size);
    const auto whole = program.works.find(run.size);
    if (measured == program.seconds.end() || part == program.works.end())
      unknown.insert(program.name);
    else
      seconds += measured->second / Program::part_of(part->second) *
                 (whole == program.works.end() ? 1 : Program::part_of(whole->second));
  }
  const auto hours = [](double all) {
    return all < 7200 ? fmt::format("{:.0f} minutes", all / 60) : fmt::format("{:.0f} hours", all / 3600);
  };
  return fmt::format(
      "{} runs of size {}: about {} of one core, so {} with {} at once. This follows from "
      "runs of these sizes that were measured, or else from those of size {}{}",
      plan.runs().size(), plan.size(), hours(seconds), hours(seconds / std::max(jobs, 1u)), std::max(jobs, 1u),
      suite.size, unknown.empty() ? "" : fmt::format("; of {} no time is known", fmt::join(unknown, ", ")));
}

std::string expected_memory(const ReproducePlan& plan, const Suite& suite, unsigned jobs, u64 free) {
  std::vector<std::pair<double, std::string>> runs;  // GiB, program; the largest first
  for (const PlannedRun& run : plan.runs()) {
    const Program& program = *run.program;
    const auto known = program.mib.find(run.size);
    const auto measured = known != program.mib.end() ? known : program.mib.find(suite.size);
    if (measured == program.mib.end()) continue;
    const auto part_of = [&](const std::string& size) {
      const auto part = program.parts.find(size);
      return part == program.parts.end() ? 1.0 : Program::part_of(part->second);
    };
    runs.emplace_back(measured->second / 1024 / part_of(measured->first) * part_of(run.size), program.name);
  }
  if (runs.empty()) return {};
  std::ranges::sort(runs, std::greater<>());
  const double here = static_cast<double>(free) / (1 << 30);
  const auto needed = [&](std::size_t at_once) {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(at_once, runs.size()); ++i) sum += runs[i].first;
    return sum;
  };
  if (needed(jobs) <= here)
    return fmt::format("a run of {} needs the most memory, about {:.1f} GiB, of {:.1f} that are free", runs[0].second,
                       runs[0].first, here);
  std::size_t fit = jobs;
  while (fit > 0 && needed(fit) > here) --fit;
  std::set<std::string> fitting;
  for (const auto& [gib, name] : runs)
    if (gib <= here) fitting.insert(name);
  throw core::UserError(fmt::format(
      "a run of {} needs about {:.1f} GiB of memory; for {} at once {:.1f} GiB should be free, {:.1f} are: {}",
      runs[0].second, runs[0].first, jobs, needed(jobs), here,
      fit > 0           ? fmt::format("-j {} fits", fit)
      : fitting.empty() ? std::string("no program of these fits")
                        : fmt::format("one at a time (-j 1) fit with --program: {}", fmt::join(fitting, ", "))));
}

}  // namespace ew::cli
