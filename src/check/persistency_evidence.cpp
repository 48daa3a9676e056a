#include "check/persistency_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/synchronisation.hpp"

namespace ew::check {

namespace {

constexpr std::size_t most_sentences = 4;

/// The column of the weakest model: only coherence orders. It has every image that an execution's values could leave.
u32 unordered_column() {
  return column_of(persistency::unordered_axioms);
}

}  // namespace

EvidenceWriter::EvidenceWriter(const Program& program, const ImageLayout& layout, const CrashImages& images)
    : program_(program), layout_(layout), images_(images) {}

const std::pair<const Image, CrashImages::Crash>* EvidenceWriter::find(const CrashImages::Images& images,
                                                                       const Code& condition) const {
  for (const auto& entry : images)
    if (evaluate(condition, entry.first)) return &entry;
  return nullptr;
}

u32 EvidenceWriter::slot(const Event& e) const {
  if (e.kind == EventKind::output) return static_cast<u32>(layout_.locations.size()) + e.location;
  return layout_.slot_of_location[e.location];
}

Evidence EvidenceWriter::write(u32 model, const Code& condition, const std::vector<bool>& asked) const {
  Evidence evidence;
  const auto* allowed = find(images_.of_model(model), condition);
  const auto* crash = allowed ? allowed : find(images_.of_model(unordered_column()), condition);
  if (!crash) return evidence;
  const Execution& x = images_.execution(crash->second.execution);
  const Relation happened_before = x.happened_before();
  const PersistOrder order = persist_order(x, *persistency_columns()[allowed ? model : unordered_column()]);
  const ExecutionCrashes states(layout_, x, happened_before, order);
  const u64 ideal = crash->second.ideal;
  const EventSet present = states.events(ideal);
  evidence.image = layout_.text_of(program_, crash->first);
  evidence.steps = steps(x, present, states.cut(ideal));
  evidence.order =
      allowed ? missing(model, x, states, ideal, asked) : obstacles(model, x, present, states.missing(ideal));
  return evidence;
}

std::vector<WitnessStep> EvidenceWriter::steps(const Execution& x, EventSet present, EventSet cut) const {
  std::vector<WitnessStep> list;
  for (u32 e = 0; e < x.graph.size(); ++e) {
    const Event& event = x.graph.events[e];
    WitnessStep step;
    step.text = program_.text_of(event);
    step.line = program_.threads[event.thread].line;
    step.fate = !contains(cut, e)      ? WitnessStep::Fate::not_yet
                : !event.persists()    ? WitnessStep::Fate::happened
                : contains(present, e) ? WitnessStep::Fate::durable
                                       : WitnessStep::Fate::lost;
    list.push_back(std::move(step));
  }
  return list;
}

/// Pairs of a lost persist and a later one that is durable, or a later output.
std::vector<std::string> EvidenceWriter::missing(u32 model, const Execution& x, const ExecutionCrashes& states,
                                                 u64 ideal, const std::vector<bool>& asked) const {
  std::vector<std::string> sentences;
  const EventSet present = states.events(ideal), absent = states.missing(ideal);
  for_each(absent, [&](u32 from) {
    const Event& lost = x.graph.events[from];
    if (!lost.persists() || !asked[slot(lost)]) return;
    for_each(present & ~(just(from) - 1), [&](u32 to) {
      const Event& kept = x.graph.events[to];
      if (!asked[slot(kept)] || sentences.size() == most_sentences) return;
      std::string sentence =
          kept.persists() ? fmt::format("no pmo edge from \"{}\" to \"{}\"", text(x, from), text(x, to))
                          : fmt::format("\"{}\" need not be durable when \"{}\" happens", text(x, from), text(x, to));
      if (persistency_columns()[model]->across == PersistAxioms::Across::releases) sentence += would_order(x, from, to);
      sentences.push_back(std::move(sentence));
    });
  });
  return sentences;
}

/// What would order `from` before `to`: wider scopes (with the pairs that are too narrow), or another reading.
std::string EvidenceWriter::would_order(const Execution& x, u32 from, u32 to) const {
  const auto needed = [&](const PersistAxioms& axioms) {
    const Relation happened_before = x.happened_before();
    const PersistOrder order = persist_order(x, axioms);
    return ExecutionCrashes(layout_, x, happened_before, order).needed(from, to);
  };
  const PersistAxioms& settled = persistency::sbrp_axioms;
  if (needed(*settled.with_wide_scopes)) {
    const Synchronisation as_written(x, settled), widened(x, *settled.with_wide_scopes);
    for (u32 r = 0; r < x.graph.size(); ++r) {
      EventSet added = widened.steps().after(r) & ~as_written.steps().after(r);
      if (!x.graph.program_order.has(from, r)) added = 0;
      if (added)
        return fmt::format("; the scopes of \"{}\" and \"{}\" do not hold both threads, wider ones would order them",
                           text(x, r), text(x, lowest(added)));
    }
    return "; wider scopes would order them";
  }
  std::string ids;
  for (const ReadingChange& change : reading_changes())
    if (needed(change.axioms())) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", change.id);
  return ids.empty() ? ids : fmt::format("; a stronger reading has one: {}", ids);
}

/// The orders of the model that the state breaks.
std::vector<std::string> EvidenceWriter::obstacles(u32 model, const Execution& x, EventSet present,
                                                   EventSet absent) const {
  const Relation happened_before = x.happened_before();
  const PersistOrder order = persist_order(x, *persistency_columns()[model]);
  const ExecutionCrashes states(layout_, x, happened_before, order);
  std::vector<std::string> sentences;
  for_each(absent, [&](u32 from) {
    for_each(present, [&](u32 to) {
      if (!states.needed(from, to) || sentences.size() >= most_sentences) return;
      if (order.order.has(from, to)) {
        const auto steps = path(model, order, x, from, to);
        sentences.push_back(
            fmt::format("\"{}\" is before \"{}\": {}", text(x, from), text(x, to), fmt::join(steps, ", then ")));
        return;
      }
      for (u32 fence = 0; fence < x.graph.size(); ++fence) {
        if (fence != to && !happened_before.has(fence, to)) continue;
        const EventSet durable = order.durable_at[fence];
        if (!contains(durable, from) && !(order.order.after(from) & durable)) continue;
        sentences.push_back(fmt::format("\"{}\" is durable when \"{}\" has happened, which is before \"{}\"",
                                        text(x, from), text(x, fence), text(x, to)));
        return;
      }
      sentences.push_back(fmt::format("\"{}\" happens only when \"{}\" has", text(x, to), text(x, from)));
    });
  });
  return sentences;
}

/// A shortest path of edges, each with its axiom.
std::vector<std::string> EvidenceWriter::path(u32 model, const PersistOrder& order, const Execution& x, u32 from,
                                              u32 to) const {
  std::vector<u32> parent(x.graph.size(), no_slot), queue{from};
  std::vector<Axiom> by(x.graph.size());
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const PersistOrder::Part& part : order.parts) {
      for_each(part.pairs.after(queue[i]), [&](u32 next) {
        if (parent[next] != no_slot || next == from) return;
        parent[next] = queue[i];
        by[next] = part.axiom;
        queue.push_back(next);
      });
    }
  }
  std::vector<std::string> steps;
  for (u32 e = to; e != from && parent[e] != no_slot; e = parent[e]) {
    std::string step = fmt::format("[{}]{}", text_of(by[e]), reason(model, x, by[e], parent[e], e));
    if (e != to) step += fmt::format(" to \"{}\"", text(x, e));
    steps.push_back(std::move(step));
  }
  std::ranges::reverse(steps);
  return steps;
}

/// The fence between the two, or the first release and the last acquire.
std::string EvidenceWriter::reason(u32 model, const Execution& x, Axiom axiom, u32 from, u32 to) const {
  const Relation& po = x.graph.program_order;
  if (axiom == Axiom::intra) {
    const EventSet between = po.after(from) & po.before(to) &
                             x.graph.all([](const Event& e) { return !e.accesses() && e.kind != EventKind::output; });
    if (between) return fmt::format(" across \"{}\"", text(x, lowest(between)));
  }
  if (axiom == Axiom::inter || axiom == Axiom::flag_before) {
    const Synchronisation sync(x, *persistency_columns()[model]);
    const EventSet releases = axiom == Axiom::inter ? po.after(from) : just(from);
    std::string found;
    for_each(releases, [&](u32 r) {
      const EventSet acquires = sync.order().after(r) & po.before(to);
      if (acquires && found.empty())
        found = fmt::format(" through \"{}\" and \"{}\"", text(x, r), text(x, lowest(acquires)));
    });
    return found;
  }
  return {};
}

}  // namespace ew::check
