// Which of the states that a model's crash may leave are tried. Each has a name that brings it back. All are tried when
// they are few. Else the pair cover is tried: for each persist, the state with as few others as possible beside it, and
// the state without it that has as many as possible. When even that is too much, some persists from every place in the
// program are covered. Random states are added. Keeps a reference to the graph.
#pragma once

#include <string>
#include <vector>

#include "check/ideals.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

class CrashStates {
 public:
  /// At most about `budget` states. REQUIRES: graph.complete() was called.
  CrashStates(const PersistGraph& graph, u64 budget, u64 seed);

  u64 size() const { return exhaustive_ ? every_.size() : 2 + 2 * covered_.size() + random_; }
  /// "none", "all", "with:N", "without:N", "random:N", or "state:N" of an exhaustive list.
  std::string name(u64 index) const;
  PersistSet state(u64 index, Reach&) const;
  /// Throws core::UserError for what is no name of a state.
  PersistSet named(const std::string& name, Reach&) const;

  bool exhaustive() const { return exhaustive_; }
  /// What the list covers, in one sentence.
  std::string coverage() const;

 private:
  bool list_every(u64 budget);
  void choose_cover(u64 budget, u64 seed);
  void find_antichain();
  PersistSet random_state(u64 number, Reach&) const;

  const PersistGraph& graph_;
  bool exhaustive_ = false;
  std::vector<PersistSet> every_;
  std::vector<u32> covered_;  // persists
  u64 random_ = 0, seed_;
  u64 places_ = 0;     // of the program, where not every persist is covered
  u32 antichain_ = 0;  // persists of which none is ordered with another
};

/// Persists whose order the others need: edges between persists alone. False when there are more than `most`.
bool persist_edges(const PersistGraph&, std::size_t most, std::vector<SparseOrder::Edge>&);

}  // namespace ew::check
