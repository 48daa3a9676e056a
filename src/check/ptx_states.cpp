// The search for final states. Further pairs in rf, in co or in the order of sc fences can only forbid more. So the
// search gives up a choice as soon as it breaks an axiom. Most pairs of fences need no choice: reads and overwritten
// values order them. The search wants final states, not executions. So it tries every choice of reads-from and of the
// last writes. For the rest, one choice that keeps the axioms is enough.

#include <vector>

#include "check/candidates.hpp"
#include "check/ptx_model.hpp"

namespace ew::check {

namespace {

constexpr u64 most_choices = 2'000'000;

/// co is as small as the model permits: it relates morally strong writes, and writes in causality order. A larger co
/// would only forbid more.
class Search {
 public:
  Search(const Program& program, const memory::ConsistencyAxioms& axioms) : program_(program), axioms_(axioms) {}

  std::set<FinalState> run() {
    each_candidate(program_, [this](const EventGraph& graph, const std::vector<Value>& registers) {
      graph_ = &graph;
      const PtxModel model(graph, axioms_);
      model_ = &model;
      state_.values = registers;
      state_.values.resize(program_.slots());
      prepare();
      choose_reads(0, {Relation(graph.size()), Relation(graph.size()), Relation(graph.size())});
    });
    return std::move(allowed_);
  }

 private:
  struct Choice {
    Relation rf, sc, co;
  };

  void prepare() {
    const auto& events = graph_->events;
    reads_.clear();
    last_ = 0;
    strong_fences_ = strong_writes_ = Relation(graph_->size());
    for (u32 a = 0; a < graph_->size(); ++a) {
      if (events[a].reads()) reads_.push_back(a);
      for_each(model_->morally_strong().after(a), [&](u32 b) {
        if (events[a].sc && events[b].sc) strong_fences_.add(a, b);
        if (events[a].writes() && events[b].writes()) strong_writes_.add(a, b);
      });
    }
  }

  void count_choice() {
    if (++choices_ > most_choices) program_.refuse_as_too_large("it has too many candidate executions");
  }

  /// Adds the pairs that the axioms ask for, until there are no more. False: no choice of the rest can keep the axioms.
  bool settle(Choice& c) {
    count_choice();
    while (true) {
      const PtxModel::Causality causality = model_->causality(c.rf, c.sc);
      if (!model_->fence_sc(c.sc, causality)) return false;
      const Relation co = (c.co | model_->required_coherence(causality)).closure();
      if (!co.irreflexive() || follows_last(co)) return false;
      const Relation sc = (c.sc | model_->forced_fences(strong_fences_, c.rf, co, causality)).closure();
      const bool settled = sc == c.sc;
      c.co = co;
      c.sc = sc;
      if (!settled) continue;
      return model_->causality_axiom(c.rf, co, causality) && model_->sc_per_location(c.rf, co) &&
             model_->atomicity(c.rf, co) && model_->one_order(c.rf, co);
    }
  }

  bool follows_last(const Relation& co) const {
    bool follows = false;
    for_each(last_, [&](u32 w) { follows |= co.after(w) != 0; });
    return follows;
  }

  void choose_reads(std::size_t at, const Choice& before) {
    if (at == reads_.size()) return choose_last(0, before);
    const Event& read = graph_->events[reads_[at]];
    for (u32 w = 0; w < graph_->size(); ++w) {
      const Event& write = graph_->events[w];
      if (!write.writes() || write.location != read.location || write.value != read.value) continue;
      Choice choice = before;
      choice.rf.add(w, reads_[at]);
      if (model_->no_thin_air(choice.rf) && settle(choice)) choose_reads(at + 1, choice);
    }
  }

  /// Chooses the last write of each location: any write without a successor in co. Writes that are morally strong with
  /// it come before it.
  void choose_last(u32 location, const Choice& before) {
    if (location == program_.locations.size()) {
      if (!allowed_.contains(state_) && can_be_kept(before)) allowed_.insert(state_);
      return;
    }
    for (u32 w = 0; w < graph_->size(); ++w) {
      const Event& e = graph_->events[w];
      if (!e.writes() || e.location != location || before.co.after(w)) continue;
      Choice choice = before;
      for_each(strong_writes_.after(w), [&](u32 other) { choice.co.add(other, w); });
      last_ |= just(w);
      state_.values[program_.slot_of_location(location)] = e.value;
      if (settle(choice)) choose_last(location + 1, choice);
      last_ &= ~just(w);
    }
  }

  /// Finds a pair that must be related and is not; false: there is none.
  static bool find_open(const Relation& pairs, const Relation& order, u32& from, u32& to) {
    for (from = 0; from < pairs.size(); ++from)
      for (EventSet left = pairs.after(from) & ~order.after(from); left; left &= left - 1) {
        to = static_cast<u32>(std::countr_zero(left));
        if (!order.has(to, from)) return true;
      }
    return false;
  }

  /// REQUIRES: settled.
  bool can_be_kept(const Choice& before) {
    u32 from = 0, to = 0;
    const bool fences = find_open(strong_fences_, before.sc, from, to);
    if (!fences && !find_open(strong_writes_, before.co, from, to)) return true;
    for (const bool forward : {true, false}) {
      Choice choice = before;
      Relation& order = fences ? choice.sc : choice.co;
      order.add(forward ? from : to, forward ? to : from);
      order = order.closure();
      if (settle(choice) && can_be_kept(choice)) return true;
    }
    return false;
  }

  const Program& program_;
  const memory::ConsistencyAxioms axioms_;
  const EventGraph* graph_ = nullptr;
  const PtxModel* model_ = nullptr;
  FinalState state_;
  std::vector<u32> reads_;
  EventSet last_ = 0;                       // the last write of each location
  Relation strong_fences_, strong_writes_;  // morally strong pairs, both ways
  u64 choices_ = 0;
  std::set<FinalState> allowed_;
};

}  // namespace

std::set<FinalState> allowed_states(const Program& program, const memory::ConsistencyAxioms& axioms) {
  return Search(program, axioms).run();
}

}  // namespace ew::check
