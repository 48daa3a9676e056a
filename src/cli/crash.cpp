// `ew crash`: ends a program anywhere, starts it again to recover, and judges what came back.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "check/crash/points.hpp"
#include "cli/crash_parts.hpp"
#include "cli/crash_report.hpp"
#include "cli/run_settings.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "core/nearest.hpp"
#include "persistency/models.hpp"

namespace ew::cli {

using namespace process;

namespace {

using core::UserError;

struct CrashCommand {
  check::CrashPlan plan;
  RunSettings settings;
  std::vector<std::string> at;
  std::string recover, keep;
  std::size_t count = 0;  // 0: not given
  std::string states, model, state;
  std::size_t cold = 100;
  bool fresh = false;
  BatchSettings batch;
  bool json = false;
};

const char* const crash_manual =
    R"(How it works: the program runs once to its end, and its warp instructions are counted. Then, for each
crash point, it runs again and is killed (SIGKILL) right after that instruction; what its pool files hold is
what had become durable. The recovery command then starts in the same folder: status 0 means recovered.

On a timing machine (--machine sbrp-pm-far, or --timing) one run logs what became durable and when. The image of any
moment is rebuilt from it and recovered, and --cold moments are real: the process is killed there, its pool file is
compared with the rebuilt one, and a process started anew recovers it.

With --states model the program runs once, to its end, and what it did to persistent memory is recorded. Then the
states are recovered that a persistency model allows a crash to leave, whatever the timing: all of them when they are
few, else about --count of them, chosen so that persists stand in every order that is allowed. A failure is reported
with the order that is missing, and why: a fence or acquire (missing order), a scope that is too narrow (scoped
persistency bug), a part of what one instruction stores (torn store), or a state that the run itself passes through
(recovery bug). Functional mode; the models are listed with --model (sbrp-sys: sbrp with scopes widened; gpm-ddio, none:
no order at all).

With --nested 2 the recovery is crashed as well, wherever it has changed a pool (in --nested-points states of each, spread
over it, when they are more), and a second recovery must succeed: for --at in functional mode behind its stores, on a
timing machine behind its durable writes, with --states model in states that the model lets it leave.

A machine may have NVMe drives (--set storage.drives=1 --set storage.image=drive{}.img --set storage.size=4MiB). Then every
trial kills the process: in functional mode behind a warp instruction; in timing mode in a cycle (--at random, cycle N, ns
N), or behind an instruction, too. What the images hold is durable; of a volatile write cache some blocks are as well, by
chance (storage.crash_keeps_some). --nested 2 kills the recovery behind some of its warp instructions. --states model
recovers what NVMe lets a crash leave: blocks are durable behind a forced write or a Flush, each other unit may be or not.

What the program has told to be durable (gpm_acknowledge of everwarp/gpm.cuh) is kept outside of its pools, and the
recovery asks for it (gpm_acknowledged): what was acknowledged and is missing is a failure of the recovery's check.

With --out FOLDER a campaign keeps the results of its parts there, and --resume goes on where it was ended. With --slurm
the parts are tasks of a job array; each records the run for itself, and the report is the same.

Behind the program's first run, which is not killed, the recovery must open one of the program's pools. If it opens none
(a wrong file name?), the campaign is refused.

Every trial has a folder of its own and starts there, so name pool files by a relative path, or write {} for
the folder. Files that the program's words name are copied there first.

Status: 0 all recovered, 1 some did not (FAIL, with the command to do it again), 2 a mistake in the command.

Examples:
  ew crash --states model --recover './kvs recover pool' -- ./kvs insert pool
  ew crash --states model --model epoch --count 5000 --recover './kvs recover pool' -- ./kvs insert pool
  ew crash --at random --count 50 --recover './kvs recover pool' -- ./kvs insert pool
  ew crash --at instruction 12345 --recover './kvs recover pool' -- ./kvs insert pool
  ew crash --at random --count 5000 --slurm --slices 20 --recover './kvs recover pool' -- ./kvs insert pool
  ew crash --at random --count 1000 --seed 7 --json --recover './kvs recover {}/pool' -- ./kvs insert {}/pool)";

unsigned long long number(const std::string& word, std::string_view what) {
  unsigned long long value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value == 0)
    throw UserError(fmt::format("{} should be a whole number from 1, but is \"{}\"", what, word));
  return value;
}

Words split_words(const std::string& text) {
  Words words;
  std::string word;
  char quote = 0;
  bool any = false;
  for (char c : text) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, any = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (any) words.push_back(word);
      word.clear(), any = false;
    } else {
      word += c, any = true;
    }
  }
  if (any) words.push_back(word);
  return words;
}

unsigned jobs_of(const CrashCommand& command) {
  return command.batch.jobs ? command.batch.jobs : std::min(2u, std::max(1u, std::thread::hardware_concurrency()));
}

/// The command that brings one failure back. `nested`: where the recovery was crashed; empty: it was not.
std::string replay(const CrashCommand& command, const Words& options, const std::string& nested, const Words& where,
                   const Words& program) {
  Words words{"ew", "crash"};
  words.insert(words.end(), options.begin(), options.end());
  if (!nested.empty()) words.insert(words.end(), {"--nested", "2", "--nested-at", nested});
  if (command.plan.timeout_seconds != check::CrashPlan{}.timeout_seconds)
    words.insert(words.end(), {"--timeout", fmt::format("{}", command.plan.timeout_seconds)});
  words.insert(words.end(), where.begin(), where.end());
  words.insert(words.end(), {"--recover", command.recover, "--"});
  words.insert(words.end(), program.begin(), program.end());
  return shell_line(words);
}

std::string number_or_none(u64 number) {
  return number ? std::to_string(number) : "";
}

void show_progress(std::size_t finished, std::size_t failures, std::size_t total, std::string_view what = "crashes") {
  const bool terminal = isatty(STDERR_FILENO);
  if (!terminal && finished != total && finished % (total < 500 ? 50 : 500) != 0) return;
  if (terminal && finished != total && total > 1000 && finished % 16 != 0) return;
  fmt::print(stderr, "{}{} of {} {}, {} failed{}", terminal ? "\r" : "", finished, total, what, failures,
             terminal && finished != total ? "" : "\n");
  std::fflush(stderr);
}

/// `khz`: of the cycles, if moments are cycles; else 0.
std::vector<unsigned long long> crash_points(const CrashCommand& command, unsigned long long total, u64 khz) {
  if (command.at[0] == "random") return check::random_points(total, command.count, command.settings.seed);
  const unsigned long long value = number(command.at[1], "--at " + command.at[0]);
  const unsigned long long point = command.at[0] == "ns" ? (value * khz + 999'999) / 1'000'000 : value;
  if (khz && point > total)
    throw UserError(fmt::format("--at {} {}: the run's last cycle is {}", command.at[0], value, total));
  if (point > total)
    throw UserError(fmt::format("--at instruction {}: the program ran only {} warp instructions", point, total));
  return {point};
}

void check(const CrashCommand& command, const Words& words) {
  static constexpr std::string_view kinds[] = {"random", "instruction", "cycle", "ns", "persist"};
  if (command.at.empty())
    throw UserError(
        "ew crash needs to know where: --at instruction N, --at random --count N, or --states model for the states "
        "that "
        "a persistency model allows");
  if (std::find(std::begin(kinds), std::end(kinds), command.at[0]) == std::end(kinds))
    throw UserError(fmt::format(
        "--at should be \"instruction N\", \"cycle N\", \"ns N\", \"persist N\" or \"random\", but is \"{}\"{}",
        command.at[0], core::did_you_mean(command.at[0], kinds)));
  if ((command.at[0] == "random") != (command.at.size() == 1))
    throw UserError(
        "--at should be \"instruction N\", \"cycle N\", \"ns N\", \"persist N\" or \"random\" (how many: --count N)");
  if (command.recover.empty()) throw UserError("ew crash needs the recovery command: --recover './app recover pool'");
  if (words.empty()) throw UserError("ew crash needs a program behind --: ew crash … -- ./app pool");
}

/// What --model may be: a row of axioms that recorded runs can be told under, or a model of machines, which stands for
/// the row that it promises.
std::vector<std::string_view> crash_model_names() {
  std::vector<std::string_view> all;
  for (const check::PersistAxioms* axioms : persistency::all_axioms())
    if (axioms->litmus && axioms->recorded) all.push_back(axioms->name);
  for (const persistency::Model& model : persistency::models())
    if (std::ranges::find(all, model.name) == all.end()) all.push_back(model.name);
  return all;
}

const check::PersistAxioms& crash_model(const std::string& name) {
  const std::vector<std::string_view> names = crash_model_names();
  if (std::ranges::find(names, name) == names.end())
    throw UserError(fmt::format("--model should be one of {}, but is \"{}\"{}", fmt::join(names, ", "), name,
                                core::did_you_mean(name, names)));
  const check::PersistAxioms* const axioms = persistency::find_axioms(name);
  return axioms ? *axioms : persistency::find_model(name)->promises();
}

/// The states in which a crash may leave drives, of one recorded run.
int call_drives(const CrashCommand& command, const RunSettings& functional, const Words& words) {
  const runtime::MachineConfig config = functional.resolve();
  check::DriveCampaign campaign(command.plan, config.storage, command.count ? command.count : 1000);
  const check::DriveReport report =
      campaign.run(command.state, jobs_of(command),
                   [](u64 finished, u64 failures, u64 total) { show_progress(finished, failures, total, "states"); });
  const bool good = print_report(report, command.json, [&](const check::DriveFailure& failure) {
    Words where{"--states", "model", "--state", failure.state};
    if (!failure.nested.empty())
      where.insert(where.end(), {"--nested-points", std::to_string(command.plan.nested_points)});
    return replay(command, command.settings.as_options(), failure.nested, where, words);
  });
  return good ? clean : failed;
}

/// The states that a model allows, of one recorded run.
int call_model(CrashCommand& command, const Words& words) {
  check::CrashPlan& plan = command.plan;
  RunSettings functional = command.settings;
  functional.settings.push_back("machine.mode=functional");
  plan.environment = functional.environment();
  if (plan.drives) return call_drives(command, functional, words);
  const check::ModelPlan model{
      .axioms = &crash_model(command.model.empty() ? std::string(persistency::sbrp_axioms.name) : command.model),
      .budget = command.count ? command.count : 1000,
      .state = command.state,
      .cold = command.cold,
      .warm = !command.fresh && command.state.empty(),
      .jobs = jobs_of(command),
      .chosen = !command.model.empty()};
  check::ModelCampaign campaign(plan, model);
  const auto progress = [](u64 finished, u64 failures, u64 total) {
    show_progress(finished, failures, total, "states");
  };
  check::ModelReport report;
  bool complete = true;
  if (command.batch.asked()) {
    const auto begin = std::chrono::steady_clock::now();
    CrashParts parts(command.batch, plan, functional,
                     fmt::format("model {} {} {}", model.axioms->name, model.budget, model.warm), model.jobs,
                     !campaign.shares_pools());
    const auto states = campaign.states();
    const check::TriedStates tried = parts.states(states, campaign);
    if (parts.is_slice()) return clean;
    complete = parts.complete();
    report = campaign.report(states, tried, seconds_since(begin));
  } else {
    report = campaign.run(progress);
  }
  const bool good = print_report(report, command.json, [&](const check::ModelFailure& failure) {
    Words where{"--states", "model", "--model", std::string(model.axioms->name), "--state", failure.state};
    if (command.count) where.insert(where.end(), {"--count", std::to_string(command.count)});
    if (!failure.nested.empty()) where.insert(where.end(), {"--nested-points", std::to_string(plan.nested_points)});
    return replay(command, command.settings.as_options(), failure.nested, where, words);
  });
  return good && complete ? clean : failed;
}

/// --machine names one with a persistency model, and the states are another model's.
void say_whose_states(const CrashCommand& command, const runtime::MachineConfig& config) {
  const std::string& machines = config.persistency.model;
  const std::string_view states = persistency::sbrp_axioms.name;
  if (!command.model.empty() || config.storage.drives || machines == states || command.settings.machine == "default")
    return;
  fmt::print(stderr,
             "ew crash: these are the states of {}, and the machine has persistency.model = {}: --model {} tries its "
             "states\n",
             states, machines, machines);
}

void check_model(const CrashCommand& command, const Words& words) {
  if (command.states != "model")
    throw UserError(fmt::format("--states should be \"model\", but is \"{}\"", command.states));
  if (!command.at.empty())
    throw UserError("--at and --states exclude each other: a point of time, or a model's states");
  if (command.recover.empty()) throw UserError("ew crash needs the recovery command: --recover './app recover pool'");
  if (words.empty()) throw UserError("ew crash needs a program behind --: ew crash … -- ./app pool");
}

std::vector<check::CrashMoment> crash_moments(const CrashCommand& command, const runtime::MachineConfig& config,
                                              const check::TimedCampaign& campaign) {
  const auto within = [&](u64 value, u64 last, std::string_view what) {
    if (value > last)
      throw UserError(fmt::format("--at {} {}: the run's last durable write is {}", command.at[0], value, what));
    return value;
  };
  if (command.at[0] == "random") return campaign.random_moments(command.count, command.settings.seed);
  const u64 value = number(command.at[1], "--at " + command.at[0]);
  if (command.at[0] == "persist")
    return {{true, within(value, campaign.last_write(), fmt::format("number {}", campaign.last_write()))}};
  const u64 khz = config.device.clock.count;
  const u64 cycle = command.at[0] == "cycle" ? value : (value * khz + 999'999) / 1'000'000;
  within(cycle, campaign.last_cycle() + 1, fmt::format("in cycle {}", campaign.last_cycle()));
  return {{false, cycle}};
}

/// Moments of simulated time, on a timing machine.
int call_timed(CrashCommand& command, const Words& words, const runtime::MachineConfig& config) {
  check::CrashPlan& plan = command.plan;
  const auto begin = std::chrono::steady_clock::now();
  check::TimedCampaign campaign(plan);
  fmt::print(stderr, "{}", campaign.messages());
  const auto moments = crash_moments(command, config, campaign);
  const unsigned jobs = jobs_of(command);
  const std::vector<bool> kills = check::spread_kills(moments.size(), command.cold);
  TimedReport report{.last_cycle = campaign.last_cycle(), .last_write = campaign.last_write(), .trials = {}};
  std::set<u64> nested;
  bool complete = true;
  if (command.batch.asked()) {
    CrashParts parts(command.batch, plan, command.settings, "moments", jobs, !campaign.shares_pools());
    report.trials = parts.trials(moments, kills, campaign, nested);
    if (parts.is_slice()) return clean;
    complete = parts.complete();
  } else {
    report.trials = campaign.run(
        moments, kills, jobs, [](u64 finished, u64 failures, u64 total) { show_progress(finished, failures, total); });
    nested = campaign.nested_images();
  }
  report.distinct = check::count_once(report.trials);
  report.nested_distinct = nested.size();
  report.seconds = seconds_since(begin);
  const auto again = [&](const check::TimedTrial& trial) {
    return replay(command, command.settings.as_options(), number_or_none(trial.nested_at),
                  {"--at", trial.moment.persist ? "persist" : "cycle", std::to_string(trial.moment.number)}, words);
  };
  return print_report(report, command.json, again) && complete ? clean : failed;
}

/// What a crash of drives needs: images, in which they outlive the process, and a moment at which it is really killed.
void check_drives(const CrashCommand& command, const runtime::MachineConfig& config) {
  for (u32 number = 0; number < config.storage.drives; ++number)
    if (config.storage.drive(number).image.empty())
      throw UserError(
          fmt::format("drive {} has no image, so a crash would leave nothing of it: --set storage.image=drive{{}}.img "
                      "(in each trial's "
                      "folder), and a small storage.size",
                      number));
  if (!command.states.empty()) {
    if (!command.model.empty())
      throw UserError(
          fmt::format("--model {}: a persistency model says nothing of drives: leave it out, and what NVMe promises "
                      "is taken",
                      command.model));
    if (command.batch.asked()) throw UserError("--out, --resume and --slurm do not take the states of drives");
    return;
  }
  if (command.at[0] == "persist")
    throw UserError("--at persist: that counts durable writes of pools; a machine with drives takes --at cycle N");
  if (!config.machine.timing() && (command.at[0] == "cycle" || command.at[0] == "ns"))
    throw UserError(
        fmt::format("--at {} needs a machine with simulated time: --machine titan-rtx, or --timing", command.at[0]));
}

int call(CrashCommand& command, const Words& words) {
  if (!command.states.empty())
    check_model(command, words);
  else if (!command.model.empty() || !command.state.empty())
    throw UserError("--model and --state belong to --states model");
  else
    check(command, words);
  check::CrashPlan& plan = command.plan;
  if (!plan.nested_at.empty() && plan.nested < 2) throw UserError("--nested-at belongs to --nested 2");
  const runtime::MachineConfig config = command.settings.resolve();
  command.settings.tell_unused("crash", config);
  if (config.storage.drives) check_drives(command, config);
  plan.drives = config.storage.drives > 0;
  plan.cycles = plan.drives && config.machine.timing() && command.at[0] != "instruction";
  plan.environment = command.settings.environment();
  plan.seed = command.settings.seed;
  plan.program = words;
  plan.program[0] = program_path(words[0]);
  plan.recovery = split_words(command.recover);
  if (plan.recovery.empty()) throw UserError("--recover is empty");
  plan.recovery[0] = program_path(plan.recovery[0]);
  plan.keep = command.keep;
  if (!command.states.empty()) {
    say_whose_states(command, config);
    return call_model(command, words);
  }
  if (command.count == 0) command.count = 20;
  if (config.machine.timing() && command.at[0] != "instruction" && !plan.drives)
    return call_timed(command, words, config);
  if (command.at[0] != "instruction" && command.at[0] != "random" && !plan.cycles)
    throw UserError(
        fmt::format("--at {} needs a machine with simulated time: --machine sbrp-pm-far, or --timing", command.at[0]));
  const check::CleanRun run = check::run_once(plan);
  const auto points = crash_points(command, run.moments, plan.cycles ? config.device.clock.count : 0);
  unsigned jobs = jobs_of(command);
  if (!run.own_files && plan.nested > 1)
    throw UserError("--nested 2 needs the pool in the trial's folder: name it by a relative path, or with {}");
  if (!run.own_files && jobs > 1) {
    fmt::print(
        stderr,
        "ew crash: the program has a pool outside of its folder, or wrote nothing in it. So trials run one after "
        "another, and find what the one before has left. A relative path or {{}} gives each trial a pool of its "
        "own\n");
    jobs = 1;
  }
  bool complete = true;
  std::vector<check::Trial> trials;
  if (command.batch.asked()) {
    CrashParts parts(command.batch, plan, command.settings, plan.cycles ? "cycles" : "instructions", jobs,
                     run.own_files);
    trials = parts.trials(points, [&](const auto& some) { return check::run_trials(plan, some, jobs, {}); });
    if (parts.is_slice()) return clean;
    complete = parts.complete();
  } else {
    trials = check::run_trials(plan, points, jobs, [&](std::size_t finished, std::size_t failures) {
      show_progress(finished, failures, points.size());
    });
  }
  const auto again = [&](const check::Trial& trial) {
    return replay(command, command.settings.as_options(), number_or_none(trial.nested_at),
                  {"--at", plan.cycles ? "cycle" : "instruction", std::to_string(trial.moment)}, words);
  };
  return print_report(trials, plan, run.moments, command.json, again) && complete ? clean : failed;
}

}  // namespace

void add_crash(CLI::App& app, int& status) {
  auto command = std::make_shared<CrashCommand>();
  CLI::App* verb = app.add_subcommand("crash", "End a program anywhere, let it recover, and judge what came back");
  verb->footer(crash_manual);
  verb->add_option("--at", command->at,
                   "Where: instruction N, random; on a timing machine also cycle N, ns N, persist N")
      ->expected(1, 2)
      ->type_name("POINT [N]");
  verb->add_option("--count", command->count, "How many random points (20), or states of a model (1000)")
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_option("--states", command->states, "Recover the states that a persistency model allows")
      ->type_name("model");
  verb->add_option("--model", command->model,
                   fmt::format("Of --states: {}; without it, {}", fmt::join(crash_model_names(), ", "),
                               persistency::sbrp_axioms.name));
  verb->add_option("--state", command->state, "Of --states: this one only, as a report names it")->type_name("NAME");
  verb->add_option("--cold", command->cold,
                   "How many of the states to try for real, too: processes killed or started anew")
      ->capture_default_str()
      ->type_name("N");
  verb->add_flag("--no-fork", command->fresh, "Of --states: a process started anew for every state");
  verb->add_option("--recover", command->recover, "Command that recovers, one word of the shell")
      ->type_name("'PROGRAM ARGS'");
  verb->add_option("-j,--jobs", command->batch.jobs, "Trials at once (default: 2)")
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_option("--timeout", command->plan.timeout_seconds, "Seconds that a run may take; 0: as long as it likes")
      ->capture_default_str();
  verb->add_option("--nested", command->plan.nested, "2: also crash the recovery, and recover from that")
      ->capture_default_str()
      ->type_name("N")
      ->check(CLI::Range(1, 2));
  verb->add_option("--nested-points", command->plan.nested_points,
                   "Of --nested 2: in how many of its states each recovery is crashed; all when they are fewer")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number(1));
  verb->add_option("--nested-at", command->plan.nested_at, "Of --nested 2: this state only, as a report names it")
      ->type_name("STATE");
  verb->add_option("--keep", command->keep, "Keep the folders of failed trials here")->type_name("FOLDER");
  command->batch.add_options(*verb, "none; with --resume or --slurm: crash-PROGRAM");
  verb->add_flag("--json", command->json, "As JSON");
  command->settings.add_options(*verb);
  auto program = std::make_shared<Words>();
  verb->add_option("program", *program, "The program and its arguments, behind --");
  verb->callback([command, program, &status] { status = call(*command, *program); });
}

}  // namespace ew::cli
