// The order that strong accesses of one location, and fences, carry from thread to thread: synchronisation by pRel and
// pAcq (psw), by conventional releases and acquires with chains of atomics (csw), and the conflicts that order epochs.
// Owned by PersistBuilder.
//
// A flag is a location that may synchronise: a strong access has touched it. It remembers what its last writes publish.
// A read finds its write by the value.
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

  /// The flag at this address. flag_of() makes one if there is none; known_flag() then returns nullptr.
  Flag& flag_of(const LaneAccess&);
  Flag* known_flag(const LaneAccess&);
  /// Only under models where conflicts order: adds the access as an event that conflicts with others of its location.
  /// Returns the event's node.
  u32 touch(const LaneAccess&, Flag&, bool writes);
  /// Only under models where conflicts order: a node behind the flag's reads since its last write.
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
