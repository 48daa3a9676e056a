// `ew demo`: the shortest proof that everything works here: three programs are built and run, then a key-value store is
// killed fifty times and recovers fifty times.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "cli/crash_trials.hpp"
#include "cli/run_settings.hpp"
#include "cli/scratch.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "runtime/environment.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;

struct DemoProgram {
  std::string_view source, what;
  Words arguments;
};

const DemoProgram programs[] = {
    {"cuda/matmul_tiled.cu", "matrix product through shared tiles", {"256", "256", "256"}},
    {"cuda/scan_lookback.cu", "one-pass prefix sum, blocks waiting for blocks", {}},
    {"cuda/work_stealing.cu", "blocks stealing work from each other's queues", {}},
};

struct Seconds {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }
};

/// A line of a terminal that says what is under way, and is written over.
void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", text);
}

/// False, with what the compiler said on standard error, when it does not build.
bool build_program(const fs::path& source, const fs::path& output) {
  show_progress(fmt::format("building {}", source.filename().string()));
  const Outcome outcome =
      run({fs::read_symlink("/proc/self/exe").string(), "build", "-O2", source.string(), "-o", output.string()},
          {.capture = Capture::both});
  show_progress("");
  if (outcome.status != 0) fmt::print(stderr, "FAIL: {} did not build:\n{}", source.string(), outcome.output);
  return outcome.status == 0;
}

/// Builds and runs one program; a row of the table. False when it failed.
bool show_program(const DemoProgram& program, const fs::path& workloads, const fs::path& folder, Table& table) {
  const fs::path source = workloads / program.source, binary = folder / source.stem(), count_file = folder / "count";
  const Seconds build_time;
  if (!build_program(source, binary)) return false;
  const double built = build_time.elapsed();
  fs::remove(count_file);
  Words words{binary.string()};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  show_progress(fmt::format("running {}", source.stem().string()));
  const Seconds run_time;
  const Outcome outcome = run(words, {.capture = Capture::both,
                                      .environment = {{runtime::Environment::count_file_name, count_file.string()}},
                                      .timeout_seconds = 120,
                                      .no_input = true});
  const double ran = run_time.elapsed();
  show_progress("");
  unsigned long long instructions = 0;
  std::ifstream(count_file) >> instructions;
  table.row({source.stem().string(), std::string(program.what), seconds_text(built), seconds_text(ran),
             grouped(instructions), outcome.status == 0 ? "pass" : "FAIL"});
  if (outcome.status != 0) fmt::print(stderr, "{}\n", outcome.output);
  return outcome.status == 0;
}

int show_programs(const fs::path& workloads, const fs::path& folder) {
  fmt::print("Three CUDA programs, compiled to PTX and run on the default machine. No GPU, no CUDA SDK.\n\n");
  Table table({"program", "what it does", ">build", ">run", ">warp instructions", "result"});
  bool good = true;
  for (const DemoProgram& program : programs) good &= show_program(program, workloads, folder, table);
  fmt::print("{}\n", table.text());
  return good ? clean : failed;
}

// What a recovery reports behind "PASS name: ".
std::string last_words(const std::string& line) {
  const auto colon = line.find(": ");
  return (colon == line.npos ? line : line.substr(colon + 2)).substr(0, 60);
}

// Fifty trials as a table of ten rows: where in the run the crashes fell, and what came of them.
Table crash_table(const std::vector<Trial>& trials) {
  Table table({"crash after instruction", ">crashes", ">recovered", ">failed", "the last of them says"});
  constexpr std::size_t rows = 10;
  for (std::size_t first = 0; first < trials.size(); first += (trials.size() + rows - 1) / rows) {
    const std::size_t last = std::min(trials.size(), first + (trials.size() + rows - 1) / rows);
    std::size_t recovered = 0;
    for (std::size_t i = first; i < last; ++i) recovered += trials[i].passed();
    table.row({last - first == 1
                   ? grouped(trials[first].instruction)
                   : fmt::format("{} .. {}", grouped(trials[first].instruction), grouped(trials[last - 1].instruction)),
               std::to_string(last - first), std::to_string(recovered), std::to_string(last - first - recovered),
               last_words(trials[last - 1].last_line)});
  }
  return table;
}

int show_crashes(const fs::path& workloads, const fs::path& folder, std::size_t count) {
  fmt::print(
      "A persistent key-value store (workloads/sbrp/gpkvs.cu): the process is really killed at {} points of its run,\n"
      "then started again on what its pool file holds, to recover and to check every pair.\n",
      count);
  const fs::path binary = folder / "gpkvs";
  if (!build_program(workloads / "sbrp" / "gpkvs.cu", binary)) return failed;
  CrashPlan plan;
  plan.program = {binary.string(), "--pool", "kvs.pool"};
  plan.recovery = {binary.string(), "--recover", "kvs.pool"};
  const CleanRun clean_run = count_instructions(plan);
  fmt::print("Without a crash it executes {} warp instructions.\n\n", grouped(clean_run.instructions));
  const auto points = random_points(clean_run.instructions, count, 1);
  const unsigned jobs = std::min(2u, std::max(1u, std::thread::hardware_concurrency()));
  const auto trials = run_trials(plan, points, jobs, [&](std::size_t finished, std::size_t) {
    show_progress(finished == points.size() ? "" : fmt::format("{} of {} crashes", finished, points.size()));
  });
  std::size_t recovered = 0;
  for (const Trial& trial : trials) {
    recovered += trial.passed();
    if (!trial.passed()) fmt::print(stderr, "FAIL after warp instruction {}:\n{}", trial.instruction, trial.output);
  }
  fmt::print("{}\n{} crashes, {} verified recoveries\n", crash_table(trials).text(), trials.size(), recovered);
  return recovered == trials.size() ? clean : failed;
}

int call(std::size_t crashes) {
  const fs::path workloads = core::home_directory() / "workloads";
  if (!fs::is_directory(workloads))
    throw UserError(fmt::format("{}: the demo's programs are missing", workloads.string()));
  const Scratch scratch;
  const Seconds time;
  int status = show_programs(workloads, scratch.path());
  status = std::max(status, show_crashes(workloads, scratch.path(), crashes));
  fmt::print("{} in {}\n", status == clean ? "The demo ran" : "FAIL: the demo ended", seconds_text(time.elapsed()));
  return status;
}

}  // namespace

void add_demo(CLI::App& app, int& status) {
  auto crashes = std::make_shared<std::size_t>(50);
  CLI::App* verb = app.add_subcommand("demo", "Build and run three programs, then crash and recover a fourth");
  verb->add_option("--crashes", *crashes, "How many crashes")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1));
  verb->footer("Examples:\n  ew demo\n  ew demo --crashes 200");
  verb->callback([crashes, &status] { status = call(*crashes); });
}

}  // namespace ew::cli
