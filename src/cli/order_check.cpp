#include "cli/order_check.hpp"

#include <fmt/format.h>

#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "persistency/models.hpp"
#include "process/scratch.hpp"
#include "runtime/environment.hpp"

namespace ew::cli {

using namespace process;

namespace {

using core::UserError;

/// The axioms that a model of machine files is held to.
const check::PersistAxioms& axioms_of(const std::string& model) {
  const check::PersistAxioms& axioms = persistency::find_model(model)->promises();
  return axioms.on_machines ? *axioms.on_machines : axioms;
}

}  // namespace

int run_with_order_check(const Words& words, const RunSettings& settings, const runtime::MachineConfig& config) {
  if (!config.machine.timing())
    throw UserError(
        "--check persist-order needs a timing machine (--machine sbrp-pm-far, or --timing): in functional mode "
        "what is performed is durable");
  const Scratch scratch;
  const std::string events = (scratch.path() / "events").string(), log = (scratch.path() / "log").string();
  auto environment = settings.environment();
  environment.emplace_back(runtime::Environment::events_name, events);
  environment.emplace_back(runtime::Environment::durable_log_name, log);
  const Outcome outcome = run(words, {.environment = environment});
  if (!std::filesystem::exists(events)) throw UserError("the program ran nothing under Everwarp: nothing to check");
  const check::EventFile file(events);
  const check::PersistAxioms& axioms = axioms_of(config.persistency.model);
  const check::PersistGraph graph = check::build_persist_graph(file, axioms);
  const auto verdict = check::check_persist_order(file, graph, check::DurableLog(log));
  if (verdict.violation) {
    fmt::print(stderr, "persist-order: FAIL: under the axioms of {}, this {}\n", axioms.name,
               check::text_of(file, graph, *verdict.violation));
    if (config.ddio_loses_persists())
      fmt::print(
          stderr,
          "  nvm.ddio is on: what is written outside of gpm_persist_begin() .. gpm_persist_end() ends in the host's "
          "cache, whose evictions keep no order\n");
    return outcome.status ? outcome.status : failed;
  }
  fmt::print(stderr,
             "persist-order: {} persists became durable in {} writes, in an order that {} allows ({} told apart)\n",
             grouped(verdict.persists), grouped(verdict.writes), axioms.name, grouped(verdict.told));
  return outcome.status;
}

}  // namespace ew::cli
