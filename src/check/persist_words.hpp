// Adds the persists of a run to its PersistGraph. Each comes behind the older persists of its bytes (coherence, the
// axiom [Coh]). Under a model where performance orders, each comes behind the run's persist before it. Owned by
// PersistBuilder.
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

  /// Adds the persist behind these nodes. Returns its node. REQUIRES: there are at most 8 nodes.
  u32 add(const Persist&, std::span<const u32> before);
  /// The node of the run's last persist, or 0.
  u32 last() const { return last_; }

 private:
  struct Writers {  // for each byte of an aligned word, the node of its last persist
    u32 node[8] = {};
  };

  const PersistAxioms& axioms_;
  PersistGraph& graph_;
  PoolTable<Writers> words_;
  u32 last_ = 0;
};

}  // namespace ew::check
