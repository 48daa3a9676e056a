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
#include "cli/chart_library.hpp"
#include "cli/reproduce_study.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "process/progress_line.hpp"
#include "process/scratch.hpp"
#include "report/demo_page.hpp"

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
std::vector<DemoConfiguration> configurations() {
  const auto one = [](const char* name, const char* model, const char* place) {
    DemoConfiguration configuration;
    configuration.name = name, configuration.model = model, configuration.place = place;
    return configuration;
  };
  return {one("gpm", "GPM", "far"), one("epoch_far", "epoch", "far"), one("sbrp_far", "SBRP", "far"),
          one("epoch_near", "epoch", "near"), one("sbrp_near", "SBRP", "near")};
}
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
    int status = time_models();
    status = std::max(status, crash());
    status = std::max(status, find_planted_bug());
    const fs::path page = out() / "report.html";
    core::write_file(page, demo_page(story_, chart_library()));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    fmt::print("{} in {}. The report: {}\n", status == clean ? "The demo ran" : "FAIL: the demo ended",
               seconds_text(seconds), page.string());
    return status;
  }

 private:
  int time_models();
  int crash();
  int find_planted_bug();
  void crash(DemoConfiguration&, std::size_t count, u64 seed);
  DemoStates try_states(const fs::path& program, std::vector<DemoBlame>&) const;

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
  Reproduction study_;
  DemoStory story_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

int Demo::time_models() {
  fmt::print(
      "gpKVS (workloads/sbrp/gpkvs.cu) is a key-value store in persistent memory, with an undo log. It inserts 65,536\n"
      "pairs, as in figure 6 of SBRP's paper. Each run has one of three persistency models. The NVM is behind PCIe\n"
      "(far) or on the GPU (near).\n"
      "(Below some 5,000 pairs epoch is faster than SBRP, far. Under SBRP a store waits until the older entry of its\n"
      "line is durable. Six lines are on their way at a time, each for a microsecond. So few warps cannot hide this "
      "wait.)\n\n");
  const StudyRequest request{
      .runs = {.figures = {"6"}, .programs = {demo_program}, .size = suite_.size},
      .batch = {.verb = "ew demo", .folder = out(), .jobs = demo_jobs(), .slice = {}, .slurm = {}, .is_complete = {}},
      .command = "ew demo",
      .timeout_seconds = 600,
      .page = "figure-6.html"};
  study_ = reproduce_study(suite_, request);
  print_failures(study_);
  story_ = {.study = &study_,
            .study_page = request.page,
            .program = "gpKVS (workloads/sbrp/gpkvs.cu)",
            .timed_size = "65,536 pairs, as in figure 6 of SBRP's paper",
            .crashed_size = "512 pairs",
            .configurations = configurations(),
            .bug = {}};
  const Program& program = suite_.programs.at(demo_program);
  const auto number = [](std::optional<double> value) { return value ? grouped(static_cast<u64>(*value)) : "-"; };
  Table table(
      {"model", ">time, us", ">speedup over epoch-far", ">in the paper", ">bytes persisted", ">L1 read misses in NVM"});
  for (DemoConfiguration& one : story_.configurations) {
    const ComparedBar* bar = study_.figures.front().find(demo_program, one.name);
    one.speedup = bar->ours, one.paper = bar->paper;
    for (const FinishedRun& run : study_.runs)
      if (!bar->runs.empty() && run.directory().filename() == bar->runs.front()) one.run = &run;
    const auto measured = [&](const Metric& metric) {
      return one.run ? one.run->measure(metric, Span::kernels, program.kernels) : std::nullopt;
    };
    one.persisted_bytes = measured(Metric::read("persist.bytes", {}));
    one.read_misses = measured(Metric::read("persist.read_misses", {}));
    if (const auto nanoseconds = measured(Metric::time())) one.microseconds = *nanoseconds / 1000;
    table.row({one.label(), one.microseconds ? fmt::format("{:.1f}", *one.microseconds) : "-",
               value_text(*study_.figures.front().figure, one.speedup),
               value_text(*study_.figures.front().figure, one.paper), number(one.persisted_bytes),
               number(one.read_misses)});
  }
  fmt::print("{}\n", table.text());
  return study_.failures.empty() ? clean : failed;
}

/// `count` trials on this machine.
void Demo::crash(DemoConfiguration& one, std::size_t count, u64 seed) {
  check::CrashPlan plan;
  plan.environment = settings_of(one.name).environment();
  plan.program = {program().string(), "--pairs", "512", "--batches", "2", "--pool", "kvs.pool"};
  plan.recovery = {program().string(), "--recover", "kvs.pool"};
  one.instructions = check::run_once(plan).moments;
  ProgressLine line;
  const auto trials = check::run_trials(
      plan, check::random_points(one.instructions, count, seed), demo_jobs(),
      [&](std::size_t done, std::size_t) { line.show(fmt::format("{}: {} of {} crashes", one.label(), done, count)); });
  line.clear();
  one.crashes = trials.size();
  for (const check::Trial& trial : trials) {
    one.recovered += trial.passed();
    if (trial.passed()) continue;
    one.failures.push_back(fmt::format("after warp instruction {}:\n{}", trial.moment, trial.output));
    fmt::print(stderr, "FAIL {}", one.failures.back());
  }
}

int Demo::crash() {
  fmt::print(
      "With 512 pairs the program is killed, {} times, at random moments of its run. Only the pool file survives. It\n"
      "holds what was durable at that moment. Then the program is started again. It recovers, and checks every "
      "pair.\n\n",
      command_.crashes);
  Table table({"model", ">warp instructions", ">crashes", ">recovered", ">failed"});
  const std::size_t machines = story_.configurations.size();
  for (std::size_t i = 0; i < machines; ++i) {
    DemoConfiguration& one = story_.configurations[i];
    const std::size_t count = command_.crashes * (i + 1) / machines - command_.crashes * i / machines;
    if (count == 0) continue;
    crash(one, count, i + 1);
    table.row({one.label(), grouped(one.instructions), grouped(one.crashes), grouped(one.recovered),
               grouped(one.crashes - one.recovered)});
  }
  fmt::print("{}\n{} crashes, {} verified recoveries\n\n", table.text(), story_.crashes(), story_.recovered());
  return story_.recovered() == story_.crashes() ? clean : failed;
}

/// Lets a small run of the program recover from the crash states that SBRP allows of it.
DemoStates Demo::try_states(const fs::path& program_path, std::vector<DemoBlame>& blames) const {
  check::CrashPlan plan;
  plan.environment = RunSettings().environment();
  plan.program = {program_path.string(), "--small", "--pool", "kvs.pool"};
  plan.recovery = {program_path.string(), "--recover", "kvs.pool"};
  const check::ModelPlan model{.budget = 500, .cold = 20, .jobs = demo_jobs()};
  check::ModelCampaign campaign(plan, model);
  const check::ModelReport report = campaign.run([](u64, u64, u64) {});
  for (const check::ModelFailure& failure : report.failures)
    blames.push_back({.kind = std::string(check::name_of(failure.kind)),
                      .durable = failure.durable,
                      .durable_at = failure.durable_at,
                      .not_durable = failure.not_durable,
                      .not_durable_at = failure.not_durable_at,
                      .happened = failure.happened,
                      .advice = failure.advice,
                      .recovery_says = check::last_line(failure.output),
                      .alike = failure.alike});
  return {.tried = report.distinct, .failed = report.failed};
}

int Demo::find_planted_bug() {
  DemoBug& bug = story_.bug;
  bug.says = "The ofence between a log entry and its pair is left out.";
  bug.build = "ew build -DBUG=2";
  bug.source = suite_.programs.at(demo_program).source;
  fmt::print(
      "Now the program is built with a bug (-DBUG=2): the ofence between a log entry and its pair is left out. A test\n"
      "would show this bug only by luck. `ew crash --states model` records one run, and tries crash states that SBRP\n"
      "allows of this run:\n\n");
  const Scratch scratch;
  const fs::path binary = scratch.path() / "gpkvs_bug";
  const Outcome built = process::run({fs::read_symlink("/proc/self/exe").string(), "build", "-O2", "-DBUG=2",
                                      bug.source.string(), "-o", binary.string()},
                                     {.capture = Capture::both});
  if (built.status != 0) throw UserError(fmt::format("{} did not build:\n{}", bug.source.string(), built.output));
  std::vector<DemoBlame> without;
  bug.without = try_states(program(), without);
  bug.with = try_states(binary, bug.blames);
  const auto show = [](const char* name, const DemoStates& states, const std::vector<DemoBlame>& blames) {
    fmt::print("{}: {} states tried, {} failed\n", name, states.tried, states.failed);
    for (const DemoBlame& blame : blames) {
      fmt::print("  {}\n", blame.kind);
      if (!blame.durable.empty()) fmt::print("    durable:     {}\n", blame.durable);
      if (!blame.not_durable.empty()) fmt::print("    not durable: {}\n", blame.not_durable);
      fmt::print("    what to do:  {}\n    the recovery says: {}\n", blame.advice, blame.recovery_says);
    }
  };
  show("as it stands", bug.without, without);
  show("with the bug", bug.with, bug.blames);
  fmt::print("\n");
  if (bug.without.failed) fmt::print("FAIL: the program without the bug should recover from every state\n");
  if (!bug.with.failed) fmt::print("FAIL: the planted bug should be found\n");
  return bug.found() ? clean : failed;
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
