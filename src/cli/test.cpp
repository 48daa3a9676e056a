// `ew test`: every test that the build has made, several at once, and one closing line.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "cli/table.hpp"
#include "cli/test_checks.hpp"
#include "cli/verb.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;

struct TestCommand {
  std::string filter, build = EW_BUILD_DIRECTORY;
  unsigned jobs = 0;
  bool list = false, verbose = false;
};

/// Runs the checks and keeps the tally. One per call.
class TestRun {
 public:
  TestRun(const TestCommand& command, std::vector<Check> checks) : command_(command), checks_(std::move(checks)) {}

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    const unsigned jobs = command_.jobs ? command_.jobs : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> pool;
    for (unsigned job = 1; job < jobs; ++job) pool.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : pool) thread.join();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    clear_progress();
    for (const std::string& name : failures_) fmt::print("FAIL {}\n", name);
    fmt::print("{} checks in {}\n{} passed, {} failed\n", checks_.size(), seconds_text(seconds), passed_, failed_);
    return failed_ || passed_ == 0 ? failed : clean;
  }

 private:
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
    clear_progress();
    if (result.failed) {
      failures_.push_back(check.name);
      fmt::print("FAIL {}\n{}", check.name, result.output);
    } else if (command_.verbose && result.passed) {
      fmt::print("pass {}{} ({})\n", check.name, result.passed > 1 ? fmt::format(": {} tests", result.passed) : "",
                 seconds_text(result.seconds));
    }
    std::fflush(stdout);
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "{} of {} checks, {} failed", finished_, checks_.size(), failed_);
  }

  void clear_progress() {
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  }

  const TestCommand& command_;
  std::vector<Check> checks_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t finished_ = 0;
  unsigned passed_ = 0, failed_ = 0;
  std::vector<std::string> failures_;
};

int call(const TestCommand& command) {
  std::vector<Check> checks = find_checks(command.build, core::home_directory() / "workloads");
  if (!command.filter.empty()) {
    // A GoogleTest binary may hold a test of that name: it narrows itself.
    std::erase_if(checks, [&](const Check& check) {
      return check.kind != Check::Kind::google_test && check.name.find(command.filter) == check.name.npos;
    });
  }
  if (command.list) {
    for (const Check& check : checks) fmt::print("{}\n", check.name);
    return clean;
  }
  if (checks.empty())
    throw UserError(fmt::format("no test's name holds \"{}\"; `ew test --list` lists them", command.filter));
  return TestRun(command, std::move(checks)).run();
}

}  // namespace

void add_test(CLI::App& app, int& status) {
  auto command = std::make_shared<TestCommand>();
  CLI::App* verb = app.add_subcommand("test", "Run every test");
  verb->add_option("--filter", command->filter, "Only tests with this in their name")->type_name("TEXT");
  verb->add_option("--build", command->build, "Build folder whose tests run")
      ->capture_default_str()
      ->type_name("FOLDER");
  verb->add_option("-j,--jobs", command->jobs, "Tests at once (default: the number of cores)")->type_name("N");
  verb->add_flag("--list", command->list, "List the tests");
  verb->add_flag("-v,--verbose", command->verbose, "Name the tests that pass, too");
  verb->footer(
      "The last line is \"N passed, N failed\"; status 0 when none failed, 1 otherwise.\n\n"
      "Examples:\n"
      "  ew test\n"
      "  ew test --filter workload/          the CUDA programs of workloads/\n"
      "  ew test --filter Lexer              tests whose name holds Lexer\n"
      "  ew test --build build/asan          another build");
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
