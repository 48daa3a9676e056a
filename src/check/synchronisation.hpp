// Which releases of an execution synchronise with which acquires under a row of axioms: psw of pRel
// and pAcq, csw of conventional accesses and fences, bsw of barriers, and their cumulative chains.
#pragma once

#include "check/executions.hpp"
#include "persistency/axioms.hpp"

namespace ew::check {

class Synchronisation {
 public:
  /// Both outlive this.
  Synchronisation(const Execution&, const persistency::PersistAxioms&);

  /// Release point -> acquire point: one step, and chains of them.
  const Relation& steps() const { return steps_; }
  const Relation& order() const { return order_; }
  EventSet persist_releases() const { return persist_releases_; }
  EventSet persist_acquires() const { return persist_acquires_; }
  /// Writes that release: pRel, and conventional ones where they count.
  EventSet releases() const { return persist_releases_ | conventional_releases_; }

 private:
  void pair_persist_operations();
  void pair_conventional(u32 write, u32 read);
  bool include_each_other(u32 a, u32 b) const;

  const Execution& x_;
  const persistency::PersistAxioms::Releases& reading_;
  EventSet persist_releases_, persist_acquires_, conventional_releases_ = 0, fences_;
  Relation seen_;  // write -> read that has its value, also through atomics between them
  Relation steps_, order_;
};

}  // namespace ew::check
