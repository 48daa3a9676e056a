#include "check/ptx_model.hpp"

#include <fmt/format.h>

#include <vector>

#include "check/candidates.hpp"
#include "core/diagnostics.hpp"

namespace ew::check {

namespace {

/// PTX ISA, "Morally strong operations": of one thread, or both strong with scopes that include each other; accesses
/// overlap completely.
Relation find_morally_strong(const EventGraph& graph, const Relation& same_location) {
  Relation result(graph.size());
  for (u32 a = 0; a < graph.size(); ++a) {
    for (u32 b = 0; b < graph.size(); ++b) {
      const Event &one = graph.events[a], &other = graph.events[b];
      if (a == b || one.initial || other.initial) continue;
      if (one.accesses() && other.accesses() && !same_location.has(a, b)) continue;
      const bool one_thread = graph.program_order.has(a, b) || graph.program_order.has(b, a);
      const bool in_scope = one.strong() && other.strong() && graph.scope_includes(a, b) && graph.scope_includes(b, a);
      if (one_thread || in_scope) result.add(a, b);
    }
  }
  return result;
}

}  // namespace

PtxModel::PtxModel(const EventGraph& graph)
    : graph_(graph),
      writes_(graph.all([](const Event& e) { return e.writes(); })),
      same_location_(graph.same_location()),
      order_at_location_(graph.program_order & same_location_),
      morally_strong_(find_morally_strong(graph, same_location_)),
      barriers_(graph.size()) {
  find_patterns();
  for (u32 a = 0; a < graph.size(); ++a)
    for (u32 b = 0; b < graph.size(); ++b) {
      const Event &one = graph.events[a], &other = graph.events[b];
      if (a != b && one.kind == EventKind::barrier && other.kind == EventKind::barrier &&
          one.barrier == other.barrier && graph.places[one.thread] == graph.places[other.thread])
        barriers_.add(a, b);
    }
}

/// PTX ISA, "Release and acquire patterns".
void PtxModel::find_patterns() {
  const u32 n = graph_.size();
  const EventSet fences = graph_.all([](const Event& e) { return e.kind == EventKind::fence; });
  const EventSet strong_writes = graph_.all([](const Event& e) { return e.writes() && e.strong(); });
  const EventSet releases_of = graph_.all([](const Event& e) { return e.writes() && releases(e.order); });
  release_ = Relation::identity(n, releases_of) | order_at_location_.between(releases_of, strong_writes) |
             graph_.program_order.between(fences, strong_writes);
  const EventSet strong_reads = graph_.all([](const Event& e) { return e.reads() && e.strong() && !e.reduction; });
  const EventSet acquires_of = graph_.all([](const Event& e) { return e.reads() && acquires(e.order); });
  acquire_ = Relation::identity(n, acquires_of) | order_at_location_.between(strong_reads, acquires_of) |
             graph_.program_order.between(strong_reads, fences);
}

PtxModel::Causality PtxModel::causality(const Relation& rf, const Relation& sc) const {
  Causality c;
  // W obs Z and Z obs R for an atomic Z: through its read, its write and on.
  const Relation seen = morally_strong_ & rf;
  c.observation = seen;
  while (true) {
    const Relation longer = c.observation | c.observation.then(graph_.rmw).then(seen);
    if (longer == c.observation) break;
    c.observation = longer;
  }
  const Relation synchronises = (morally_strong_ & release_.then(c.observation).then(acquire_)) | barriers_ | sc;
  c.base = (graph_.program_order | synchronises).closure();
  c.order = c.base | c.observation.then(c.base);
  return c;
}

bool PtxModel::no_thin_air(const Relation& rf) const {
  return (rf | graph_.dependency).acyclic();
}

bool PtxModel::fence_sc(const Relation& sc, const Causality& c) const {
  return sc.then(c.order).irreflexive();
}

Relation PtxModel::required_coherence(const Causality& c) const {
  Relation required = c.order.between(writes_, writes_) & same_location_;
  for (u32 a = 0; a < graph_.size(); ++a) {
    if (!graph_.events[a].initial) continue;
    for_each(same_location_.after(a) & writes_, [&](u32 b) { required.add(a, b); });
  }
  return required.closure();
}

bool PtxModel::atomicity(const Relation& rf, const Relation& co) const {
  const Relation between = (morally_strong_ & from_read(rf, co)).then(morally_strong_ & co);
  return (between & graph_.rmw).empty();
}

bool PtxModel::sc_per_location(const Relation& rf, const Relation& co) const {
  return ((morally_strong_ & (rf | co | from_read(rf, co))) | order_at_location_).acyclic();
}

bool PtxModel::causality_axiom(const Relation& rf, const Relation& co, const Causality& c) const {
  return (rf | from_read(rf, co)).then(c.order).irreflexive();
}

namespace {

constexpr u64 most_choices = 10'000'000;

/// Tries every rf, sc and co of one graph after another. co is chosen as small as the model lets it be (morally strong
/// writes and writes in causality order are related, others are not): a larger one would only forbid more.
class Enumerator {
 public:
  explicit Enumerator(const Program& program) : program_(program) {}

  std::set<FinalState> run() {
    each_candidate(program_, [this](const EventGraph& graph, const std::vector<Value>& registers) {
      graph_ = &graph;
      registers_ = &registers;
      const PtxModel model(graph);
      model_ = &model;
      prepare();
      choose_reads(0, Relation(graph.size()));
    });
    return std::move(allowed_);
  }

 private:
  using Pair = std::pair<u32, u32>;

  void prepare() {
    reads_.clear();
    fences_.clear();
    writes_.clear();
    const auto& events = graph_->events;
    for (u32 a = 0; a < graph_->size(); ++a) {
      if (events[a].reads()) reads_.push_back(a);
      for (u32 b = a + 1; b < graph_->size(); ++b) {
        if (!model_->morally_strong().has(a, b)) continue;
        if (events[a].sc && events[b].sc) fences_.emplace_back(a, b);
        if (events[a].writes() && events[b].writes()) writes_.emplace_back(a, b);
      }
    }
  }

  void count_choice() {
    if (++choices_ > most_choices)
      throw core::UserError(fmt::format("{}: too many candidate executions", program_.name));
  }

  void choose_reads(std::size_t at, const Relation& rf) {
    if (at == reads_.size()) {
      count_choice();
      if (model_->no_thin_air(rf)) choose_fences(0, Relation(graph_->size()), rf);
      return;
    }
    const Event& read = graph_->events[reads_[at]];
    for (u32 w = 0; w < graph_->size(); ++w) {
      const Event& write = graph_->events[w];
      if (!write.writes() || write.location != read.location || write.value != read.value) continue;
      Relation more = rf;
      more.add(w, reads_[at]);
      choose_reads(at + 1, more);
    }
  }

  void choose_fences(std::size_t at, const Relation& sc, const Relation& rf) {
    if (at == fences_.size()) {
      const auto causality = model_->causality(rf, sc);
      if (!model_->fence_sc(sc, causality)) return;
      const Relation required = model_->required_coherence(causality);
      if (required.irreflexive()) choose_coherence(0, required, rf, causality);
      return;
    }
    const auto [a, b] = fences_[at];
    for (const auto& [from, to] : {Pair(a, b), Pair(b, a)}) {
      if (sc.has(to, from)) continue;
      Relation more = sc;
      more.add(from, to);
      choose_fences(at + 1, more.closure(), rf);
    }
  }

  void choose_coherence(std::size_t at, const Relation& co, const Relation& rf, const PtxModel::Causality& causality) {
    if (at == writes_.size()) {
      count_choice();
      if (model_->causality_axiom(rf, co, causality) && model_->sc_per_location(rf, co) && model_->atomicity(rf, co))
        allow(co);
      return;
    }
    const auto [a, b] = writes_[at];
    for (const auto& [from, to] : {Pair(a, b), Pair(b, a)}) {
      if (co.has(to, from)) continue;
      Relation more = co;
      more.add(from, to);
      choose_coherence(at + 1, more.closure(), rf, causality);
    }
  }

  /// Each location ends with any write that none follows.
  void allow(const Relation& co) {
    FinalState state{*registers_};
    state.values.resize(program_.slots());
    end_with(0, state, co);
  }

  void end_with(u32 location, FinalState& state, const Relation& co) {
    if (location == program_.locations.size()) {
      allowed_.insert(state);
      return;
    }
    for (u32 w = 0; w < graph_->size(); ++w) {
      const Event& e = graph_->events[w];
      if (!e.writes() || e.location != location || co.after(w)) continue;
      state.values[program_.slot_of_location(location)] = e.value;
      end_with(location + 1, state, co);
    }
  }

  const Program& program_;
  const EventGraph* graph_ = nullptr;
  const PtxModel* model_ = nullptr;
  const std::vector<Value>* registers_ = nullptr;
  std::vector<u32> reads_;
  std::vector<Pair> fences_, writes_;  // morally strong pairs
  u64 choices_ = 0;
  std::set<FinalState> allowed_;
};

}  // namespace

std::set<FinalState> ptx_final_states(const Program& program) {
  return Enumerator(program).run();
}

}  // namespace ew::check
