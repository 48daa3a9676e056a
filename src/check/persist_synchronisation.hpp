// What strong accesses of one location, and fences, bring from thread to thread: synchronisation by pRel and pAcq and
// by releases and acquires with chains of atomics (psw, csw), and what epochs make of conflicts. Owned by
// PersistBuilder.
//
// A flag is a location that may synchronise: one that a strong access has touched. It remembers what its last writes
// publish; a read finds the write by its value.
#pragma once

#include <unordered_map>

#include "check/recorded_thread.hpp"
#include "persistency/axioms.hpp"

namespace ew::check {

class PersistSynchronisation {
 public:
  /// The graph is the builder's, and outlives this.
  PersistSynchronisation(const PersistAxioms& axioms, PersistGraph& graph) : axioms_(axioms), graph_(graph) {}

  void fence(RecordedThread&, const EventRecord&);
  void read(const LaneAccess&, u64 value, bool part_of_atomic);
  /// `node`: see touch().
  void write(const LaneAccess&, Flag&, u64 value, bool part_of_atomic, u32 node);

  /// The flag at this address, made when there is none; or nullptr.
  Flag& flag_of(const LaneAccess&);
  Flag* known_flag(const LaneAccess&);
  /// Where conflicts order: the access as an event that conflicts with others of its location. Answers its node.
  u32 touch(const LaneAccess&, Flag&, bool writes);
  /// Where conflicts order: a node behind the reads of the flag since its last write.
  u32 join_reads(const LaneAccess&);

 private:
  const FlagWrite& write_of(const Flag&, u64 value, bool part_of_atomic) const;
  void acquire_published(const LaneAccess&, const FlagWrite&);
  void acquire_anyway(const LaneAccess&, const FlagWrite&);
  void publish(const LaneAccess&, FlagWrite&);
  void release_by_fence(RecordedThread&, Widening::Side&);
  u32 mark_widened(u32 node, const LaneAccess&, const FlagWrite&);

  const PersistAxioms& axioms_;
  PersistGraph& graph_;
  std::unordered_map<u64, Flag> flags_;  // of global and pool memory
};

}  // namespace ew::check
