#include "check/persistency_litmus.hpp"

#include <algorithm>
#include <charconv>

#include "check/persistency_evidence.hpp"

namespace ew::check {

namespace {

bool holds_somewhere(const CrashImages::Images& images, const Code& condition) {
  return std::ranges::any_of(images, [&](const auto& entry) { return evaluate(condition, entry.first) != 0; });
}

u32 column_named(std::string_view name) {
  const auto columns = persistency_columns();
  return static_cast<u32>(std::ranges::find(columns, name, &PersistAxioms::name) - columns.begin());
}

class Judge {
 public:
  Judge(const Litmus& test, const std::string& file)
      : test_(test),
        file_(file),
        program_(resolve(test, file)),
        layout_(program_),
        images_(program_, layout_),
        evidence_(program_, layout_, images_) {}

  PersistencyVerdict judge(const std::optional<PersistencyRunPlan>& plan) {
    PersistencyVerdict verdict;
    if (plan) verdict.runs = compare(*plan, plan->run(program_));
    verdict.executions = images_.executions();
    verdict.races = images_.races();
    for (const Expectation& row : test_.expectations) {
      if (row.kind == Expectation::Kind::crash) verdict.crashes.push_back(crash(row));
      if (row.kind == Expectation::Kind::images) verdict.images.push_back(count(row));
    }
    return verdict;
  }

 private:
  PersistencyRuns compare(const PersistencyRunPlan& plan, const Histogram& histogram) const {
    PersistencyRuns runs;
    runs.column = plan.column;
    runs.runs = histogram.runs;
    runs.unfinished = histogram.unfinished;
    runs.crashes = histogram.crashes;
    const CrashImages::Images &allowed = images_.of_model(column_named(plan.column)),
                              &strict = images_.of_model(column_of(persistency::strict_axioms));
    runs.allowed = allowed.size();
    for (const auto& [image, count] : histogram.images) {
      if (!allowed.contains(image)) {
        runs.forbidden.push_back({layout_.text_of(program_, image), count.runs, count.first_seed});
        continue;
      }
      ++runs.shown;
      runs.weak += !strict.contains(image);
    }
    return runs;
  }

  CrashAnswer crash(const Expectation& row) const {
    CrashAnswer answer;
    answer.question = print(*row.condition);
    answer.line = row.line.number;
    const Code condition = resolve_crash_condition(program_, layout_, *row.condition, file_, row.line.number);
    std::vector<bool> asked(layout_.slots());
    for (const Code::Step& step : condition.steps)
      if (step.kind == Code::Step::Kind::slot) asked[step.slot] = true;
    answer.cells.resize(persistency_columns().size());
    for (const auto& [column, value] : row.cells) answer.cells[column_named(column)].expected = value == "A";
    for (u32 m = 0; m < answer.cells.size(); ++m) {
      answer.cells[m].allowed = holds_somewhere(images_.of_model(m), condition);
      answer.cells[m].evidence = evidence_.write(m, condition, asked);
    }
    const bool settled = answer.cells[column_of(persistency::sbrp_axioms)].allowed;
    if (settled) answer.class_of = classify(condition, answer);
    for (u32 change = 0; change < reading_changes().size(); ++change)
      if (holds_somewhere(images_.of_reading(change), condition) != settled) answer.readings.push_back(change);
    return answer;
  }

  /// Asks ever weaker models, from strict on. The first that allows the image gives its class.
  CrashClass classify(const Code& condition, const CrashAnswer& answer) const {
    if (answer.cells[column_of(persistency::strict_axioms)].allowed) return CrashClass::logic;
    if (holds_somewhere(images_.of_step(LatticeStep::strong_widened), condition)) return CrashClass::order;
    if (holds_somewhere(images_.of_step(LatticeStep::strong), condition)) return CrashClass::scope;
    if (answer.cells[column_of(*persistency::sbrp_axioms.with_wide_scopes)].allowed)
      return CrashClass::order_by_reading;
    return CrashClass::scope_by_reading;
  }

  ImagesAnswer count(const Expectation& row) const {
    ImagesAnswer answer;
    answer.line = row.line.number;
    answer.cells.resize(persistency_columns().size());
    for (u32 m = 0; m < answer.cells.size(); ++m) answer.cells[m].found = images_.count(m);
    for (const auto& [column, value] : row.cells) {
      u64 number = 0;
      std::from_chars(value.data(), value.data() + value.size(), number);
      answer.cells[column_named(column)].expected = number;
    }
    return answer;
  }

  const Litmus& test_;
  const std::string& file_;
  Program program_;
  ImageLayout layout_;
  CrashImages images_;
  EvidenceWriter evidence_;
};

constexpr auto agreeing = [](const auto& part) { return part.agrees(); };

}  // namespace

std::string_view text_of(WitnessStep::Fate fate) {
  static constexpr std::string_view texts[] = {"", "durable", "lost", "not yet"};
  return texts[static_cast<std::size_t>(fate)];
}

std::string_view text_of(CrashClass class_of) {
  static constexpr std::string_view texts[] = {"", "logic", "order", "scope", "order?", "scope?"};
  return texts[static_cast<std::size_t>(class_of)];
}

bool CrashAnswer::agrees() const {
  return std::ranges::all_of(cells, agreeing);
}
bool ImagesAnswer::agrees() const {
  return std::ranges::all_of(cells, agreeing);
}
bool PersistencyVerdict::agrees() const {
  return std::ranges::all_of(crashes, agreeing) && std::ranges::all_of(images, agreeing);
}

PersistencyVerdict judge_persistency(const Litmus& test, const std::string& file,
                                     const std::optional<PersistencyRunPlan>& plan) {
  return Judge(test, file).judge(plan);
}

}  // namespace ew::check
