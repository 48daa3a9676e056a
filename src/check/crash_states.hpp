// Chooses which crash states of a model are tried. Each state has a name, by which it can be made again. All states are
// tried when they are few. Else the pair cover is tried. For each persist it has two states: the smallest state with
// this persist, and the largest state without it. When even these are too many, only some persists of every place in
// the program are covered. Random states are added. Keeps a reference to the graph.
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
  /// "none", "all", "with:N", "without:N" or "random:N"; in an exhaustive list "state:N".
  std::string name(u64 index) const;
  PersistSet state(u64 index, Reach&) const;
  /// Knows two more names: "upto:N", the first N persists of the run; and "upto:N,without:M", these without persist M
  /// and those that need it. Throws core::UserError when there is no such state.
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
  u64 places_ = 0;     // places of the program that persist; counted only when not every persist is covered
  u32 antichain_ = 0;  // the number of persists in a set of which no two are ordered
};

/// Makes the edges between persists alone: paths through virtual nodes become direct edges. False when there are more
/// than `most`.
bool persist_edges(const PersistGraph&, std::size_t most, std::vector<SparseOrder::Edge>&);

}  // namespace ew::check
