// `ew test`: builds what is out of date, runs every test there is, several at once, and counts.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <thread>

#include "cli/run_settings.hpp"
#include "cli/table.hpp"
#include "cli/test_build.hpp"
#include "cli/test_checks.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;

struct TestCommand {
  std::string filter, build = EW_BUILD_DIRECTORY;
  unsigned jobs = 0;
  bool list = false, quiet = false;
};

std::vector<Check> chosen_checks(const TestCommand& command) {
  std::vector<Check> checks = find_checks(command.build, core::home_directory() / "workloads", command.filter);
  if (command.filter.empty()) return checks;
  // A GoogleTest binary may hold a test of that name: it narrows itself.
  std::erase_if(checks, [&](const Check& check) {
    return check.kind != Check::Kind::google_test && check.name.find(command.filter) == check.name.npos;
  });
  return checks;
}

/// Runs the checks and keeps the tally. One per call.
class TestRun {
 public:
  explicit TestRun(const TestCommand& command) : command_(command) {}

  int run() {
    const bool complete = build();
    checks_ = chosen_checks(command_);
    total_ = checks_.size();
    if (!complete) fail_what_did_not_build();
    return run_checks();
  }

 private:
  bool build() {
    const auto progress = [this](unsigned done, unsigned all) {
      line_.show(fmt::format("ew test: building, {} of {} steps", done, all));
    };
    const bool complete = build_everything(command_.build, progress);
    line_.clear();
    return complete;
  }

  /// Takes out the checks whose program did not build: failures, whatever an older program of that name would say.
  void fail_what_did_not_build() {
    std::erase_if(checks_, [this](const Check& check) {
      if (check.target.empty()) return false;
      const std::string errors = build_target(command_.build, check.target);
      if (errors.empty()) return false;
      record(check, {.failed = 1, .output = errors});
      return true;
    });
  }

  int run_checks() {
    const auto begin = std::chrono::steady_clock::now();
    const unsigned jobs = command_.jobs ? command_.jobs : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> pool;
    for (unsigned job = 1; job < jobs; ++job) pool.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : pool) thread.join();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    line_.clear();
    if (passed_ + failed_ == 0)
      throw UserError(fmt::format("no test's name holds \"{}\"; `ew test --list` lists them", command_.filter));
    fmt::print("{} checks in {}\n", finished_, seconds_text(seconds));
    for (const std::string& name : failures_) fmt::print("FAIL {}\n", name);
    fmt::print("{} passed, {} failed\n", passed_, failed_);
    return failed_ ? failed : clean;
  }

  void work() {
    for (std::size_t i; (i = next_++) < checks_.size();) {
      const CheckResult result = run_check(checks_[i], command_.filter);
      const std::lock_guard lock(mutex_);
      record(checks_[i], result);
    }
  }

  void record(const Check& check, const CheckResult& result) {
    passed_ += result.passed, failed_ += result.failed;
    ++finished_;
    line_.clear();
    if (result.failed) {
      failures_.push_back(check.name);
      fmt::print("FAIL {}: {}\n{}    all of it: {}\n", check.name, counts(result), short_report(result.output, 20),
                 keep(check, result.output).string());
    } else if (result.skipped) {
      fmt::print("skip {}\n{}", check.name, short_report(result.output, 3));
    } else if (check.always_shown) {
      fmt::print("{}pass {} ({})\n", result.output, check.name, seconds_text(result.seconds));
    } else if (!command_.quiet && result.passed) {
      fmt::print("pass {}{} ({})\n", check.name, result.passed > 1 ? ": " + counts(result) : "",
                 seconds_text(result.seconds));
    }
    std::fflush(stdout);
    line_.show(fmt::format("ew test: {} of {} checks, {} failed", finished_, total_, failures_.size()));
  }

  static std::string counts(const CheckResult& result) {
    if (result.failed == 0) return fmt::format("{} tests", result.passed);
    if (result.seconds == 0) return "not built";
    if (result.passed + result.failed == 1) return fmt::format("after {}", seconds_text(result.seconds));
    return fmt::format("{} of {} tests", result.failed, result.passed + result.failed);
  }

  /// The whole output as a file of the build folder.
  fs::path keep(const Check& check, const std::string& output) const {
    std::string name = check.name;
    std::replace(name.begin(), name.end(), '/', '-');
    const fs::path path = fs::path(command_.build) / "test-logs" / (name + ".log");
    fs::create_directories(path.parent_path());
    core::write_file(path, output);
    return path;
  }

  const TestCommand& command_;
  std::vector<Check> checks_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  ProgressLine line_;
  std::size_t total_ = 0, finished_ = 0;
  unsigned passed_ = 0, failed_ = 0;
  std::vector<std::string> failures_;
};

int call(TestCommand& command) {
  command.build = fs::absolute(command.build).lexically_normal().string();
  if (!fs::exists(core::home_directory() / "tests"))
    throw UserError("ew test needs a checkout: this ew is an installed one, whose tests are not there");
  if (!command.list) return TestRun(command).run();
  for (const Check& check : chosen_checks(command)) fmt::print("{}\n", check.name);
  return clean;
}

}  // namespace

void add_test(CLI::App& app, int& status) {
  auto command = std::make_shared<TestCommand>();
  CLI::App* verb = app.add_subcommand("test", "Run every test");
  verb->add_option("--filter", command->filter, "Only tests with this in their name")->type_name("TEXT");
  verb->add_option("--build", command->build, "Build folder whose tests run; it is brought up to date first")
      ->capture_default_str()
      ->type_name("FOLDER");
  verb->add_option("-j,--jobs", command->jobs, "Tests at once (default: the number of cores)")
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_flag("--list", command->list, "List the tests");
  verb->add_flag("-q,--quiet", command->quiet, "Name only the tests that fail");
  verb->footer(
      "The last line is \"N passed, N failed\"; status 0 when none failed, 1 otherwise (and FAIL lines).\n"
      "What does not build fails alone: the others run. Of a failure the telling lines are shown, and\n"
      "the file that holds the rest.\n\n"
      "Examples:\n"
      "  ew test\n"
      "  ew test --filter workload/          the CUDA programs of workloads/\n"
      "  ew test --filter timing/            some of them on timing machines, compared with functional mode\n"
      "  ew test --filter timing_            all of them on every machine and protocol (hours)\n"
      "  ew test --filter timing_h100_mesi   all of them on one\n"
      "  ew test --filter planted_bugs       every planted bug of workloads/sbrp, found and classed (4 minutes of CPU "
      "time)\n"
      "  ew test --filter random_crashes     10,000 random crashes of those programs (6 minutes of CPU time)\n"
      "  ew test --filter gpm_crashes        the crashes of docs/results/gpm-crashes.md (30 minutes of CPU time)\n"
      "  ew test --filter helper_crashes     10,000 crashes of transactions, and planted bugs (minutes)\n"
      "  ew test --filter Lexer              tests whose name holds Lexer\n"
      "  ew test --build build/asan          another build");
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
