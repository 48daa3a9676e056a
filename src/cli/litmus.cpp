// `ew litmus`: memory-model tests as text, judged by axioms and shown by machines. docs/litmus.md is the manual.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "check/litmus_parser.hpp"
#include "check/verdict.hpp"
#include "cli/litmus_report.hpp"
#include "cli/run_settings.hpp"
#include "cli/verb.hpp"
#include "coherence/models.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/nearest.hpp"
#include "persistency/models.hpp"
#include "runtime/gpu_limits.hpp"
#include "runtime/timing_machine.hpp"
#include "simt/functional_gpu.hpp"

namespace ew::cli {

using namespace process;

namespace {

using core::UserError;

struct LitmusCommand {
  RunSettings settings;
  std::vector<std::string> files;
  std::string protocol, persistency, filter;
  unsigned long long seeds = 200;
  bool json = false, axioms_only = false, histogram = false, witness = false;
};

const char* const litmus_manual =
    R"(The tests are text (docs/litmus.md): threads, where they run, and the final states that one may ask about.
For each question the table says what the axioms of a consistency model answer (ew explain models), what the author
expects, and how many of the runs on the machine ended so. The machine is held to the axioms of its own model
(consistency.model). A run that ends as they forbid is a failure, with the command that repeats it. Seed 0 disturbs
nothing; --seed N --seeds 1 repeats the run of seed N.
A test of kind pm asks what a crash may leave; the table has a column for each persistency model (ew explain models),
A: allowed, F: forbidden. "class" says what an image that sbrp allows would be the sign of, "readings" which open
questions of SBRP's text would change sbrp's answer.

Examples:
  ew litmus litmus/ptx.glt                           axioms, and 200 runs of each test on the default machine
  ew litmus litmus/ptx.glt --filter '^MP' --histogram
  ew litmus litmus/ptx.glt --axioms                  the axioms alone
  ew litmus litmus/ptx.glt --protocol gpu            on a timing machine with this coherence protocol
  ew litmus litmus/consistency.glt --protocol gpu-hrf --set consistency.model=hrf-direct
                                                     under another consistency model
  ew litmus litmus/pm.glt                            what a crash may leave, under every persistency model
  ew litmus litmus/pm.glt --filter P07 --witness     and why
  ew litmus litmus/pm.glt --machine sbrp-pm-near --persistency sbrp --seeds 50
                                                     and what crashes of a machine leave
  ew litmus a.glt b.glt --seeds 1000 --json)";

std::vector<check::Litmus> read(const std::string& name) {
  if (std::filesystem::is_directory(name)) throw UserError(fmt::format("cannot read {}: it is a folder", name));
  const core::FileText file = core::read_file(name);
  if (!file.why.empty()) throw UserError(fmt::format("cannot read {}: {}", name, file.why));
  return check::parse_litmus(file.text, name);
}

// Cycles of jitter on the network's messages, where the machine file says nothing: about an L2 hit's latency, so that
// messages of two threads overtake each other.
constexpr u32 usual_jitter = 64;

/// --protocol asks for a timing machine; so does a machine file or --set machine.mode=timing.
runtime::MachineConfig machine_of(const LitmusCommand& command) {
  runtime::MachineConfig config = command.settings.resolve();
  if (command.protocol == "functional") {
    config.machine.mode = "functional";
  } else if (!command.protocol.empty()) {
    std::vector<std::string_view> names{"functional"};
    for (const auto& model : coherence::models()) names.push_back(model.name);
    if (!coherence::find_model(command.protocol))
      throw UserError(fmt::format("--protocol {}: there is {}{}", command.protocol, fmt::join(names, ", "),
                                  core::did_you_mean(command.protocol, names)));
    config.machine.mode = "timing";
    config.coherence.protocol = command.protocol;
  }
  if (!command.persistency.empty()) {
    if (!persistency::find_model(command.persistency))
      throw UserError(fmt::format("--persistency {}: there is {}{}", command.persistency,
                                  fmt::join(persistency::names(), ", "),
                                  core::did_you_mean(command.persistency, persistency::names())));
    config.machine.mode = "timing";
    config.persistency.model = command.persistency;
    if (const std::string why = runtime::why_no_pools(config); !why.empty()) throw UserError(why);
  }
  if (config.network.jitter == 0) config.network.jitter = usual_jitter;
  command.settings.tell_unused("litmus", config);
  return config;
}

/// Fences end in a cache of the host that a crash empties.
bool volatile_cache(const runtime::MachineConfig& config) {
  return !config.nvm.near() && config.nvm.ddio && !config.nvm.eadr;
}

/// The column whose axioms the machine must keep.
std::string column_of(const runtime::MachineConfig& config) {
  const persistency::Model& model = *persistency::find_model(config.persistency.model);
  return std::string((volatile_cache(config) ? persistency::unordered_axioms : model.promises()).name);
}

/// Of a machine on which a model promises nothing, though it does so on others.
void warn_of_no_promise(const runtime::MachineConfig& config, const std::string& name) {
  const persistency::Model& model = *persistency::find_model(name);
  if (!volatile_cache(config) || &model.promises() == &persistency::unordered_axioms) return;
  fmt::print(stderr,
             "ew litmus: this machine leaves DDIO on without eADR, so {} orders nothing on it; -m sbrp-pm-near names a "
             "machine on which it does\n",
             name);
}

check::RunPlan plan_of(const LitmusCommand& command) {
  const runtime::MachineConfig config = machine_of(command);
  check::RunPlan plan;
  plan.protocol = config.machine.timing() ? config.coherence.protocol : "functional";
  if (config.machine.timing()) plan.consistency = config.consistency.model;
  if (!command.persistency.empty()) {
    warn_of_no_promise(config, command.persistency);
    plan.persistency_column = column_of(config);
  }
  plan.first_seed = command.settings.seed;
  plan.seeds = command.seeds;
  if (command.settings.max_instructions) plan.machine.instruction_limit = command.settings.max_instructions;
  plan.machine.make = [config, results = std::make_shared<runtime::RunResults>()](
                          memory::AddressSpace& space, simt::DeviceServices& services, u64 seed,
                          memory::DurableImage& durable) -> std::unique_ptr<runtime::Simulator> {
    const simt::GpuLimits limits = runtime::gpu_limits(config);
    if (!config.machine.timing())
      return std::make_unique<runtime::FunctionalSimulator>(
          std::make_unique<simt::FunctionalGpu>(limits, space, services));
    runtime::MachineConfig quiet = config;
    if (seed == 0) quiet.network.jitter = 0;
    return std::make_unique<runtime::TimingMachine>(quiet, limits, seed, space, services, *results,
                                                    runtime::TimingMachine::Observation{}, &durable);
  };
  return plan;
}

std::string replay(const LitmusCommand& command, const std::string& file, const std::string& test, u64 seed) {
  std::string pattern;
  for (const char c : test) {
    if (std::string_view("+.*?()[]{}^$|\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  Words words{"ew", "litmus", file, "--filter", fmt::format("^{}$", pattern), "--seeds", "1", "--histogram"};
  RunSettings settings = command.settings;
  settings.seed = seed;
  for (const std::string& word : settings.as_options()) words.push_back(word);
  if (!command.protocol.empty()) words.insert(words.end(), {"--protocol", command.protocol});
  if (!command.persistency.empty()) words.insert(words.end(), {"--persistency", command.persistency});
  return shell_line(words);
}

int call(const LitmusCommand& command) {
  if (command.files.empty())
    throw UserError("ew litmus needs a file: ew litmus litmus/ptx.glt; `ew litmus --help` has examples");
  std::regex filter;
  try {
    filter = std::regex(command.filter);
  } catch (const std::regex_error&) {
    throw UserError(fmt::format("--filter {} is no regular expression", command.filter));
  }
  std::vector<std::pair<std::string, std::vector<check::Litmus>>> files;
  for (const std::string& file : command.files) files.emplace_back(file, read(file));
  std::optional<check::RunPlan> plan;
  if (!command.axioms_only && command.seeds) plan = plan_of(command);
  LitmusReport report(
      [&](const std::string& file, const std::string& test, u64 seed) { return replay(command, file, test, seed); },
      command.histogram, command.witness);
  std::vector<std::pair<const std::string*, const check::Litmus*>> chosen;
  for (const auto& [file, tests] : files)
    for (const check::Litmus& test : tests)
      if (command.filter.empty() || std::regex_search(test.name, filter)) chosen.emplace_back(&file, &test);
  if (chosen.empty())
    throw UserError(command.filter.empty() ? "there is no test in these files" : "no test's name matches --filter");
  const bool terminal = isatty(STDERR_FILENO);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (terminal) fmt::print(stderr, "\r\033[Kew litmus: {} of {} tests, {}", i, chosen.size(), chosen[i].second->name);
    report.add(*chosen[i].first, check::judge(*chosen[i].second, *chosen[i].first, plan));
  }
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (!report.any_judged()) throw UserError(report.not_judged());
  if (!report.not_judged().empty()) fmt::print(stderr, "ew litmus: {}\n", report.not_judged());
  fmt::print("{}", command.json ? core::json_text(report.json()) + "\n" : report.text());
  return report.failed() ? failed : clean;
}

}  // namespace

void add_litmus(CLI::App& app, int& status) {
  auto command = std::make_shared<LitmusCommand>();
  CLI::App* verb = app.add_subcommand("litmus", "Judge memory-model tests: axioms, and runs on a machine");
  verb->footer(litmus_manual);
  verb->add_option("files", command->files, "Tests (.glt)")->type_name("FILE");
  verb->add_option("--protocol", command->protocol, "Coherence protocol of the machine")->type_name("NAME");
  verb->add_option(
          "--persistency", command->persistency,
          "Run persistency tests too, on a timing machine with this model, and look at every crash of each run")
      ->type_name("NAME");
  verb->add_option("--seeds", command->seeds, "Runs of each test")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(0));
  verb->add_option("--filter", command->filter, "Tests whose names match")->type_name("RE");
  verb->add_flag("--axioms", command->axioms_only, "No machine");
  verb->add_flag("--histogram", command->histogram, "Print every final state seen");
  verb->add_flag("--witness", command->witness,
                 "Persistency: print for every answer the crash that shows it, or the order that forbids it");
  verb->add_flag("--json", command->json, "As JSON");
  command->settings.add_options(*verb);
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
