// Which releases of an execution synchronise with which acquires, under a row of axioms. There are three kinds: pRel
// with pAcq (psw), conventional accesses and fences (csw), and barriers (bsw). Chains of them synchronise too.
#pragma once

#include "check/executions.hpp"
#include "persistency/axioms.hpp"

namespace ew::check {

class Synchronisation {
 public:
  /// Both outlive this.
  Synchronisation(const Execution&, const persistency::PersistAxioms&);

  /// From the release to the acquire: single steps; and chains of steps.
  const Relation& steps() const { return steps_; }
  const Relation& order() const { return order_; }
  EventSet persist_releases() const { return persist_releases_; }
  EventSet persist_acquires() const { return persist_acquires_; }
  /// Writes that release: pRel, and conventional releases if the axioms count them.
  EventSet releases() const { return persist_releases_ | conventional_releases_; }

 private:
  void pair_persist_operations();
  void pair_conventional(u32 write, u32 read);
  bool include_each_other(u32 a, u32 b) const;

  const Execution& x_;
  const persistency::PersistAxioms::Releases& reading_;
  EventSet persist_releases_, persist_acquires_, conventional_releases_ = 0, fences_;
  Relation seen_;  // write -> read that has its value, perhaps through atomics between them
  Relation steps_, order_;
};

}  // namespace ew::check
