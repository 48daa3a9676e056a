// `ew demo`: the story of a persistent program at a small size. gpKVS runs under three persistency models on two
// machines, is killed at a hundred moments and recovers each time, and a bug planted in it is found and explained.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "check/crash/folder.hpp"
#include "check/crash/model_campaign.hpp"
#include "check/crash/points.hpp"
#include "check/crash/trials.hpp"
#include "cli/reproduce_study.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "process/progress_line.hpp"
#include "process/scratch.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;
using namespace report;

struct DemoCommand {
  std::size_t crashes = 100;
  std::string out = "everwarp-demo";
};

/// The machines and models of SBRP's figure 6, by the names of studies/sbrp.
struct DemoMachine {
  const char *configuration, *label;
};
constexpr DemoMachine demo_machines[] = {{"gpm", "GPM, far"},
                                         {"epoch_far", "epoch, far"},
                                         {"sbrp_far", "SBRP, far"},
                                         {"epoch_near", "epoch, near"},
                                         {"sbrp_near", "SBRP, near"}};
constexpr const char* demo_program = "gpKVS";

unsigned demo_jobs() {
  return std::max(1u, std::thread::hardware_concurrency());
}

/// One run of the demo, and everything that the parts of it share.
class Demo {
 public:
  explicit Demo(const DemoCommand& command)
      : command_(command), suite_(read_suite(core::home_directory() / "studies", "sbrp")) {}

  int run() {
    int status = show_models();
    status = std::max(status, show_crashes());
    status = std::max(status, show_planted_bug());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    fmt::print("{} in {}. The report: {}\n", status == clean ? "The demo ran" : "FAIL: the demo ended",
               seconds_text(seconds), page_.string());
    return status;
  }

 private:
  int show_models();
  int show_crashes();
  int show_planted_bug();

  RunSettings settings_of(const std::string& configuration) const {
    const Configuration& machine = suite_.figures.front().configuration(configuration);
    RunSettings settings;
    settings.machine = machine.machine;
    settings.settings = machine.settings;
    return settings;
  }
  fs::path out() const { return fs::absolute(command_.out).lexically_normal(); }
  fs::path program() const { return out() / "programs" / suite_.programs.at(demo_program).source.stem(); }

  const DemoCommand& command_;
  const Suite suite_;
  fs::path page_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::string statistic(const FinishedRun* run, std::string_view name, const std::vector<std::string>& kernels) {
  const auto value = run ? run->measure(Metric::read(name, {}), Span::kernels, kernels) : std::nullopt;
  return value ? grouped(static_cast<unsigned long long>(*value)) : "-";
}

int Demo::show_models() {
  fmt::print(
      "gpKVS (workloads/sbrp/gpkvs.cu) inserts 65,536 pairs into a store in persistent memory, with an undo log. Timed "
      "on\n"
      "SBRP's two machines, with NVM behind PCIe (far) and on the GPU (near), under three persistency models, at the "
      "size\n"
      "of its paper's figure 6. (Below some 5,000 pairs epoch is faster than SBRP, far: so few warps do not hide that "
      "a\n"
      "store waits for the older entry of its line, behind a window of six lines that take a microsecond each.)\n\n");
  const StudyRequest request{
      .runs = {.figures = {"6"}, .programs = {demo_program}},
      .batch = {.verb = "ew demo", .folder = out(), .jobs = demo_jobs(), .slice = {}, .slurm = {}, .is_complete = {}},
      .command = "ew demo",
      .timeout_seconds = 600};
  const Reproduction result = reproduce_study(suite_, request);
  page_ = report_page(request);
  print_failures(result);
  const Program& program = suite_.programs.at(demo_program);
  Table table(
      {"model", ">time, us", ">speedup over epoch-far", ">in the paper", ">bytes persisted", ">L1 read misses in NVM"});
  for (const DemoMachine& machine : demo_machines) {
    const ComparedBar* bar = result.figures.front().find(demo_program, machine.configuration);
    const FinishedRun* found = nullptr;
    for (const FinishedRun& run : result.runs)
      if (!bar->runs.empty() && run.directory().filename() == bar->runs.front()) found = &run;
    const auto time = found ? found->measure(Metric::time(), Span::kernels, program.kernels) : std::nullopt;
    table.row(
        {machine.label, time ? fmt::format("{:.1f}", *time / 1000) : "-",
         value_text(*result.figures.front().figure, bar->ours), value_text(*result.figures.front().figure, bar->paper),
         statistic(found, "persist.bytes", program.kernels), statistic(found, "persist.read_misses", program.kernels)});
  }
  fmt::print("{}\n", table.text());
  return result.failures.empty() ? clean : failed;
}

int Demo::show_crashes() {
  fmt::print(
      "With 512 pairs the process is really killed, {} times, at moments spread over its run; nothing but the pool\n"
      "file survives, which holds what had become durable. Then the program is started again on it, recovers, and\n"
      "checks every pair.\n\n",
      command_.crashes);
  Table table({"model", ">warp instructions", ">crashes", ">recovered", ">failed"});
  ProgressLine line;
  std::size_t failures = 0, recovered = 0;
  const std::size_t machines = std::size(demo_machines);
  for (std::size_t i = 0; i < machines; ++i) {
    check::CrashPlan plan;
    plan.environment = settings_of(demo_machines[i].configuration).environment();
    plan.program = {program().string(), "--pairs", "512", "--batches", "2", "--pool", "kvs.pool"};
    plan.recovery = {program().string(), "--recover", "kvs.pool"};
    const std::size_t count = command_.crashes * (i + 1) / machines - command_.crashes * i / machines;
    if (count == 0) continue;
    const check::CleanRun clean_run = check::count_instructions(plan);
    const auto trials =
        check::run_trials(plan, check::random_points(clean_run.instructions, count, i + 1), demo_jobs(),
                          [&](std::size_t done, std::size_t) {
                            line.show(fmt::format("{}: {} of {} crashes", demo_machines[i].label, done, count));
                          });
    line.clear();
    std::size_t passed = 0;
    for (const check::Trial& trial : trials) {
      passed += trial.passed();
      if (!trial.passed()) fmt::print(stderr, "FAIL after warp instruction {}:\n{}", trial.instruction, trial.output);
    }
    recovered += passed, failures += trials.size() - passed;
    table.row({demo_machines[i].label, grouped(clean_run.instructions), std::to_string(trials.size()),
               std::to_string(passed), std::to_string(trials.size() - passed)});
  }
  fmt::print("{}\n{} crashes, {} verified recoveries\n\n", table.text(), recovered + failures, recovered);
  return failures == 0 ? clean : failed;
}

int Demo::show_planted_bug() {
  fmt::print(
      "Now the ofence between a log entry and its pair is left out (-DBUG=2 of workloads/sbrp/bugs.toml), which a\n"
      "test would show by luck alone. `ew crash --states model` records one run and tries the crash states that\n"
      "SBRP allows of it:\n\n");
  const Scratch scratch;
  const fs::path source = suite_.programs.at(demo_program).source, binary = scratch.path() / "gpkvs_bug";
  const Outcome built = process::run(
      {fs::read_symlink("/proc/self/exe").string(), "build", "-O2", "-DBUG=2", source.string(), "-o", binary.string()},
      {.capture = Capture::both});
  if (built.status != 0) throw UserError(fmt::format("{} did not build:\n{}", source.string(), built.output));
  std::size_t found[2] = {};
  for (const bool planted : {false, true}) {
    const fs::path program_path = planted ? binary : program();
    check::CrashPlan plan;
    plan.environment = RunSettings().environment();
    plan.program = {program_path.string(), "--small", "--pool", "kvs.pool"};
    plan.recovery = {program_path.string(), "--recover", "kvs.pool"};
    const check::ModelPlan model{.budget = 500, .cold = 20, .jobs = demo_jobs()};
    check::ModelCampaign campaign(plan, model);
    const check::ModelReport report = campaign.run([](u64, u64, u64) {});
    found[planted] = report.failed;
    fmt::print("{}: {} states tried, {} failed\n", planted ? "with the bug" : "as it stands", report.distinct,
               report.failed);
    for (const check::ModelFailure& failure : report.failures) {
      fmt::print("  {}\n", check::name_of(failure.kind));
      if (!failure.durable.empty()) fmt::print("    durable:     {}\n", failure.durable);
      if (!failure.not_durable.empty()) fmt::print("    not durable: {}\n", failure.not_durable);
      fmt::print("    what to do:  {}\n", failure.advice);
      fmt::print("    the recovery says: {}\n", check::last_line(failure.output));
    }
  }
  fmt::print("\n");
  if (found[0]) fmt::print("FAIL: the program without the bug should recover from every state\n");
  if (!found[1]) fmt::print("FAIL: the planted bug should be found\n");
  return found[0] == 0 && found[1] > 0 ? clean : failed;
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  auto command = std::make_shared<DemoCommand>();
  CLI::App* verb = app.add_subcommand("demo", "A persistent program: timed, crashed, recovered; a planted bug found");
  verb->add_option("--crashes", command->crashes, "How many crashes")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_option("--out", command->out, "Folder for the report")->capture_default_str()->type_name("FOLDER");
  verb->footer("Examples:\n  ew demo\n  ew demo --crashes 1000");
  verb->callback([command, &status] { status = Demo(*command).run(); });
}

}  // namespace ew::cli
