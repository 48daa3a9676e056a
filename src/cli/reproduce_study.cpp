#include "cli/reproduce_study.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/chart_library.hpp"
#include "cli/provenance.hpp"
#include "cli/reproduce_runs.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "process/free_memory.hpp"
#include "report/html_report.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using namespace report;

/// Which parts of the paper's data the bars of a program show, at a value of the axis: "1/8".
std::string part_of(const Suite& suite, const Figure& figure, const Program& program, const std::string& x,
                    const std::string& size) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& of_size) {
    const auto part = program.parts.find(of_size);
    if (part != program.parts.end() && std::ranges::find(parts, part->second) == parts.end())
      parts.push_back(part->second);
  };
  const auto bars = figure.bars_with_a_machine();
  for (const std::string& bar : bars) add(suite.size_on(figure.machine(bar, x), size));
  if (bars.empty()) add(suite.size_on(Configuration{}, size));  // all bars are computed
  return fmt::format("{}", fmt::join(parts, " or "));
}

Reproduction compared(const Suite& suite, const ReproducePlan& plan, const std::string& size,
                      const std::vector<u64>& seeds, const fs::path& out) {
  Reproduction result;
  result.suite = &suite;
  for (const PlannedRun& planned : plan.runs())
    if (auto run = FinishedRun::read(out / "runs" / planned.name)) result.runs.push_back(std::move(*run));
  const FindRun find = [&](const Program& program, const Configuration& configuration, Phase phase,
                           u64 seed) -> const FinishedRun* {
    const PlannedRun* planned = plan.find(program, configuration, phase, seed);
    for (const FinishedRun& run : result.runs)
      if (planned && run.directory().filename() == planned->name) return &run;
    return nullptr;
  };
  for (const Figure* figure : plan.figures())
    result.figures.push_back(compare(suite, *figure, plan.programs(), seeds, find));
  for (ComparedFigure& compared : result.figures) {
    const Figure& figure = *compared.figure;
    if (!figure.shows_part) continue;
    for (const std::string& program : compared.programs)
      for (const std::string& x : figure.x.points())
        if (std::string part = part_of(suite, figure, suite.programs.at(program), x, size); !part.empty())
          compared.parts[Figure::row_name(program, x)] = std::move(part);
  }
  return result;
}

void write_results(const Reproduction& result, const StudyRequest& request) {
  const fs::path& out = request.batch.folder;
  core::write_file(out / "figures.csv", figures_csv(result));
  core::write_file(out / "parts.csv", parts_csv(result));
  core::write_file(out / "claims.csv", claims_csv(result));
  core::write_file(out / "figures.md", figures_markdown(result));
  core::write_file(out / "runs.csv", runs_csv(result));
  core::write_file(out / "results.json", core::json_text(to_json(result)) + "\n");
  core::write_file(report_page(request), html_report(result, chart_library()));
}

}  // namespace

Reproduction reproduce_study(const Suite& suite, const StudyRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  process::BatchOptions options = request.batch;
  const fs::path& out = options.folder;
  options.is_complete = [](const fs::path& folder) { return FinishedRun::read(folder).has_value(); };
  const std::string commit = source_commit();
  ReproducePlan plan(suite, request.runs, out);
  process::Batch batch(options);
  if (!options.slice) build_programs(plan.builds(), std::max(options.jobs, 1u));
  plan.make_runs();
  if (request.says_how_long) fmt::print(stderr, "ew reproduce: {}\n", expected_time(plan, suite, options.jobs));
  if (request.says_how_long && !options.slice) {
    const std::string memory = expected_memory(plan, suite, std::max(options.jobs, 1u), process::free_memory());
    if (!memory.empty()) fmt::print(stderr, "ew reproduce: {}\n", memory);
  }
  std::vector<FailedRun> failures = carry_out(plan.runs(), batch, request.timeout_seconds, commit);
  if (options.slice) return {};
  const std::vector<u64> seeds = request.runs.each_seed();
  Reproduction result = compared(suite, plan, request.runs.size, seeds, out);
  result.failures = std::move(failures);
  result.provenance = {request.runs.size, commit, EW_VERSION,   request.command,
                       host_name(),       seeds,  options.jobs, process::seconds_since(begin)};
  write_results(result, request);
  return result;
}

fs::path report_page(const StudyRequest& request) {
  return request.batch.folder / request.page;
}

void print_failures(const Reproduction& result) {
  for (const FailedRun& run : result.failures)
    fmt::print(stderr, "FAIL {} on {} {}\n  {}\n{}\n", run.program, run.configuration, run.how, run.command,
               run.output);
}

}  // namespace ew::cli
