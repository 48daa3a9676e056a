// What `ew crash --states model` says of drives.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "check/crash/folder.hpp"
#include "cli/crash_report.hpp"
#include "core/json_text.hpp"

namespace ew::cli {

namespace {

void print_failure(const check::DriveFailure& failure, std::size_t number, const Again<check::DriveFailure>& again) {
  fmt::print(stderr, "\nFAIL {}: state {}: {}\n", number, failure.state, failure.moment);
  if (failure.acknowledged) fmt::print(stderr, "  acknowledged: {}\n", failure.acknowledged);
  if (!failure.reached.empty()) fmt::print(stderr, "  durable:      {}\n", failure.reached);
  if (!failure.not_reached.empty()) fmt::print(stderr, "  not durable:  {}\n", failure.not_reached);
  if (!failure.nested.empty()) fmt::print(stderr, "  the recovery was crashed in its state {}\n", failure.nested);
  std::string output = failure.outcome.output;
  if (output.size() > 800) output = output.substr(0, 800) + "...\n";
  fmt::print(stderr, "  the recovery says: {}", output.empty() || output.back() != '\n' ? output + "\n" : output);
  fmt::print(stderr, "  again: {}\n", again(failure));
}

}  // namespace

bool print_report(const check::DriveReport& report, bool json, const Again<check::DriveFailure>& again) {
  if (json) {
    nlohmann::ordered_json failures = nlohmann::ordered_json::array();
    for (const check::DriveFailure& failure : report.failures) {
      nlohmann::ordered_json one{{"state", failure.state},
                                 {"moment", failure.moment},
                                 {"durable", failure.reached},
                                 {"not_durable", failure.not_reached},
                                 {"acknowledged", failure.acknowledged},
                                 {"recovery_status", failure.outcome.status},
                                 {"says", check::last_line(failure.outcome.output)},
                                 {"again", again(failure)}};
      if (!failure.nested.empty()) one["nested_state"] = failure.nested;
      failures.push_back(std::move(one));
    }
    const nlohmann::ordered_json all{{"commands", report.commands},     {"states", report.states},
                                     {"distinct", report.distinct},     {"recovered", report.states - report.failed},
                                     {"failed", report.failed},         {"nested", report.nested},
                                     {"exhaustive", report.exhaustive}, {"failures", failures}};
    fmt::print("{}\n", core::json_text(all));
    return report.failed == 0;
  }
  fmt::print("{} commands changed blocks; {} states{}, {} different\n", report.commands, report.states,
             report.exhaustive ? " (exhaustive)" : "", report.distinct);
  for (std::size_t i = 0; i < report.failures.size(); ++i) print_failure(report.failures[i], i + 1, again);
  if (report.nested) fmt::print("{} crashes of recoveries\n", report.nested);
  fmt::print("{}{} states, {} recovered, {} failed\n", report.failed ? "FAIL: " : "", report.states,
             report.states - report.failed, report.failed);
  return report.failed == 0;
}

}  // namespace ew::cli
