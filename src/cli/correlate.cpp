// `ew correlate`: measurements of real GPUs beside the simulated machines of the same names.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/correlate_runs.hpp"
#include "cli/run_settings.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/nearest.hpp"
#include "report/correlation.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using namespace report;

struct CorrelateCommand {
  std::string file, published, markdown, plot;
  std::vector<std::string> machines, settings;
  unsigned jobs = 0;
  bool json = false;
};

const char* const correlate_manual =
    R"(Without FILE: runs the microbenchmarks on each machine that studies/silicon/published.csv has rows of, and
puts the published measurements beside them. FILE is the JSON that tests/silicon/measure writes on a computer with a
GPU: the same, with that GPU's own figures and its times of programs. docs/silicon.md is the manual.

set: a parameter of the machine file rests on this row. test: none does. Errors are means without signs.

Status: 0 compared, 2 a mistake in the command or in a file.

Examples:
  ew correlate                                    all machines with published rows (minutes)
  ew correlate -m titan-rtx                       one of them
  ew correlate --markdown docs/correlation.md     the document and its plot
  ew correlate measured.json                      a GPU that was measured; its machine is found by the device's name
  ew correlate measured.json -m h100 --json | jq '.machines[0].mean_error_percent')";

std::string whole_text(const std::string& file) {
  core::FileText read = core::read_file(file);
  if (!read.why.empty()) throw UserError(fmt::format("{}: {}", file, read.why));
  return std::move(read.text);
}

/// The machine whose device has this name.
std::string machine_of(const std::string& device, const std::string& file) {
  std::vector<std::string> names;
  for (const std::string& machine : core::machine_names()) {
    names.push_back(runtime::load_machine(machine).device.name);
    if (names.back() == device) return machine;
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw UserError({file}, fmt::format("no machine file has the device \"{}\"{}; --machine names one", device,
                                      core::did_you_mean(device, views)));
}

/// That there are rows of, in the order of the file.
std::vector<std::string> machines_of(const std::vector<SiliconRow>& rows, const std::string& file,
                                     const std::vector<std::string>& wanted) {
  std::vector<std::string> machines;
  for (const SiliconRow& row : rows)
    if (std::ranges::find(machines, row.machine) == machines.end()) machines.push_back(row.machine);
  const std::vector<std::string_view> views(machines.begin(), machines.end());
  for (const std::string& name : wanted)
    if (std::ranges::find(machines, name) == machines.end())
      throw UserError({file}, fmt::format("no rows of machine \"{}\"{}; it has {}", name,
                                          core::did_you_mean(name, views), fmt::join(machines, ", ")));
  return wanted.empty() ? machines : wanted;
}

runtime::MachineConfig machine_with(const std::string& name, const std::vector<std::string>& settings) {
  RunSettings run;
  run.machine = name;
  run.settings = settings;
  runtime::MachineConfig config = run.resolve();
  if (!config.machine.timing())
    throw UserError(fmt::format("machine {}: functional mode has no time to compare; use one of mode timing", name));
  return config;
}

std::vector<Correlation> with_published(const CorrelateCommand& command) {
  const std::string file = command.published.empty()
                               ? (core::home_directory() / "studies/silicon/published.csv").string()
                               : command.published;
  const std::vector<SiliconRow> rows = read_published_rows(whole_text(file), file);
  CorrelateRuns runs(command.jobs);
  std::vector<Correlation> all;
  for (const std::string& machine : machines_of(rows, file, command.machines)) {
    const MachineScale scale = MachineScale::of(machine_with(machine, command.settings));
    const bool compared =
        std::ranges::any_of(rows, [&](const SiliconRow& row) { return row.machine == machine && row.use != Use::out; });
    all.push_back(correlate(machine, rows, compared ? runs.figures(machine, command.settings) : Figures{}, scale));
  }
  return all;
}

std::vector<Correlation> with_measurement(const CorrelateCommand& command) {
  const SiliconMeasurement measured = read_measurement(whole_text(command.file), command.file);
  if (command.machines.size() > 1) throw UserError("--machine: a measured device has one machine");
  const std::string machine =
      command.machines.empty() ? machine_of(measured.device, command.file) : command.machines[0];
  machine_with(machine, command.settings);
  std::vector<std::string> programs;
  for (const auto& [name, time] : measured.programs) programs.push_back(name);
  CorrelateRuns runs(command.jobs);
  const auto times = runs.programs(machine, command.settings, programs);
  const Figures figures =
      measured.figures.empty() ? Figures{} : runs.figures(machine, command.settings, measured.groups);
  return {correlate(machine, measured, command.file, figures, times)};
}

void print(const Correlation& correlation, bool measured) {
  fmt::print("{}{}\n\n", correlation.machine,
             correlation.board.empty() ? "" : fmt::format(", beside {}", correlation.board));
  Table table({"figure", "unit", ">silicon", ">ours", ">difference, %", "use", measured ? "" : "source"});
  for (const CorrelatedRow& row : correlation.rows)
    table.row({row.row.figure, row.unit, number_text(row.silicon), number_text(row.ours),
               fmt::format("{:+.1f}", row.difference()), std::string(name_of(row.row.use)),
               measured ? "" : fmt::format("{}; {}", row.row.device, row.row.source)});
  if (table.rows() > 0) fmt::print("{}\n", table.text());
  fmt::print("{}\n", mean_sentence(correlation));
  if (!correlation.missing.empty())
    fmt::print("{} figures stand on one side only: {}\n", correlation.missing.size(),
               fmt::join(correlation.missing, ", "));
  if (!correlation.left_out.empty())
    fmt::print("{} published rows are not compared; studies/silicon/published.csv says why\n",
               correlation.left_out.size());
  fmt::print("\n");
}

/// Before minutes of work: whether the files can be written there.
void expect_folder(const std::string& option, const std::string& file) {
  if (file.empty()) return;
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder))
    throw UserError(fmt::format("{} {}: there is no folder {}", option, file, folder.string()));
}

/// The page, and its plot beside it unless that has a name of its own.
void write_files(const CorrelateCommand& command, const std::vector<Correlation>& all) {
  fs::path plot = command.plot;
  if (plot.empty() && !command.markdown.empty()) plot = fs::path(command.markdown).replace_extension(".svg");
  if (!plot.empty()) core::write_file(plot, scatter_plot(all));
  if (command.markdown.empty()) return;
  const fs::path folder = fs::absolute(command.markdown).parent_path();
  core::write_file(command.markdown, markdown_of(all, fs::absolute(plot).lexically_relative(folder).string()));
}

int call(CorrelateCommand command) {
  if (!command.jobs) command.jobs = std::max(1u, std::thread::hardware_concurrency());
  expect_folder("--markdown", command.markdown);
  expect_folder("--plot", command.plot);
  const bool measured = !command.file.empty();
  const std::vector<Correlation> all = measured ? with_measurement(command) : with_published(command);
  write_files(command, all);
  if (command.json) {
    fmt::print("{}\n", core::json_text(to_json(all)));
    return clean;
  }
  for (const Correlation& correlation : all) print(correlation, measured);
  return clean;
}

}  // namespace

void add_correlate(CLI::App& app, int& status) {
  auto command = std::make_shared<CorrelateCommand>();
  CLI::App* verb = app.add_subcommand("correlate", "Measurements of real GPUs, beside the simulated machines");
  verb->footer(correlate_manual);
  verb->add_option("file", command->file, "What tests/silicon/measure has written; none: published measurements")
      ->type_name("FILE");
  verb->add_option("-m,--machine", command->machines, "Only this machine; with FILE: instead of the device's name")
      ->type_name("NAME")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--set", command->settings, "Change one field of the machine")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--markdown", command->markdown, "Write the page, and beside it the plot (.svg)")->type_name("FILE");
  verb->add_option("--plot", command->plot, "Write the plot: ours over silicon, a point a row (SVG)")
      ->type_name("FILE");
  verb->add_option("--published", command->published, "Other rows than studies/silicon/published.csv")
      ->type_name("FILE")
      ->excludes("file");
  verb->add_option("-j,--jobs", command->jobs, "Runs at once (default: the number of cores)")
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_flag("--json", command->json, "Print the result as JSON");
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
