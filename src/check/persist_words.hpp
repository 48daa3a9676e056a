// The persists of a run as they are added to its PersistGraph, each behind the older ones of its bytes (coherence, the
// axiom [Coh]); in the strict model behind the one before it. Owned by PersistBuilder.
#pragma once

#include "check/event_file.hpp"
#include "check/persist_rules.hpp"
#include "check/pool_table.hpp"

namespace ew::check {

class PersistWords {
 public:
  PersistWords(const EventFile& events, PersistRules rules, PersistGraph& graph)
      : rules_(rules), graph_(graph), words_(events) {}

  /// Adds the persist behind these nodes, eight at most. Answers its node.
  u32 add(const Persist&, std::span<const u32> before);
  /// The node of the run's last persist, or 0.
  u32 last() const { return last_; }

 private:
  struct Writers {  // of the bytes of an aligned word: their last persists
    u32 node[8] = {};
  };

  const PersistRules rules_;
  PersistGraph& graph_;
  PoolTable<Writers> words_;
  u32 last_ = 0;
};

}  // namespace ew::check
