// What `ew crash --states model` says.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/crash_folder.hpp"
#include "cli/crash_model.hpp"
#include "cli/table.hpp"
#include "core/json_text.hpp"

namespace ew::cli {

namespace {

using Again = std::function<std::string(const ModelFailure&)>;

std::string_view advice(FailureClass kind) {
  switch (kind) {
    case FailureClass::recovery_bug:
      return "the run itself passes through this state: the recovery is wrong, or the program writes in an order that "
             "it cannot cope with";
    case FailureClass::missing_order:
      return "an ofence between them in one thread, or a release behind the first and an acquire before the second";
    case FailureClass::scope_bug:
      return "the order is there, its scope is too narrow";
    case FailureClass::early_acknowledgement:
      return "before it acknowledges, the program must have waited for a kernel with a dfence behind the persist";
  }
  return "";
}

void print_failure(const ModelFailure& failure, const ModelCampaign& campaign, std::size_t number, const Again& again) {
  fmt::print(stderr, "\nFAIL {}: {} (state {}{})\n", number, name_of(failure.kind), failure.state,
             failure.alike > 1 ? fmt::format(", and {} like it", failure.alike - 1) : "");
  if (failure.acknowledged) fmt::print(stderr, "  acknowledged: {}\n", failure.acknowledged);
  if (failure.present) fmt::print(stderr, "  durable:      {}\n", campaign.describe(*failure.present));
  if (failure.absent) fmt::print(stderr, "  not durable:  {}\n", campaign.describe(*failure.absent));
  if (!failure.nested.empty())
    fmt::print(stderr, "  why: a crash of the recovery (in its state {}) leaves what it cannot recover\n",
               failure.nested);
  else
    fmt::print(stderr, "  {}: {}\n", failure.kind == FailureClass::recovery_bug ? "why" : "what is missing",
               advice(failure.kind));
  for (const std::string& widen : failure.widen) fmt::print(stderr, "  widen the {}\n", widen);
  std::string output = failure.output;
  if (output.size() > 800) output = output.substr(0, 800) + "...\n";
  fmt::print(stderr, "  the recovery says: {}", output.empty() || output.back() != '\n' ? output + "\n" : output);
  fmt::print(stderr, "  again: {}\n", again(failure));
}

nlohmann::ordered_json json_of(const ModelReport& report, const ModelCampaign& campaign, const Again& again) {
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const ModelFailure& failure : report.failures) {
    nlohmann::ordered_json one{{"class", name_of(failure.kind)}, {"state", failure.state}, {"alike", failure.alike}};
    if (!failure.nested.empty()) one["nested_state"] = failure.nested;
    if (failure.acknowledged) one["acknowledged"] = failure.acknowledged;
    if (failure.present) one["durable"] = campaign.describe(*failure.present);
    if (failure.absent) one["not_durable"] = campaign.describe(*failure.absent);
    if (!failure.widen.empty()) one["widen"] = failure.widen;
    one["recovery_status"] = failure.status;
    one["says"] = last_line(failure.output);
    one["again"] = again(failure);
    failures.push_back(std::move(one));
  }
  return {{"events", report.events},
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
}

}  // namespace

void print_report(const ModelReport& report, const ModelCampaign& campaign, bool json, const Again& again) {
  if (json) {
    fmt::print("{}\n", core::json_text(json_of(report, campaign, again)));
    return;
  }
  const double rate = report.seconds > 0 ? static_cast<double>(report.distinct) / report.seconds : 0;
  fmt::print("{} events, {} persists (recorded in {}, ordered in {})\n", grouped(report.events),
             grouped(report.persists), seconds_text(report.record_seconds), seconds_text(report.build_seconds));
  fmt::print("{}\n", report.coverage);
  fmt::print("{} different images recovered in {} ({:.0f} a second{}), {} of them by a process started anew as well\n",
             grouped(report.distinct), seconds_text(report.seconds), rate, report.warm ? ", forked" : "", report.cold);
  if (report.nested)
    fmt::print("{} crashes of recoveries, {} different images\n", grouped(report.nested),
               grouped(report.nested_distinct));
  std::fflush(stdout);
  std::size_t number = 0;
  for (const ModelFailure& failure : report.failures) print_failure(failure, campaign, ++number, again);
  if (report.unlike) fmt::print("FAIL: {} recoveries ended differently in a process started anew\n", report.unlike);
  fmt::print("{}{} states, {} recovered, {} failed\n", report.failed ? "FAIL: " : "", grouped(report.distinct),
             grouped(report.passed), grouped(report.failed));
}

}  // namespace ew::cli
