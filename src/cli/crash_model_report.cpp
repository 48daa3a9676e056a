// What `ew crash --states model` says.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "check/crash/folder.hpp"
#include "cli/crash_report.hpp"
#include "cli/table.hpp"
#include "core/json_text.hpp"
#include "process/progress_line.hpp"

namespace ew::cli {

using namespace process;

namespace {

void print_failure(const check::ModelFailure& failure, std::size_t number, const Again<check::ModelFailure>& again) {
  fmt::print(stderr, "\nFAIL {}: {} (state {}{})\n", number, check::name_of(failure.kind), failure.state,
             failure.alike > 1 ? fmt::format(", and {} like it", failure.alike - 1) : "");
  if (failure.acknowledged)
    fmt::print(stderr, "  acknowledged: {} (the recovery fails from this on)\n", failure.acknowledged);
  if (!failure.durable.empty()) fmt::print(stderr, "  durable:      {}\n", failure.durable);
  if (!failure.not_durable.empty()) fmt::print(stderr, "  not durable:  {}\n", failure.not_durable);
  if (!failure.release_at.empty()) fmt::print(stderr, "  released:     {}\n", failure.release_at);
  if (!failure.acquire_at.empty()) fmt::print(stderr, "  acquired:     {}\n", failure.acquire_at);
  if (!failure.nested.empty())
    fmt::print(stderr, "  the recovery was crashed in its state {}, and the lines are those of the recovery\n",
               failure.nested);
  if (!failure.happened.empty()) fmt::print(stderr, "  what happened: {}\n", failure.happened);
  if (!failure.advice.empty()) fmt::print(stderr, "  what to do:    {}\n", failure.advice);
  std::string output = failure.output;
  if (output.size() > 800) output = output.substr(0, 800) + "...\n";
  fmt::print(stderr, "  the recovery says: {}", output.empty() || output.back() != '\n' ? output + "\n" : output);
  fmt::print(stderr, "  again: {}\n", again(failure));
}

nlohmann::ordered_json json_of(const check::ModelReport& report, const Again<check::ModelFailure>& again) {
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const check::ModelFailure& failure : report.failures) {
    nlohmann::ordered_json one{
        {"class", check::name_of(failure.kind)}, {"state", failure.state}, {"alike", failure.alike}};
    if (!failure.nested.empty()) one["nested_state"] = failure.nested;
    if (failure.acknowledged) one["acknowledged"] = failure.acknowledged;
    const std::pair<const char*, const std::string*> texts[] = {
        {"durable", &failure.durable},         {"durable_at", &failure.durable_at},
        {"not_durable", &failure.not_durable}, {"not_durable_at", &failure.not_durable_at},
        {"release_at", &failure.release_at},   {"acquire_at", &failure.acquire_at},
        {"happened", &failure.happened},       {"advice", &failure.advice}};
    for (const auto& [name, text] : texts)
      if (!text->empty()) one[name] = *text;
    if (!failure.widen.empty()) one["widen"] = failure.widen;
    one["recovery_status"] = failure.status;
    one["says"] = check::last_line(failure.output);
    one["again"] = again(failure);
    failures.push_back(std::move(one));
  }
  nlohmann::ordered_json json{{"events", report.events},
                              {"persists", report.persists},
                              {"coverage", report.coverage},
                              {"tried", report.tried},
                              {"distinct", report.distinct},
                              {"passed", report.passed},
                              {"failed", report.failed},
                              {"nested", report.nested},
                              {"nested_distinct", report.nested_distinct},
                              {"nested_failed", report.nested_failed},
                              {"fresh_processes", report.cold},
                              {"disagreed", report.unlike},
                              {"record_seconds", report.record_seconds},
                              {"build_seconds", report.build_seconds},
                              {"seconds", report.seconds},
                              {"failures", failures}};
  if (!report.messages.empty()) json["messages"] = report.messages;
  if (!report.suggestion.empty()) json["suggestion"] = report.suggestion;
  return json;
}

}  // namespace

bool print_report(const check::ModelReport& report, bool json, const Again<check::ModelFailure>& again) {
  const bool good = report.failed == 0 && report.unlike == 0;
  if (json) {
    fmt::print("{}\n", core::json_text(json_of(report, again)));
    return good;
  }
  const double rate = report.seconds > 0 ? static_cast<double>(report.distinct) / report.seconds : 0;
  fmt::print("{} events, {} persists (recorded in {}, ordered in {})\n", grouped(report.events),
             grouped(report.persists), seconds_text(report.record_seconds), seconds_text(report.build_seconds));
  fmt::print("{}\n", report.coverage);
  // Two states are one here when their pools, and what was acknowledged, are equal: they are recovered once.
  fmt::print(
      "{} different of {} states recovered in {} ({:.0f} a second{}), {} of them by a process started anew as well\n",
      grouped(report.distinct), grouped(report.tried), seconds_text(report.seconds), rate,
      report.warm ? ", forked" : "", report.cold);
  if (report.nested)
    fmt::print("{} crashes of recoveries, which left {} different images\n", grouped(report.nested),
               grouped(report.nested_distinct));
  if (!report.messages.empty()) fmt::print("In the recorded run:\n{}", report.messages);
  std::fflush(stdout);
  std::size_t number = 0;
  for (const check::ModelFailure& failure : report.failures) print_failure(failure, ++number, again);
  if (report.unlike) fmt::print("FAIL: {} recoveries ended differently in a process started anew\n", report.unlike);
  if (!report.suggestion.empty()) fmt::print("{}\n", report.suggestion);
  fmt::print("{}{} states, {} recovered, {} failed\n", report.failed ? "FAIL: " : "", grouped(report.distinct),
             grouped(report.passed), grouped(report.failed));
  return good;
}

}  // namespace ew::cli
