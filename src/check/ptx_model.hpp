// The memory consistency model of PTX as axioms over an event graph: PTX ISA, "Memory Consistency Model", in the
// relational form of Lustig, Sahasrabuddhe and Giroux, "A Formal Analysis of the NVIDIA PTX Memory Consistency Model"
// (ASPLOS 2019), Figures 4 and 7. docs/litmus.md says how we read what the text leaves open.
//
// A row of memory::ConsistencyAxioms changes the axioms. The other consistency models are such rows.
//
// An execution chooses three relations: reads-from (rf), coherence (co) and the order of sc fences (sc). A final state
// is allowed when some choice keeps every axiom.
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

  /// Causality order for a choice of rf and sc.
  struct Causality {
    /// The order through operations of one scope. If synchronisation is transitive across scopes, there is only one.
    struct Within {
      EventSet events = 0;
      Relation base;   // program order and synchronises-with, transitive
      Relation order;  // base, and observation followed by base; an atomic's read and write count as one operation
    };
    std::vector<Within> scopes;
    Relation order;  // causality order: the union over the scopes
  };
  Causality causality(const Relation& rf, const Relation& sc) const;

  // The axioms.
  bool no_thin_air(const Relation& rf) const;
  bool fence_sc(const Relation& sc, const Causality&) const;
  /// The pairs that the Coherence axiom puts into co, transitive. The axiom holds if they have no cycle and co has
  /// them.
  Relation required_coherence(const Causality&) const;
  bool atomicity(const Relation& rf, const Relation& co) const;
  bool sc_per_location(const Relation& rf, const Relation& co) const;
  bool causality_axiom(const Relation& rf, const Relation& co, const Causality&) const;
  /// ConsistencyAxioms::one_order, which is no axiom of PTX.
  bool one_order(const Relation& rf, const Relation& co) const;

  /// The pairs among these, of sc fences, whose direction no choice can reverse.
  Relation forced_fences(const Relation& pairs, const Relation& rf, const Relation& co, const Causality&) const;

  const Relation& morally_strong() const { return morally_strong_; }
  /// From each read to the writes that come in co after the write that it reads.
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
  Relation barriers_;             // arrival -> wait at the same barrier, which completes with it or later
  std::vector<EventSet> scopes_;  // events that synchronise with each other
  Relation strong_order_;         // program order of strong accesses, which one_order() keeps
};

/// Every final state that the axioms allow. Racing writes are unordered in co: memory may end with any of the last
/// ones. Throws core::UserError when the test is too large.
std::set<FinalState> allowed_states(const Program&, const memory::ConsistencyAxioms& = {});

}  // namespace ew::check
