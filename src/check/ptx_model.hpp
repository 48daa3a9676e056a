// The memory consistency model of PTX as axioms over an event graph: PTX ISA, "Memory Consistency Model", in the
// relational form of Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model"
// (ASPLOS 2019), Figures 4 and 7. docs/litmus.md says how the readings that are open were settled.
//
// A row of memory::ConsistencyAxioms changes them: that is how the other consistency models are stated.
//
// Three relations are chosen at run time: who reads from whom (rf), coherence (co) and the order of sc fences (sc). A
// final state is allowed when some choice keeps every axiom.
#pragma once

#include <set>
#include <vector>

#include "check/event_graph.hpp"
#include "check/program.hpp"
#include "memory/consistency.hpp"

namespace ew::check {

class PtxModel {
 public:
  explicit PtxModel(const EventGraph&, const memory::ConsistencyAxioms& = {});

  /// What synchronisation makes of a choice of rf and sc.
  struct Causality {
    /// Through the operations of one scope; the whole, if synchronisation is transitive across scopes.
    struct Within {
      EventSet events = 0;
      Relation base;   // program order and synchronises-with, transitive
      Relation order;  // base, and observation followed by base, of whole operations
    };
    std::vector<Within> scopes;
    Relation order;  // causality order: that of each scope
  };
  Causality causality(const Relation& rf, const Relation& sc) const;

  // The axioms.
  bool no_thin_air(const Relation& rf) const;
  bool fence_sc(const Relation& sc, const Causality&) const;
  /// The pairs that the Coherence axiom puts into co, transitive. It holds when they have no circle and co has them.
  Relation required_coherence(const Causality&) const;
  bool atomicity(const Relation& rf, const Relation& co) const;
  bool sc_per_location(const Relation& rf, const Relation& co) const;
  bool causality_axiom(const Relation& rf, const Relation& co, const Causality&) const;
  /// No axiom of PTX: ConsistencyAxioms::one_order.
  bool one_order(const Relation& rf, const Relation& co) const;

  /// Of these pairs of sc fences the ones that no other choice could turn.
  Relation forced_fences(const Relation& pairs, const Relation& rf, const Relation& co, const Causality&) const;

  const Relation& morally_strong() const { return morally_strong_; }
  /// A read to the writes that come after the one it read.
  static Relation from_read(const Relation& rf, const Relation& co) { return rf.inverse().then(co); }

 private:
  void find_patterns();
  void find_barriers();
  void find_scopes();
  void find_strong_order();

  EventGraph graph_;  // as the row of axioms reads it
  memory::ConsistencyAxioms axioms_;
  EventSet writes_ = 0;
  Relation same_location_, order_at_location_;  // program order between accesses of one location
  Relation morally_strong_;
  Relation release_, acquire_;    // patterns: first operation -> write; read -> last operation
  Relation barriers_;             // arrival -> wait at one barrier, complete with it or later
  std::vector<EventSet> scopes_;  // events that synchronise with each other
  Relation strong_order_;         // of strong accesses, that one_order() keeps
};

/// Every final state that the axioms allow. Writes that race are unordered in co: any of the last ones may be what
/// memory ends with. Throws core::UserError when the test is too large.
std::set<FinalState> allowed_states(const Program&, const memory::ConsistencyAxioms& = {});

}  // namespace ew::check
