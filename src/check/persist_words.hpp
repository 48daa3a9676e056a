// The persists of a run as they are added to its PersistGraph, each behind the older ones of its bytes (coherence, the
// axiom [Coh]); or, where performance orders, behind the one before it. Owned by PersistBuilder.
#pragma once

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"
#include "check/pool_table.hpp"
#include "persistency/axioms.hpp"

namespace ew::check {

class PersistWords {
 public:
  PersistWords(const EventFile& events, const PersistAxioms& axioms, PersistGraph& graph)
      : axioms_(axioms), graph_(graph), words_(events) {}

  /// Adds the persist behind these nodes, eight at most. Answers its node.
  u32 add(const Persist&, std::span<const u32> before);
  /// The node of the run's last persist, or 0.
  u32 last() const { return last_; }

 private:
  struct Writers {  // of the bytes of an aligned word: their last persists
    u32 node[8] = {};
  };

  const PersistAxioms& axioms_;
  PersistGraph& graph_;
  PoolTable<Writers> words_;
  u32 last_ = 0;
};

}  // namespace ew::check
