#include "cli/test_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "coherence/models.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "process/scratch.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;

bool has_label(const nlohmann::json& test, std::string_view label) {
  for (const auto& property : test.value("properties", nlohmann::json::array())) {
    if (property["name"] != "LABELS") continue;
    for (const auto& value : property["value"]) {
      if (value == label) return true;
    }
  }
  return false;
}

double number_of(const nlohmann::json& test, std::string_view name, double absent) {
  for (const auto& property : test.value("properties", nlohmann::json::array())) {
    if (property["name"] != name) continue;
    const auto& value = property["value"];
    return value.is_array() ? value.at(0).get<double>() : value.get<double>();
  }
  return absent;
}

// What builds the check's program: tests/CMakeLists.txt says. ctest leaves the command out while the program is
// missing.
std::string target_of(const Check& check, const std::string& name, const fs::path& build) {
  if (check.kind == Check::Kind::google_test) return fmt::format("tests/ew_{}_test", name);
  if (check.command.empty()) return "tests/" + name;
  const std::string program = fs::relative(check.command[0], build).string();
  return program.starts_with("..") ? "" : program;
}

void add_unit_checks(std::vector<Check>& checks, const fs::path& build) {
  if (!fs::is_directory(build)) throw UserError(fmt::format("{}: no such build folder", build.string()));
  const Outcome outcome =
      run({"ctest", "--test-dir", build.string(), "--show-only=json-v1"}, {.capture = Capture::standard_output});
  const auto json = nlohmann::json::parse(outcome.output, nullptr, false);
  if (outcome.status != 0 || !json.is_object())
    throw UserError(fmt::format("{}: no tests were built here", build.string()));
  for (const auto& test : json["tests"]) {
    Check check;
    check.kind = has_label(test, "gtest") ? Check::Kind::google_test : Check::Kind::plain;
    check.name = "unit/" + test["name"].get<std::string>();
    check.timeout_seconds = number_of(test, "TIMEOUT", check.timeout_seconds);
    check.skip_status = static_cast<int>(number_of(test, "SKIP_RETURN_CODE", check.skip_status));
    if (test.contains("command")) check.command = test["command"].get<Words>();
    check.target = target_of(check, test["name"].get<std::string>(), build);
    checks.push_back(std::move(check));
  }
}

// A source that another program names in its build line says so in its first line.
bool is_part_of_another(const fs::path& source) {
  std::ifstream file(source);
  std::string line;
  return std::getline(file, line) && line.starts_with("// part of: ");
}

// A source says in a line of its own which options of `ew run` it needs.
Words options_of(const fs::path& source) {
  constexpr std::string_view mark = "// machine: ";
  std::ifstream file(source);
  Words options;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(mark)) continue;
    std::istringstream words(line.substr(mark.size()));
    for (std::string word; words >> word;) options.push_back(word);
  }
  return options;
}

void add_workloads(std::vector<Check>& checks, const fs::path& build, const fs::path& workloads) {
  if (!fs::is_directory(build / "workloads")) return;  // a build with sanitizers has none
  std::vector<fs::path> sources;
  for (const auto& entry : fs::recursive_directory_iterator(workloads)) {
    if (entry.path().extension() == ".cu" && !is_part_of_another(entry.path())) sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  for (const fs::path& source : sources) {
    Check check;
    const std::string name = fs::relative(source, workloads).replace_extension().string();
    check.kind = Check::Kind::workload;
    check.name = "workload/" + name;
    check.target = "workloads/" + name;
    check.command = {(build / check.target).string()};
    check.run_options = options_of(source);
    checks.push_back(std::move(check));
  }
}

// A source says in a line of its own that what it copies to the host depends on the order of its threads.
bool is_racing(const fs::path& source) {
  std::ifstream file(source);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("// copies: ")) return true;
  }
  return false;
}

Check timing_check(const Check& workload, const fs::path& workloads, std::string_view family, std::string_view machine,
                   std::string_view protocol) {
  Check check = workload;
  const std::string name = workload.name.substr(workload.name.find('/') + 1);
  check.kind = Check::Kind::timing;
  check.name = fmt::format("{}/{}", family, name);
  const Words machine_options{"-m", std::string(machine), "--set", fmt::format("coherence.protocol={}", protocol)};
  check.run_options.insert(check.run_options.begin(), machine_options.begin(), machine_options.end());
  if (keeps_written_lines(*coherence::find_model(protocol)))  // its pools have no persistency model
    check.run_options.insert(check.run_options.end(), {"--set", "persistency.model=none"});
  check.racing = is_racing(workloads / (name + ".cu"));
  check.timeout_seconds = 1200;
  return check;
}

// What the quick suite runs: every machine, every protocol, and programs that use the hierarchy in different ways.
constexpr std::array<std::array<std::string_view, 3>, 18> quick_timing_checks{{
    {"sbrp-pm-far", "gpu", "cuda/scan_lookback"},
    {"sbrp-pm-near", "mesi", "cuda/ticket_lock"},
    {"titan-rtx", "none-l1", "cuda/histogram"},
    {"tightly-coupled-15cu", "gpu", "cuda/spin_lock_block"},
    {"tightly-coupled-15cu", "mesi", "cuda/seqlock"},
    {"gtx-1080ti", "gpu", "cuda/reduce_last_block"},
    {"a100-80gb", "mesi", "cuda/matmul_tiled"},
    {"h100", "gpu", "cuda/streams_overlap"},
    {"sbrp-pm-far", "mesi", "cuda/managed_memory"},
    {"sbrp-pm-far", "none-l1", "cuda/mapped_memory"},
    {"titan-rtx", "gpu", "cuda/texture_2d"},
    {"sbrp-pm-far", "gpu", "cuda/graphs"},
    {"tightly-coupled-15cu", "none-l1", "cuda/memcpy_shapes"},
    {"h100", "mesi", "cuda/treiber_stack"},
    {"h100", "gpu", "cuda/tree_search_warp"},
    {"tightly-coupled-15cu", "denovo", "cuda/work_stealing"},
    {"sbrp-pm-far", "denovo", "cuda/texture_2d"},
    {"titan-rtx", "denovo", "cuda/stream_producer_consumer"},
}};

void add_timing_checks(std::vector<Check>& checks, const fs::path& workloads, const std::string& filter) {
  std::vector<Check> programs;
  for (const Check& check : checks)
    if (check.kind == Check::Kind::workload) programs.push_back(check);
  if (filter.find("timing_") == filter.npos) {
    for (const auto& [machine, protocol, name] : quick_timing_checks)
      for (const Check& program : programs) {
        if (program.name != fmt::format("workload/{}", name)) continue;
        checks.push_back(timing_check(program, workloads, "timing", machine, protocol));
        checks.back().twice = true;
      }
    return;
  }
  for (const std::string& machine : core::machine_names()) {
    if (machine == "default") continue;
    for (const coherence::Model& protocol : coherence::models())
      for (const Check& program : programs)
        checks.push_back(timing_check(program, workloads, fmt::format("timing_{}_{}", machine, protocol.name), machine,
                                      protocol.name));
  }
}

// Scripts of workloads that take long: only for a filter that names them.
void add_long_checks(std::vector<Check>& checks, const fs::path& workloads, const std::string& filter) {
  struct Long {
    std::string name, script, folder;
  };
  for (const auto& [name, script, folder] :
       {Long{"planted_bugs", "sbrp/check-bugs", "sbrp"}, Long{"planted_bugs", "sbrp/check-bugs", "persist"},
        Long{"planted_bugs", "sbrp/check-bugs", "gpm"}, Long{"random_crashes", "sbrp/check-crashes", ""},
        Long{"gpm_crashes", "gpm/check-crashes", ""}, Long{"helper_crashes", "helper/check-crashes", ""}}) {
    if (filter != name) continue;
    Check check;
    check.name = folder.empty() ? name : name + "/" + folder;
    check.command = {(workloads / script).string(), fs::read_symlink("/proc/self/exe").string()};
    if (!folder.empty()) check.command.push_back((workloads / folder).string());
    check.timeout_seconds = 4 * 3600;
    check.always_shown = true;
    checks.push_back(std::move(check));
  }
}

std::string verdict_of(const Outcome& outcome, double timeout) {
  if (outcome.timed_out) return fmt::format("did not end within {} s", timeout);
  if (outcome.signal) return fmt::format("ended by signal {}", outcome.signal);
  return fmt::format("status {}", outcome.status);
}

// Counts the tests of a GoogleTest binary from its own report; a binary that dies has one failure more than it says.
void count_tests(const fs::path& report, const Outcome& outcome, CheckResult& result) {
  std::ifstream file(report);
  const auto json = file ? nlohmann::json::parse(file, nullptr, false) : nlohmann::json();
  if (json.is_object()) {
    const unsigned failures = json.value("failures", 0u) + json.value("errors", 0u);
    const unsigned skipped = json.value("disabled", 0u);
    result.failed = failures;
    result.passed = json.value("tests", 0u) - failures - skipped;
  }
  if (outcome.status != 0 && result.failed == 0) result.failed = 1;
}

bool says_pass(const std::string& output) {
  // The last line of a workload: "PASS name …".
  std::string text = output;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1).starts_with("PASS");
}

}  // namespace

std::vector<Check> find_checks(const fs::path& build, const fs::path& workloads, const std::string& filter) {
  std::vector<Check> checks;
  add_unit_checks(checks, build);
  add_workloads(checks, build, workloads);
  add_timing_checks(checks, workloads, filter);
  add_long_checks(checks, workloads, filter);
  return checks;
}

namespace {

struct MachineRun {
  Outcome outcome;
  nlohmann::json statistics;
};

MachineRun run_on_machine(const Check& check, const Words& more, const fs::path& folder) {
  const fs::path file = folder / "statistics.json";
  fs::remove(file);
  Words words{fs::read_symlink("/proc/self/exe").string(), "run"};
  words.insert(words.end(), check.run_options.begin(), check.run_options.end());
  words.insert(words.end(), {"--digest", "--stats", file.string()});
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), check.command.begin(), check.command.end());
  MachineRun result;
  result.outcome = run(words, {.capture = Capture::both,
                               .directory = folder.string(),
                               .timeout_seconds = check.timeout_seconds,
                               .no_input = true});
  if (std::ifstream statistics(file); statistics) result.statistics = nlohmann::json::parse(statistics, nullptr, false);
  return result;
}

std::string text_at(const nlohmann::json& json, const char* name) {
  return json.is_object() ? json.value(name, "none") : "none";
}

/// Functional mode first, then timing, once or twice. What differs is the failure.
CheckResult run_timing_check(const Check& check) {
  const Scratch scratch;
  const auto begin = std::chrono::steady_clock::now();
  const MachineRun functional = run_on_machine(check, {"--functional"}, scratch.path());
  const MachineRun timing = run_on_machine(check, {"--timing"}, scratch.path());
  CheckResult result;
  const auto compare = [&](const MachineRun& a, const MachineRun& b, const char* name, std::string_view what) {
    const std::string left = text_at(a.statistics, name), right = text_at(b.statistics, name);
    if (left == right && left != "none") return;
    result.failed = 1;
    result.output += fmt::format("FAIL: {}: {} and {}\n", what, left, right);
  };
  for (const MachineRun* one : {&functional, &timing}) {
    if (one->outcome.status == 0 && says_pass(one->outcome.output)) continue;
    result.failed = 1;
    result.output += fmt::format("{}[{}, {}]\n", one->outcome.output, one == &timing ? "timing" : "functional",
                                 verdict_of(one->outcome, check.timeout_seconds));
  }
  if (!check.racing && !result.failed)
    compare(functional, timing, "copies_to_host_digest", "bytes copied to the host in functional mode and in timing");
  if (check.twice && !result.failed)
    compare(timing, run_on_machine(check, {"--timing"}, scratch.path()), "digest", "digests of two equal runs");
  result.passed = !result.failed;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace

CheckResult run_check(const Check& check, const std::string& filter) {
  CheckResult result;
  if (check.command.empty() || !find_program(check.command[0])) {
    result.failed = 1;
    result.output = check.command.empty() ? "nothing to run\n" : check.command[0] + ": there is no such program\n";
    return result;
  }
  if (check.kind == Check::Kind::timing) return run_timing_check(check);
  const Scratch scratch;
  const fs::path report = scratch.path() / "report.json";
  Words command = check.command;
  const bool google_test = check.kind == Check::Kind::google_test;
  if (google_test) {
    command.push_back("--gtest_output=json:" + report.string());
    command.push_back("--gtest_brief=1");
    if (!filter.empty() && check.name.find(filter) == check.name.npos)
      command.push_back("--gtest_filter=*" + filter + "*");
  }
  if (!check.run_options.empty()) {
    Words runs{fs::read_symlink("/proc/self/exe").string(), "run"};
    runs.insert(runs.end(), check.run_options.begin(), check.run_options.end());
    command.insert(command.begin(), runs.begin(), runs.end());
  }
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run(command, {.capture = Capture::both,
                                        .directory = scratch.path().string(),
                                        .timeout_seconds = check.timeout_seconds,
                                        .no_input = true});
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.skipped = outcome.status == check.skip_status;
  if (result.skipped) {
    result.output = outcome.output;
  } else if (google_test) {
    count_tests(report, outcome, result);
  } else {
    const bool pass = outcome.status == 0 && (check.kind != Check::Kind::workload || says_pass(outcome.output));
    result.passed = pass, result.failed = !pass;
  }
  if (check.always_shown) result.output = outcome.output;
  if (result.failed)
    result.output = fmt::format("{}[{}]\n", outcome.output, verdict_of(outcome, check.timeout_seconds));
  return result;
}

std::string short_report(const std::string& output, std::size_t lines) {
  std::vector<std::string> all, telling;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    all.push_back(line);
    for (std::string_view word : {"error", "FAIL", "Failure", "warning: "}) {
      if (line.find(word) == line.npos) continue;
      telling.push_back(line);
      break;
    }
  }
  // A short output is shown as it is, a long one by the lines that name a failure; its end when none does.
  const bool is_short = all.size() <= lines;
  std::vector<std::string>& chosen = is_short || telling.empty() ? all : telling;
  if (chosen.size() > lines) {
    if (&chosen == &all)
      chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(lines));
    else
      chosen.resize(lines);
  }
  std::string report;
  for (const std::string& line : chosen) report += fmt::format("    {}\n", line.substr(0, 240));
  return report;
}

}  // namespace ew::cli
