#include "cli/crash_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "check/crash/folder.hpp"
#include "cli/table.hpp"
#include "core/json_text.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace {

std::string shortened(const std::string& line, std::size_t width) {
  return line.size() <= width ? line : line.substr(0, width - 3) + "...";
}

void print_table(const std::vector<check::Trial>& trials, unsigned long long total) {
  Table table({">#", ">crash after", ">of run", "result", ">status", ">time", "recovery says"});
  std::size_t number = 0;
  for (const check::Trial& trial : trials) {
    table.row({std::to_string(++number), grouped(trial.moment),
               fmt::format("{:.1f} %", 100.0 * static_cast<double>(trial.moment) / static_cast<double>(total)),
               std::string(check::name_of(trial.end)), std::to_string(trial.recovery_status),
               seconds_text(trial.seconds), shortened(trial.last_line, 70)});
  }
  fmt::print("{}\n", table.text());
}

nlohmann::ordered_json as_json(const std::vector<check::Trial>& trials, bool cycles, unsigned long long total) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t failures = 0, killed = 0;
  for (const check::Trial& trial : trials) {
    failures += !trial.passed();
    killed += trial.killed;
    list.push_back({{cycles ? "cycle" : "instruction", trial.moment},
                    {"result", check::name_of(trial.end)},
                    {"passed", trial.passed()},
                    {"recovery_status", trial.recovery_status},
                    {"acknowledged", trial.acknowledged},
                    {"nested", trial.nested},
                    {"nested_at", trial.nested_at},
                    {"seconds", trial.seconds},
                    {"says", trial.last_line}});
  }
  return {{cycles ? "cycles" : "instructions", total},
          {"crashes", trials.size()},
          {"killed", killed},
          {"failed", failures},
          {"trials", list}};
}

}  // namespace

bool print_report(const std::vector<check::Trial>& trials, const check::CrashPlan& plan, u64 total, bool json,
                  const Again<check::Trial>& again) {
  if (json)
    fmt::print("{}\n", core::json_text(as_json(trials, plan.cycles, total)));
  else
    print_table(trials, total);
  std::size_t failures = 0, killed = 0;
  u64 nested = 0;
  for (const check::Trial& trial : trials) {
    nested += trial.nested;
    killed += trial.killed;
    if (trial.passed()) continue;
    if (++failures > 3) continue;  // the first few say enough
    fmt::print(stderr, "FAIL {} {}. Output:\n{}Again: {}\n", plan.cycles ? "in cycle" : "after warp instruction",
               trial.moment, trial.output, again(trial));
  }
  if (nested && !json) fmt::print("{} crashes of recoveries\n", grouped(nested));
  if (!json)
    fmt::print("{}{} crashes, {} recovered, {} failed\n", failures ? "FAIL: " : "", killed, trials.size() - failures,
               failures);
  return failures == 0;
}

bool print_report(const TimedReport& report, bool json, const Again<check::TimedTrial>& again) {
  const std::vector<check::TimedTrial>& trials = report.trials;
  std::size_t failures = 0, killed = 0;
  u64 nested = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const check::TimedTrial& trial : trials) {
    killed += trial.killed;
    nested += trial.nested;
    list.push_back({{"at", trial.moment.words()},
                    {"durable_writes", trial.writes},
                    {"acknowledged", trial.acknowledged},
                    {"passed", trial.passed()},
                    {"killed", trial.killed},
                    {"recovery_status", trial.status},
                    {"nested", trial.nested},
                    {"nested_at", trial.nested_at},
                    {"says", check::last_line(trial.unlike.empty() ? trial.output : trial.unlike)}});
    if (trial.passed()) continue;
    if (++failures > 3) continue;
    fmt::print(stderr, "FAIL at {}: {}\n{}Again: {}\n", trial.moment.words(),
               trial.unlike.empty() ? "it was not recovered. Output:" : trial.unlike, trial.output, again(trial));
  }
  if (json) {
    const nlohmann::ordered_json all{{"cycles", report.last_cycle},
                                     {"durable_writes", report.last_write},
                                     {"crashes", trials.size()},
                                     {"distinct", report.distinct},
                                     {"killed", killed},
                                     {"nested", nested},
                                     {"nested_distinct", report.nested_distinct},
                                     {"failed", failures},
                                     {"seconds", report.seconds},
                                     {"trials", list}};
    fmt::print("{}\n", core::json_text(all));
  } else {
    fmt::print("{} durable writes in {} cycles; {} crashes, {} distinct states, {} of them killed for real, in {}\n",
               grouped(report.last_write), grouped(report.last_cycle), trials.size(), report.distinct, killed,
               seconds_text(report.seconds));
    if (nested)
      fmt::print("{} crashes of recoveries, {} different images\n", grouped(nested), grouped(report.nested_distinct));
    fmt::print("{}{} crashes, {} recovered, {} failed\n", failures ? "FAIL: " : "", trials.size(),
               trials.size() - failures, failures);
  }
  return failures == 0;
}

}  // namespace ew::cli
