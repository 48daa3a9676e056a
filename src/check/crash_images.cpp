#include "check/crash_images.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "check/volatile_races.hpp"

namespace ew::check {

namespace {

constexpr u64 most_states = 4'000'000;

/// SBRP with every open question answered by the stronger order, except that a pRel does not wait: a pRel that waits
/// would hide what scopes do (docs/litmus.md).
PersistAxioms strong_reading(bool widened) {
  PersistAxioms axioms = persistency::sbrp_axioms;
  axioms.releases.flag_before = axioms.releases.acquired_durable = true;
  axioms.releases.widened = widened;
  return axioms;
}

}  // namespace

CrashImages::CrashImages(const Program& program, const ImageLayout& layout)
    : program_(program), layout_(layout), of_(persistency_columns().size() + reading_changes().size() + 2) {
  std::set<std::string> races;
  each_execution(program, [&](const Execution& x) {
    ++executions_;
    add(x);
    for (std::string& race : volatile_races(program, x)) races.insert(std::move(race));
  });
  races_.assign(races.begin(), races.end());
}

const CrashImages::Images& CrashImages::of_reading(u32 change) const {
  return of_[persistency_columns().size() + change];
}

const CrashImages::Images& CrashImages::of_step(LatticeStep step) const {
  return of_[persistency_columns().size() + reading_changes().size() + static_cast<std::size_t>(step)];
}

const CrashImages::States& CrashImages::states_of(const Execution& x, const Relation& happened_before,
                                                  PersistOrder order) {
  for (const States& s : present_)
    if (s.order.order == order.order && s.order.durable_at == order.durable_at) return s;
  States& s = present_.emplace_back();
  s.order = std::move(order);
  const ExecutionCrashes states(layout_, x, happened_before, s.order);
  states.each([&](u64 ideal, Image& image) {
    if (++states_ > most_states) program_.refuse_as_too_large("it has too many crash states");
    s.images.push_back({std::move(image), ideal, states.latest(ideal)});
    return true;
  });
  using Entry = States::Entry;
  std::ranges::stable_sort(s.images, {}, [](const Entry& e) { return std::tie(e.image, e.latest); });
  std::ranges::reverse(s.images);  // the latest first
  const auto twice = std::ranges::unique(s.images, {}, &Entry::image);
  s.images.erase(twice.begin(), twice.end());
  return s;
}

u64 CrashImages::count(u32 model) const {
  return static_cast<u64>(std::ranges::count_if(of_[model], [](const auto& entry) { return entry.second.latest; }));
}

void CrashImages::add(const Execution& x) {
  const Relation happened_before = x.happened_before();
  const u32 number = static_cast<u32>(kept_.size());
  bool is_new = false;
  std::size_t at = 0;
  present_.clear();
  present_.reserve(of_.size());
  const auto collect = [&](PersistOrder order) {
    Images& all = of_[at++];
    for (const auto& [image, ideal, latest] : states_of(x, happened_before, std::move(order)).images) {
      const auto [entry, inserted] = all.try_emplace(image, Crash{number, ideal, latest});
      entry->second.latest |= latest;
      is_new |= inserted;
    }
  };
  for (const PersistAxioms* axioms : persistency_columns()) collect(persist_order(x, *axioms));
  for (const ReadingChange& change : reading_changes()) collect(persist_order(x, change.axioms()));
  for (const bool widened : {true, false}) collect(persist_order(x, strong_reading(widened)));
  if (is_new) kept_.push_back(x);
}

}  // namespace ew::check
