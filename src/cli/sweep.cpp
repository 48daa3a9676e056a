// `ew sweep`: a program at every point of a product of settings, machines, arguments and seeds.
#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "cli/batch_settings.hpp"
#include "cli/chart_library.hpp"
#include "cli/provenance.hpp"
#include "cli/sweep_plan.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using report::Sweep, report::SweepRow;

struct SweepCommand {
  std::vector<std::string> machines, settings, arguments, metrics;
  std::string x, lines;
  unsigned long long seed = 0, max_instructions = 0;
  unsigned seeds = 0;  // 0: not given
  bool functional = false, timing = false;
  BatchSettings batch;
  double timeout_seconds = 3600;
  bool json = false, dry_run = false;
};

const char* const sweep_manual = R"(  ew sweep [OPTIONS] [--] PROGRAM [ARGUMENTS]
  ew sweep [OPTIONS] FILE.toml [[--] PROGRAM [ARGUMENTS]]

Runs the program once at every point of a product: each value of every --set, on every machine, with every value of
every --arg, under every seed. docs/sweeps.md has a worked example, the form of a file, and Slurm.

A comma parts values. Inside of brackets or quotes it does not: --set 'launch.block_limit=[1024,1024,64],[512,512,64]'.
--arg n=1000,2000 puts each value where the program's words have {n}. A word that is {n} alone becomes as many words as
the value has.

Each run starts in a folder of its own; files that the program's words name by a relative path are copied there. A name
of a run ends in a digest of the simulator, the program, the machine, the words, these files and the seed. So --resume
goes on where a sweep was ended, and makes anew what has changed.

In the output folder: sweep.csv (a line a run: axes, status, and every number that it counted), sweep.json, sweep.html
(plots; works without a network), runs/NAME with resolved.toml, stats.json, env.json and output.txt of each run, and
failed/NAME with all that a failed run said.

Status: 0 every run succeeded, 1 some did not (FAIL, with the command; the other runs and all files are made), 2 a
mistake in the command or the file; then nothing has run.

Examples:
  ew sweep -m titan-rtx --set l1.bytes=16KiB,32KiB,64KiB ./app 1000
  ew sweep --set coherence.protocol=gpu,mesi -m titan-rtx,a100-80gb --arg n=1000,2000 -- ./app {n}
  ew sweep -m titan-rtx --set l2.ways=8,16 --seeds 3 --metric time --metric l2.hit_rate ./app
  ew sweep study.toml --dry-run                        which runs are these?
  ew sweep study.toml --resume                         go on where it was ended
  ew sweep study.toml --slurm --slices 8               the same as 8 tasks of a job array
  ew sweep study.toml --json | jq '.runs[].metrics.time')";

SweepRequest request_of(const SweepCommand& command, Words words) {
  SweepRequest request;
  std::vector<std::string> mistakes;
  const auto collect = [&](auto&& work) {
    try {
      work();
    } catch (const UserError& mistake) {
      mistakes.push_back(mistake.what());
    }
  };
  if (!words.empty() && words[0].ends_with(".toml")) {
    request = read_sweep_file(words[0]);
    words.erase(words.begin());
    if (!words.empty() && words[0] == "--") words.erase(words.begin());
  }
  if (!words.empty()) request.program = std::move(words);
  AskedAxis machines;
  for (const std::string& word : command.machines)
    collect([&] {
      for (std::string& machine : split_values(word, "--machine")) machines.values.push_back(std::move(machine));
    });
  if (!machines.values.empty()) request.machines = std::move(machines);
  if (request.machines.values.empty()) request.machines.values = {"default"};
  std::vector<std::string> settings = command.settings;
  if (command.functional) settings.push_back("machine.mode=functional");
  if (command.timing) settings.push_back("machine.mode=timing");
  for (const std::string& word : settings) collect([&] { replace_axis(request.settings, read_axis(word, "--set")); });
  for (const std::string& word : command.arguments)
    collect([&] { replace_axis(request.arguments, read_axis(word, "--arg")); });
  if (command.seeds || command.seed || request.seeds.empty()) {
    request.seeds.assign(std::max(command.seeds, 1u), 0);
    std::iota(request.seeds.begin(), request.seeds.end(), u64{command.seed});
  }
  if (command.max_instructions) request.max_instructions = command.max_instructions;
  if (!command.metrics.empty()) request.metrics = command.metrics;
  if (!command.x.empty()) request.x = command.x;
  if (!command.lines.empty()) request.lines = command.lines;
  request.mistakes = std::move(mistakes);
  return request;
}

bool is_complete(const fs::path& folder) {
  return report::FinishedRun::read(folder).has_value();
}

/// The axes that vary, as columns; the machine if none does.
std::vector<std::size_t> shown_axes(const Sweep& sweep) {
  std::vector<std::size_t> list;
  for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
    if (sweep.axes[axis].varies()) list.push_back(axis);
  if (list.empty()) list.push_back(0);
  return list;
}

std::string heading(const report::SweepAxis& axis) {
  return (axis.is_numeric() ? ">" : "") + axis.name;
}

int list_runs(const SweepPlan& plan, const fs::path& folder, bool json) {
  const Sweep& sweep = plan.sweep();
  std::vector<std::string> headings{">#"};
  for (const std::size_t axis : shown_axes(sweep)) headings.push_back(heading(sweep.axes[axis]));
  headings.insert(headings.end(), {"finished", "command"});
  Table table(headings);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t finished = 0;
  for (const PlannedPoint& point : plan.points()) {
    const bool there = is_complete(folder / "runs" / point.name);
    finished += there;
    const std::string command = typed(point.run.settings, point.run.command);
    nlohmann::ordered_json one{{"run", point.name}, {"finished", there}, {"command", command}};
    std::vector<std::string> cells{std::to_string(list.size() + 1)};
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis)
      one["at"][sweep.axes[axis].name] = sweep.axes[axis].values[point.at[axis]];
    for (const std::size_t axis : shown_axes(sweep)) cells.push_back(sweep.axes[axis].values[point.at[axis]]);
    cells.insert(cells.end(), {there ? "yes" : "", command});
    table.row(std::move(cells));
    list.push_back(std::move(one));
  }
  if (json)
    fmt::print("{}\n", core::json_text(nlohmann::ordered_json{{"folder", folder.string()}, {"runs", list}}));
  else
    fmt::print("{}{} runs; {} are finished in {}, and --resume would take them\n", table.text(), list.size(), finished,
               folder.string());
  return clean;
}

SweepRow row_of(const PlannedPoint& point, const Sweep& sweep, const Batch& batch,
                const std::optional<RunFailure>& failure, const fs::path& folder) {
  SweepRow row;
  row.at = point.at;
  row.run = point.name;
  row.command = typed(point.run.settings, point.run.command);
  row.values.resize(sweep.metrics.size());
  if (failure) {
    row.failure = {failure->status, failure->how, last_lines(failure->output, 10),
                   (folder / "failed" / point.name / "output.txt").string()};
    return row;
  }
  const auto run = report::FinishedRun::read(batch.folder_of(point.name));
  if (!run) throw UserError(fmt::format("{} is gone", batch.folder_of(point.name).string()));
  for (std::size_t i = 0; i < sweep.metrics.size(); ++i) row.values[i] = sweep.metrics[i].of(*run);
  row.figures = run->figures();
  row.wall_seconds = run->wall_seconds();
  return row;
}

/// Metrics that nobody asked for and no run has are not shown.
void leave_out_empty(Sweep& sweep) {
  if (sweep.failures() == sweep.rows.size()) return;
  for (std::size_t i = sweep.metrics.size(); i-- > 0;) {
    const bool any = std::ranges::any_of(sweep.rows, [&](const SweepRow& row) { return row.values[i].has_value(); });
    if (any) continue;
    sweep.metrics.erase(sweep.metrics.begin() + static_cast<std::ptrdiff_t>(i));
    for (SweepRow& row : sweep.rows) row.values.erase(row.values.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void print_table(const Sweep& sweep) {
  std::vector<std::string> headings;
  for (const std::size_t axis : shown_axes(sweep)) headings.push_back(heading(sweep.axes[axis]));
  for (const report::SweepMetric& metric : sweep.metrics)
    headings.push_back(">" + (metric.unit().size() < 5 ? metric.label() : metric.name()));
  Table table(headings);
  for (const SweepRow& row : sweep.rows) {
    std::vector<std::string> cells;
    for (const std::size_t axis : shown_axes(sweep)) cells.push_back(sweep.value(row, axis));
    for (const auto& value : row.values) cells.push_back(row.failure ? "failed" : report::figure_text(value));
    table.row(std::move(cells));
  }
  fmt::print("{}", table.text());
}

void print_failures(const Sweep& sweep) {
  for (const SweepRow& row : sweep.rows)
    if (row.failure)
      fmt::print(stderr, "FAIL {}: {}\n  again: {}\n  all it said: {}\n{}\n", sweep.point(row), row.failure->how,
                 row.command, row.failure->all_output, row.failure->output);
}

struct WrittenFile {
  const char* what;
  fs::path path;
};

std::vector<WrittenFile> write_results(const Sweep& sweep, const fs::path& folder) {
  std::vector<WrittenFile> files{{"csv", folder / "sweep.csv"},
                                 {"json", folder / "sweep.json"},
                                 {"html", folder / "sweep.html"},
                                 {"runs", folder / "runs"}};
  if (sweep.failures()) files.push_back({"failed", folder / "failed"});
  core::write_file(files[0].path, report::sweep_csv(sweep));
  core::write_file(files[1].path, core::json_text(report::sweep_json(sweep)) + "\n");
  core::write_file(files[2].path, report::sweep_page(sweep, chart_library()));
  return files;
}

void print_result(const Sweep& sweep, const std::vector<WrittenFile>& files, bool json) {
  print_failures(sweep);
  if (json) {
    nlohmann::ordered_json all = report::sweep_json(sweep);
    for (const WrittenFile& file : files) all["files"][file.what] = file.path.string();
    fmt::print("{}\n", core::json_text(all));
    return;
  }
  print_table(sweep);
  const std::size_t failed_runs = sweep.failures();
  fmt::print("{} runs in {}{}\n", sweep.rows.size(), seconds_text(sweep.wall_seconds),
             sweep.taken ? fmt::format("; {} were finished before", sweep.taken) : "");
  for (const WrittenFile& file : files) fmt::print("{:7} {}\n", std::string(file.what) + ":", file.path.string());
  if (failed_runs) fmt::print("FAIL: {} of {} runs failed\n", failed_runs, sweep.rows.size());
}

int call(const SweepCommand& command, const CLI::App& verb) {
  const auto begin = std::chrono::steady_clock::now();
  const Words words = program_words(verb);
  const SweepPlan plan(request_of(command, words));
  Sweep sweep = plan.sweep();
  const std::string name = words[0].ends_with(".toml") ? fs::path(words[0]).stem().string() : sweep.program;
  BatchOptions options = command.batch.options("ew sweep", "sweep-" + name);
  options.is_complete = is_complete;
  const fs::path folder = options.folder;
  if (command.dry_run) return list_runs(plan, folder, command.json);

  std::vector<BatchRun> runs;
  std::vector<const PlannedPoint*> first;  // of the points that are the same run
  for (const PlannedPoint& point : plan.points()) {
    if (std::ranges::find(runs, point.name, &BatchRun::name) != runs.end()) continue;
    runs.push_back({point.name, sweep.point({.at = point.at})});
    first.push_back(&point);
  }
  sweep.commit = source_commit();
  if (!options.resume && !command.batch.is_slice() && fs::exists(folder / "sweep.csv"))
    fmt::print(stderr, "ew sweep: {} of an earlier sweep is written anew; --out names another folder\n",
               (folder / "sweep.csv").string());
  Batch batch(options);
  const auto failures = batch.carry_out(runs, [&](std::size_t i, const fs::path& part) {
    return make_run(first[i]->run, part, command.timeout_seconds, sweep.commit);
  });
  if (command.batch.is_slice()) return clean;

  for (const PlannedPoint& point : plan.points()) {
    const auto run = std::ranges::find(runs, point.name, &BatchRun::name) - runs.begin();
    sweep.rows.push_back(row_of(point, sweep, batch, failures[static_cast<std::size_t>(run)], folder));
  }
  if (command.metrics.empty()) leave_out_empty(sweep);
  Words typed_words = own_words();
  typed_words.insert(typed_words.begin(), "ew");
  sweep.command = shell_line(typed_words);
  sweep.version = EW_VERSION;
  sweep.host = host_name();
  sweep.jobs = options.jobs;
  sweep.taken = batch.taken();
  sweep.wall_seconds = seconds_since(begin);
  print_result(sweep, write_results(sweep, folder), command.json);
  return sweep.failures() ? failed : clean;
}

CLI::Option* repeated(CLI::Option* option, const char* type) {
  return option->type_name(type)->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

void add_sweep(CLI::App& app, int& status) {
  auto command = std::make_shared<SweepCommand>();
  CLI::App* verb =
      app.add_subcommand("sweep", "A program over settings, machines, arguments and seeds; table and plots");
  verb->prefix_command();
  verb->footer(sweep_manual);
  repeated(
      verb->add_option("-m,--machine", command->machines, "Machines: names in machines/, or paths (default: default)"),
      "NAME,NAME");
  repeated(verb->add_option("-s,--set", command->settings,
                            "An axis: a field and its values (`ew explain machine` lists the fields)"),
           "KEY=VALUE,VALUE");
  repeated(verb->add_option("-a,--arg", command->arguments, "An axis: what stands for {NAME} in the program's words"),
           "NAME=VALUE,VALUE");
  verb->add_option("--seed", command->seed, "Seed of what may vary between runs; 0: nothing varies")
      ->type_name("N")
      ->check(whole_number(0));
  verb->add_option("--seeds", command->seeds, "Make every run with so many seeds, from --seed on")
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_flag("--functional", command->functional, "Without timing: --set machine.mode=functional");
  verb->add_flag("--timing", command->timing, "With timing: --set machine.mode=timing");
  verb->add_option("--max-instructions", command->max_instructions,
                   "End a launch with an error after N warp instructions; 0: never")
      ->type_name("N")
      ->check(whole_number(0));
  repeated(verb->add_option("--metric", command->metrics,
                            "Show this number: time, wall_seconds, or a name of `ew explain statistics`"),
           "NAME");
  verb->add_option("--x", command->x, "Draw along this axis (default: the first that varies and has numbers)")
      ->type_name("AXIS");
  verb->add_option("--lines", command->lines, "A line for each value of this axis (default: the next that varies)")
      ->type_name("AXIS");
  command->batch.add_jobs(*verb);
  command->batch.add_options(*verb, "sweep-PROGRAM, or sweep-FILE");
  verb->add_option("--timeout", command->timeout_seconds, "Seconds that a run may take")->capture_default_str();
  verb->add_flag("--dry-run", command->dry_run, "List the runs, and make none");
  verb->add_flag("--json", command->json, "Print the result as JSON");
  verb->callback([command, verb, &status] { status = call(*command, *verb); });
}

}  // namespace ew::cli
