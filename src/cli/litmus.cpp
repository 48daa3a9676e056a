// `ew litmus`: memory-model tests as text, judged by axioms and shown by machines. docs/litmus.md is the manual.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "check/litmus_parser.hpp"
#include "check/verdict.hpp"
#include "cli/run_settings.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "simt/functional_gpu.hpp"

namespace ew::cli {

namespace {

using core::UserError;

struct LitmusCommand {
  RunSettings settings;
  std::vector<std::string> files;
  std::string protocol, filter;
  unsigned long long seeds = 200;
  bool json = false, axioms_only = false, histogram = false;
};

const char* const manual =
    R"(The tests are text (docs/litmus.md): threads, where they run, and the final states that one may ask about.
For each question the table says what the axioms of PTX's memory model answer, what the author expects, and how
many of the runs on the machine ended so. A run that ends as the axioms forbid is a failure, with the command that
repeats it. Seed 0 disturbs nothing; --seed N --seeds 1 repeats the run of seed N.

Examples:
  ew litmus litmus/ptx.glt                           axioms, and 200 runs of each test on the default machine
  ew litmus litmus/ptx.glt --filter '^MP' --histogram
  ew litmus litmus/ptx.glt --axioms                  the axioms alone
  ew litmus a.glt b.glt --seeds 1000 --json)";

std::vector<check::Litmus> read(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw UserError(fmt::format("cannot read {}", name));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) throw UserError(fmt::format("cannot read {}", name));
  return check::parse_litmus(text, name);
}

check::RunPlan plan_of(const LitmusCommand& command) {
  const core::MachineConfig config = command.settings.resolve();
  if (!command.protocol.empty() && command.protocol != "functional")
    throw UserError(fmt::format("--protocol {}: the machine runs in functional mode, whose protocol is functional",
                                command.protocol));
  check::RunPlan plan;
  plan.protocol = "functional";
  plan.first_seed = command.settings.seed;
  plan.seeds = command.seeds;
  simt::GpuLimits limits;
  limits.sms = config.sm.count;
  plan.machine.make_gpu = [limits](memory::AddressSpace& space, simt::DeviceServices& services, u64) {
    return std::make_unique<simt::FunctionalGpu>(limits, space, services);
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
  return shell_line(words);
}

/// Judges every test and says what came out.
class LitmusReport {
 public:
  explicit LitmusReport(const LitmusCommand& command)
      : command_(command), table_({"test", "question", "axioms", "expected", ">seen", ""}) {}

  void add(const std::string& file, const check::Verdict& verdict) {
    ++tests_;
    runs_ += verdict.histogram.runs;
    weak_runs_ += verdict.weak_runs;
    if (!verdict.not_judged.empty()) {
      ++not_judged_;
      if (!command_.json)
        fmt::print(stderr, "ew litmus: {}:{}: {}: {}\n", file, verdict.line, verdict.test, verdict.not_judged);
    }
    for (const check::Answer& a : verdict.answers) {
      const std::string seen = !verdict.not_run.empty() || verdict.histogram.runs == 0 ? "-" : grouped(a.seen);
      const bool wrong = !a.agrees() || a.missing() || (a.seen && !a.allowed);
      table_.row({verdict.test, a.question, a.allowed ? "allowed" : "forbidden", a.expected ? "allowed" : "forbidden",
                  seen, wrong ? "FAIL" : "ok"});
      disagreements_ += !a.agrees();
      missing_ += a.missing();
      if (a.missing())
        problems_.push_back(
            fmt::format("FAIL {}: {} is not seen in {} runs", verdict.test, a.question, verdict.histogram.runs));
      if (!a.agrees())
        problems_.push_back(fmt::format("FAIL {}: {} is {} by the axioms", verdict.test, a.question,
                                        a.allowed ? "allowed" : "forbidden"));
    }
    for (const check::Forbidden& f : verdict.forbidden) {
      forbidden_ += f.runs;
      problems_.push_back(fmt::format("FAIL {}: {} is forbidden, and seen in {} of {} runs\n  again: {}", verdict.test,
                                      f.state, f.runs, verdict.histogram.runs,
                                      replay(command_, file, verdict.test, f.first_seed)));
    }
    if (verdict.histogram.unfinished)
      problems_.push_back(fmt::format("FAIL {}: {} of {} runs did not end\n  again: {}\n{}", verdict.test,
                                      verdict.histogram.unfinished, verdict.histogram.runs,
                                      replay(command_, file, verdict.test, verdict.histogram.unfinished_seed),
                                      verdict.histogram.unfinished_why));
    json_.push_back(to_json(file, verdict));
    failed_ |= verdict.failed();
    if (command_.histogram) note_histogram(verdict);
  }

  int print() {
    if (command_.json) {
      fmt::print("{}\n", json_.dump(2));
      return failed_ ? failed : clean;
    }
    if (table_.rows()) fmt::print("{}", table_.text());
    fmt::print("{}", histograms_);
    for (const std::string& problem : problems_) fmt::print("{}\n", problem);
    fmt::print("{} tests, {} questions, {} where the axioms disagree with the author", tests_, table_.rows(),
               disagreements_);
    if (runs_)
      fmt::print("; {} runs, {} forbidden, {} that no interleaving explains, {} to be shown and not seen",
                 grouped(runs_), forbidden_, grouped(weak_runs_), missing_);
    if (not_judged_) fmt::print("; {} tests not executed", not_judged_);
    fmt::print("\n");
    return failed_ ? failed : clean;
  }

 private:
  nlohmann::ordered_json to_json(const std::string& file, const check::Verdict& v) const {
    nlohmann::ordered_json json{{"file", file}, {"line", v.line}, {"test", v.test}, {"ok", !v.failed()}};
    if (!v.not_judged.empty()) json["not_executed"] = v.not_judged;
    if (!v.not_run.empty()) json["not_run"] = v.not_run;
    json["questions"] = nlohmann::ordered_json::array();
    for (const check::Answer& a : v.answers)
      json["questions"].push_back({{"question", a.question},
                                   {"axioms", a.allowed ? "allowed" : "forbidden"},
                                   {"expected", a.expected ? "allowed" : "forbidden"},
                                   {"must_be_shown", a.must_be_shown},
                                   {"seen", a.seen}});
    json["allowed_states"] = v.allowed_states;
    json["runs"] = v.histogram.runs;
    json["weak_runs"] = v.weak_runs;
    json["unfinished"] = v.histogram.unfinished;
    json["states"] = nlohmann::ordered_json::array();
    for (const auto& [state, count] : v.histogram.states)
      json["states"].push_back(
          {{"state", v.program.text_of(state)}, {"runs", count.runs}, {"first_seed", count.first_seed}});
    json["forbidden"] = nlohmann::ordered_json::array();
    for (const check::Forbidden& f : v.forbidden)
      json["forbidden"].push_back({{"state", f.state},
                                   {"runs", f.runs},
                                   {"first_seed", f.first_seed},
                                   {"again", replay(command_, file, v.test, f.first_seed)}});
    return json;
  }

  void note_histogram(const check::Verdict& v) {
    if (v.histogram.states.empty()) return;
    histograms_ += fmt::format("{}\n", v.test);
    for (const auto& [state, count] : v.histogram.states)
      histograms_ += fmt::format("  {:>8}  {}  (first: seed {})\n", grouped(count.runs), v.program.text_of(state),
                                 count.first_seed);
  }

  const LitmusCommand& command_;
  Table table_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
  std::vector<std::string> problems_;
  std::string histograms_;
  u64 tests_ = 0, runs_ = 0, weak_runs_ = 0, forbidden_ = 0, disagreements_ = 0, missing_ = 0, not_judged_ = 0;
  bool failed_ = false;
};

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
  LitmusReport report(command);
  bool any = false;
  for (const auto& [file, tests] : files)
    for (const check::Litmus& test : tests) {
      if (!command.filter.empty() && !std::regex_search(test.name, filter)) continue;
      report.add(file, check::judge(test, file, plan));
      any = true;
    }
  if (!any)
    throw UserError(command.filter.empty() ? "there is no test in these files" : "no test's name matches --filter");
  return report.print();
}

}  // namespace

void add_litmus(CLI::App& app, int& status) {
  auto command = std::make_shared<LitmusCommand>();
  CLI::App* verb = app.add_subcommand("litmus", "Judge memory-model tests: axioms, and runs on a machine");
  verb->footer(manual);
  verb->add_option("files", command->files, "Tests (.glt)")->type_name("FILE");
  verb->add_option("--protocol", command->protocol, "Coherence protocol of the machine")->type_name("NAME");
  verb->add_option("--seeds", command->seeds, "Runs of each test")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(0));
  verb->add_option("--filter", command->filter, "Tests whose names match")->type_name("RE");
  verb->add_flag("--axioms", command->axioms_only, "No machine");
  verb->add_flag("--histogram", command->histogram, "Print every final state seen");
  verb->add_flag("--json", command->json, "As JSON");
  command->settings.add_options(*verb);
  verb->callback([command, &status] { status = call(*command); });
}

}  // namespace ew::cli
