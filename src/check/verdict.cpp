#include "check/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check/interleavings.hpp"
#include "check/litmus_kernel.hpp"
#include "check/litmus_words.hpp"
#include "check/ptx_model.hpp"
#include "consistency/models.hpp"
#include "core/diagnostics.hpp"

namespace ew::check {

bool Verdict::failed() const {
  if (persistency && (!persistency->agrees() || persistency->broken())) return true;
  return !forbidden.empty() || (histogram.unfinished && !may_wait) ||
         std::ranges::any_of(answers, [](const Answer& a) { return !a.agrees() || a.missing(); });
}

namespace {

constexpr u64 runs_to_show = 200;  // with fewer runs, `expect shown` rows are not checked

void count_runs(Verdict& verdict, const std::set<FinalState>& allowed) {
  const auto strong = interleavings(verdict.program);
  for (const auto& [state, count] : verdict.histogram.states) {
    if (!strong.contains(state)) verdict.weak_runs += count.runs;
    if (!allowed.contains(state))
      verdict.forbidden.push_back({verdict.program.text_of(state), count.runs, count.first_seed});
  }
}

/// True if some await is not morally strong with a write that it may wait for. Nothing says that it ever sees this
/// write.
bool polls_in_vain(const Program& program) {
  const auto includes = [](Scope scope, const Place& one, const Place& other) {
    return scope == Scope::sys || one == other || (scope == Scope::gpu && one.device == other.device);
  };
  const auto misses = [&](const Program::Thread& reader, const Instruction& poll, const Program::Thread& writer) {
    return std::ranges::any_of(writer.instructions, [&](const Instruction& write) {
      if (!write.writes() || write.location != poll.location) return false;
      return poll.order == Order::weak || write.order == Order::weak ||
             !includes(poll.scope, reader.place, writer.place) || !includes(write.scope, reader.place, writer.place);
    });
  };
  for (const Program::Thread& reader : program.threads)
    for (const Instruction& i : reader.instructions)
      for (const Program::Thread& writer : program.threads)
        if (i.kind == Instruction::Kind::await && &reader != &writer && misses(reader, i, writer)) return true;
  return false;
}

/// The final states that each model allows, for the models that are asked for.
class Allowed {
 public:
  explicit Allowed(const Program& program) : program_(program) {}
  const std::set<FinalState>& under(const std::string& model) {
    const auto found = states_.find(model);
    if (found != states_.end()) return found->second;
    return states_[model] = allowed_states(program_, consistency::model(model)->axioms);
  }

 private:
  const Program& program_;
  std::map<std::string, std::set<FinalState>> states_;
};

/// `plan` is the machine's, if it has this model; else nullptr.
Answer answer(const Verdict& verdict, const Expectation& row, const std::string& model,
              const std::set<FinalState>& allowed, const RunPlan* plan) {
  Answer a;
  a.question = print(*row.condition);
  a.model = model;
  if (const std::string_view cell = row.cell(model); !cell.empty()) a.expected = cell == "A";
  const Code condition = resolve_condition(verdict.program, *row.condition);
  const auto holds = [&](const FinalState& state) { return evaluate(condition, state.values) != 0; };
  a.allowed = std::ranges::any_of(allowed, holds);
  if (!plan) return a;
  a.ran = verdict.histogram.runs != 0;
  for (const auto& [state, count] : verdict.histogram.states) {
    if (!holds(state)) continue;
    a.first_seed = a.seen ? std::min(a.first_seed, count.first_seed) : count.first_seed;
    a.seen += count.runs;
  }
  a.must_be_shown = verdict.histogram.runs >= runs_to_show &&
                    std::ranges::find(row.shown, Expectation::Shown{plan->protocol, model}) != row.shown.end();
  return a;
}

}  // namespace

Verdict judge(const Litmus& test, const std::string& file, const std::optional<RunPlan>& plan) {
  Verdict verdict;
  verdict.test = test.name;
  verdict.line = test.line.number;
  if (test.kind == TestKind::pm) {
    std::optional<PersistencyRunPlan> persistency;
    if (plan && !plan->persistency_column.empty()) {
      verdict.not_run = cannot_run(resolve(test, file));
      const auto run = [&](const Program& program) {
        return run_litmus(program, plan->machine, plan->first_seed, plan->seeds);
      };
      if (verdict.not_run.empty()) persistency = PersistencyRunPlan{plan->persistency_column, run};
    }
    verdict.persistency = judge_persistency(test, file, persistency);
    return verdict;
  }
  if (test.kind == TestKind::drf) {
    verdict.not_judged = fmt::format("tests of kind {} are read, but not executed yet", text_of(test.kind));
    return verdict;
  }
  verdict.program = resolve(test, file);
  Allowed states(verdict.program);
  const std::string machine = plan ? plan->consistency : std::string(usual_model);
  const auto& allowed = states.under(machine);
  verdict.allowed_states = allowed.size();
  if (allowed.empty())
    throw core::UserError({file, test.line.number},
                          fmt::format("{} has no final state: in every execution that the axioms allow, some thread "
                                      "waits for ever",
                                      test.name));
  if (plan) {
    verdict.not_run = cannot_run(verdict.program);
    if (verdict.not_run.empty())
      verdict.histogram = run_litmus(verdict.program, plan->machine, plan->first_seed, plan->seeds);
    count_runs(verdict, allowed);
    verdict.may_wait =
        verdict.histogram.unfinished &&
        (may_wait_for_ever(verdict.program) || (plan->protocol != "functional" && polls_in_vain(verdict.program)));
  }
  for (const Expectation& row : test.expectations) {
    if (row.kind != Expectation::Kind::final) continue;
    std::vector<std::string> models;
    for (const auto& cell : row.cells) models.push_back(cell.column);
    if (plan && row.cell(machine).empty()) models.push_back(machine);
    for (const std::string& model : models)
      verdict.answers.push_back(
          answer(verdict, row, model, states.under(model), plan && model == machine ? &*plan : nullptr));
  }
  return verdict;
}

}  // namespace ew::check
