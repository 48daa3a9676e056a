// `ew run`: a program on a machine. The process becomes the program, so its status and signals are its own.
#include "process/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/order_check.hpp"
#include "cli/run_report.hpp"
#include "cli/run_settings.hpp"
#include "cli/statistics_csv.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "core/json_text.hpp"
#include "core/nearest.hpp"
#include "process/interrupt.hpp"
#include "process/scratch.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;
using core::UserError;

struct RunCommand {
  RunSettings settings;
  std::string check, html;
  bool json = false, csv = false;
  bool print_machine = false;
};

const char* const examples = R"(  ew run [OPTIONS] [--] PROGRAM [ARGUMENTS]

The program's own exit status is the status of `ew run`; 2 when it could not be started.

Examples:
  ew run ./app 1000                              on the default machine
  ew run --machine titan-rtx -- ./app -n 10      on another one; everything behind -- is the program's
  ew run --set sm.count=4 --set device.memory="1 GiB" ./app
  ew run --stats stats.json ./app                statistics to a file
  ew run -m titan-rtx --summary ./app             kernels, issue slots, energy, traffic
  ew run -m titan-rtx --html run.html ./app       the same as a page, with a roofline, stalls, latencies, bandwidth over time
  ew run -m titan-rtx --timeline t.json ./app    for Perfetto's viewer
  ew run --json ./app | jq .statistics           result as JSON; the program's output goes to standard error
  ew run -m titan-rtx --csv ./app > app.csv      a line a figure, of each kernel and in all
  ew run -m titan-rtx --clock simulated ./app    what the program times with std::chrono is simulated time
  ew run --max-instructions 100000000 ./app      end a kernel that never ends
  ew run --machine a100-80gb --print-machine     the resolved machine as TOML)";

[[noreturn]] void become(const Words& words, const RunSettings& settings) {
  for (const auto& [name, value] : settings.environment()) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  throw UserError(fmt::format("cannot start {}: {}", words[0], strerror(errno)));
}

int run_for_text(const Words& words, RunSettings settings, bool csv) {
  const Scratch scratch;
  const bool own_file = settings.statistics_file.empty();
  if (own_file) settings.statistics_file = (scratch.path() / "stats.json").string();
  // The program's standard output joins standard error: standard output holds the JSON alone.
  const int output = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  const Outcome outcome = run(words, {.environment = settings.environment(), .finishes = true});
  dup2(output, STDOUT_FILENO);
  close(output);
  nlohmann::ordered_json json{{"program", words[0]},         {"arguments", Words(words.begin() + 1, words.end())},
                              {"machine", settings.machine}, {"set", settings.settings},
                              {"seed", settings.seed},       {"status", outcome.status}};
  if (std::ifstream file(settings.statistics_file); file)
    json["statistics"] = nlohmann::ordered_json::parse(file, nullptr, false);
  fmt::print("{}", csv ? statistics_csv(json["statistics"]) : core::json_text(json) + "\n");
  end_as_child(outcome.signal);
  return outcome.status;
}

/// A file that cannot be written is said before the run, not after it.
void check_output_file(std::string_view option, const std::string& name) {
  if (name.empty()) return;
  const fs::path path = fs::absolute(name), folder = path.parent_path();
  if (fs::is_directory(path)) throw UserError(fmt::format("{} {}: is a folder, not a file", option, name));
  if (!fs::is_directory(folder))
    throw UserError(fmt::format("{} {}: there is no folder {}", option, name, folder.string()));
  if (access((fs::exists(path) ? path : folder).c_str(), W_OK) != 0)
    throw UserError(fmt::format("{} {}: may not be written", option, name));
}

/// These files tell of simulated time.
void check_observations(const RunSettings& settings, const std::string& html, const runtime::MachineConfig& config) {
  if (config.machine.timing()) return;
  const char* asked = !settings.timeline_file.empty() ? "--timeline"
                      : !settings.trace_file.empty()  ? "--trace"
                      : !html.empty()                 ? "--html"
                      : settings.clock == "simulated" ? "--clock simulated"
                                                      : nullptr;
  if (asked)
    throw UserError(
        fmt::format("{}: functional mode has no simulated time to show; use --timing, or a machine of mode timing "
                    "(-m titan-rtx)",
                    asked));
}

int call(const RunCommand& command, const CLI::App& verb) {
  Words words = program_words(verb);
  const runtime::MachineConfig config = command.settings.resolve();
  command.settings.tell_unused("run", config);
  if (command.print_machine) fmt::print("{}", runtime::to_toml(runtime::effective(config)));
  if (words.empty()) {
    if (command.print_machine) return clean;
    throw UserError("ew run needs a program: ew run ./app; `ew run --help` has examples");
  }
  words[0] = program_path(words[0]);
  check_output_file("--stats", command.settings.statistics_file);
  if (command.settings.statistics_file.ends_with(".csv"))
    fmt::print(stderr, "ew run: --stats writes JSON, into {}, too; --csv prints the statistics as CSV\n",
               command.settings.statistics_file);
  check_output_file("--timeline", command.settings.timeline_file);
  check_output_file("--trace", command.settings.trace_file);
  check_observations(command.settings, command.html, config);
  check_output_file("--html", command.html);
  if (!command.html.empty()) return run_with_page(words, command.settings, config, command.html);
  if (!command.check.empty()) return run_with_order_check(words, command.settings, config);
  if (command.json || command.csv) return run_for_text(words, command.settings, command.csv);
  std::fflush(stdout);
  become(words, command.settings);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* verb = app.add_subcommand("run", "Run a program on a simulated machine");
  verb->prefix_command();
  verb->footer(examples);
  command->settings.add_options(*verb);
  verb->add_option("--stats", command->settings.statistics_file, "Write the statistics as JSON")->type_name("FILE");
  verb->add_option("--timeline", command->settings.timeline_file,
                   "Timing: write a timeline that Perfetto's viewer (ui.perfetto.dev) opens: kernels, copies, blocks, "
                   "warps, caches, links")
      ->type_name("FILE");
  verb->add_option("--trace", command->settings.trace_file, "Timing: write every step of every access (core/trace.hpp)")
      ->type_name("FILE");
  verb->add_option(
          "--clock", command->settings.clock,
          "Timing: what the program's own clocks show (std::chrono, gettimeofday, clock()): the computer's time, "
          "or simulated time, in which host code takes none")
      ->type_name("host|simulated")
      ->check(CLI::IsMember({"host", "simulated"}));
  verb->add_flag("--digest", command->settings.digest,
                 "Timing: put a digest of the run into the statistics; equal runs have equal digests");
  verb->add_flag("--summary", command->settings.summary,
                 "Timing: print kernels, issue slots, energy and traffic on standard error at the end");
  verb->add_option("--html", command->html,
                   "Timing: write a page that works without a network: time, kernels, roofline, stalls, latencies, "
                   "bandwidth over time")
      ->type_name("FILE");
  verb->add_flag("--progress", command->settings.progress,
                 "Tell of the run once a second on standard error, also where that is no terminal");
  verb->add_option(
          "--check", command->check,
          "Timing: hold the order in which bytes became durable against the model's axioms (status 1: violated)")
      ->type_name("persist-order")
      ->check(CLI::IsMember({"persist-order"}));
  verb->add_flag("--per-unit", command->settings.per_unit,
                 "Timing: also figures of each SM and each slice of the L2, with --stats, --json or --csv");
  verb->add_flag("--csv", command->csv,
                 "Print the statistics as CSV on standard output: a line a figure, of each kernel and in all")
      ->excludes(verb->add_flag("--json", command->json, "Print status and statistics as JSON on standard output"));
  for (const char* other : {"--check", "--csv", "--json"})
    verb->get_option("--html")->excludes(verb->get_option(other));
  verb->add_flag("--print-machine", command->print_machine, "Print the resolved machine first");
  verb->callback([command, verb, &status] { status = call(*command, *verb); });
}

}  // namespace ew::cli
