// `ew compare`: runs, or machines, beside each other.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/chart_library.hpp"
#include "cli/machine_differences.hpp"
#include "cli/run_settings.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "report/run_comparison.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using namespace report;

const char* const compare_manual =
    R"(Runs: files of `ew run --stats FILE` or `ew run --json`, or folders with a stats.json. Machines: names or files, as -m has
them; then the fields that differ are printed.

A is the first; changes are from it. Figures stand by the size of their largest change: of a share (%) its difference in
points, of others the ratio. Without --all: derived figures, energy, and slots.* as shares of all issue slots. Launches of
one kernel are one row, with a rate of all their events together. Percentiles of several launches are means, weighted
by their times.

Examples:
  ew run -m titan-rtx --stats a.json ./app
  ew run -m titan-rtx --set l1.bytes=64KiB --stats b.json ./app
  ew compare a.json b.json                       what the smaller L1 changed, the largest change first
  ew compare a.json b.json --kernel transpose    of one kernel
  ew compare a.json b.json --figure 'l2.*' --rows 0
  ew compare a.json b.json c.json --html compare.html
  ew compare titan-rtx a100-80gb                 the fields in which two machines differ)";

struct CompareCommand {
  std::vector<std::string> names;
  ComparisonChoice choice;
  std::size_t rows = 25;
  std::string html;
  bool json = false;
};

bool is_machine(const std::string& name) {
  return name.ends_with(".toml") || (!fs::exists(name) && !name.ends_with(".json"));
}

std::vector<std::string> headings(std::vector<std::string> first, std::size_t runs) {
  for (std::size_t i = 0; i < runs; ++i) {
    first.push_back(">" + letter_of(i));
    if (i) first.emplace_back(">change");
  }
  return first;
}

std::vector<std::string> cells(std::vector<std::string> first, const FigureRow& row, double scale = 1) {
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    first.push_back(row.values[i] ? value_text(*row.values[i] * scale) : "");
    if (i) first.push_back(change_text(row, i));
  }
  return first;
}

void print(const RunComparison& comparison, std::size_t rows) {
  const std::size_t runs = comparison.runs.size();
  Table names({"", "run", "machine"});
  for (std::size_t i = 0; i < runs; ++i)
    names.row({letter_of(i), comparison.runs[i].label(), comparison.runs[i].machine()});
  fmt::print("{}\n", names.text());
  Table times(headings({"simulated time, us"}, runs));
  for (const FigureRow& row : comparison.times) {
    const std::string_view name = row.name == "simulated_nanoseconds" ? "whole run"
                                  : row.name == "time.kernels"        ? "kernels alone"
                                  : row.name == "time.copies"         ? "copies alone"
                                  : row.name == "time.neither"        ? "launch latencies and gaps"
                                                                      : "kernels and copies";
    times.row(cells({std::string(name)}, row, 1e-3));
  }
  if (times.rows()) fmt::print("{}\n", times.text());
  Table kernels(headings({"kernel: time of all launches, us", ">launches"}, runs));
  for (const KernelComparison& kernel : comparison.kernels)
    kernels.row(cells({kernel.name, fmt::format("{}", fmt::join(kernel.launches, ", "))}, kernel.time, 1e-3));
  if (kernels.rows()) fmt::print("{}\n", kernels.text());
  const std::size_t shown = rows ? std::min(rows, comparison.figures.size()) : comparison.figures.size();
  Table figures(headings({comparison.kernel.empty() ? "figure" : "figure of " + comparison.kernel, "unit"}, runs));
  for (std::size_t i = 0; i < shown; ++i) {
    const FigureRow& row = comparison.figures[i];
    figures.row(cells({row.name, std::string(row.unit)}, row));
  }
  if (shown) fmt::print("{}\n", figures.text());
  fmt::print("{} figures differ{}, {} are equal. `ew explain NAME` says what one is.\n", comparison.figures.size(),
             shown < comparison.figures.size() ? fmt::format(" ({} shown; --rows 0: all)", shown) : "",
             comparison.equal);
}

int compare_runs(const CompareCommand& command) {
  std::vector<MeasuredRun> runs;
  for (const std::string& name : command.names) runs.push_back(MeasuredRun::read(name));
  const RunComparison comparison = compare(std::move(runs), command.choice);
  if (!command.html.empty()) {
    core::write_file(command.html, comparison_page(comparison, command.rows, chart_library()));
    fmt::print(stderr, "page: {}\n", fs::absolute(command.html).lexically_normal().string());
  }
  if (command.json)
    fmt::print("{}\n", core::json_text(to_json(comparison)));
  else
    print(comparison, command.rows);
  return clean;
}

int compare_machines(const CompareCommand& command) {
  if (!command.html.empty()) throw core::UserError("--html: machines have no page; runs have");
  const MachineDifferences differences(command.names);
  fmt::print("{}", command.json ? core::json_text(differences.json()) + "\n" : differences.text());
  return clean;
}

int call(const CompareCommand& command) {
  if (command.names.size() < 2)
    throw core::UserError("ew compare needs two runs or two machines: ew compare a.json b.json");
  const auto machines = std::ranges::count_if(command.names, is_machine);
  if (machines == 0) return compare_runs(command);
  for (const std::string& name : command.names) {
    if (is_machine(name) && static_cast<std::size_t>(machines) == command.names.size()) continue;
    if (is_machine(name))
      throw core::UserError(fmt::format("{}: there is no such file, and the others are runs", name));
  }
  return compare_machines(command);
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App* verb = app.add_subcommand("compare", "Runs or machines beside each other: what differs, the largest first");
  verb->footer(compare_manual);
  verb->add_option("names", command->names, "Files of statistics, folders of runs, or machines")->type_name("A B ...");
  verb->add_option("--kernel", command->choice.kernel, "Figures of this kernel alone")->type_name("NAME");
  verb->add_option("--figure", command->choice.figures, "Only these figures; a name may end in *")
      ->type_name("NAME")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_flag("--all", command->choice.all, "Every counted figure as well");
  verb->add_option("--rows", command->rows, "So many figures at most; 0: all")
      ->type_name("N")
      ->capture_default_str()
      ->check(whole_number(0));
  verb->add_option("--html", command->html, "Write a page that works without a network")->type_name("FILE");
  verb->add_flag("--json", command->json, "Print the result as JSON");
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
