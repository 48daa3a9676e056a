// Why a recovery fails on a crash state, told as two persists: one that is durable, and one that is not and would mend
// it. The search asks for the verdict on further states, of which each is a state that the model allows too.
//
// Persists are numbered in the order of the run, so the first N of them are the state that the run itself was in.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

/// Does the recovery fail on this state?
using Fails = std::function<bool(const PersistSet&)>;

struct Blame {
  /// The run itself passes through a state that fails: the first present + 1 persists. `absent`, if any, is stored
  /// later: with the first absent + 1 the recovery succeeds again.
  bool passed_through = false;
  /// Of those: nothing fails any more when the line of `present` (with those that follow it in its thread up to the
  /// line of `absent`) comes behind `absent`.
  bool mended_by_swap = false;
  std::optional<u32> present, absent;
  PersistSet state;  // fails; every persist before `absent` is in it, and none behind `present`
};

/// REQUIRES: `set` fails; of the first `from` persists, all are in it, and alone they do not fail.
Blame find_blame(const EventFile&, const PersistGraph&, const PersistSet& set, u32 from, const Fails&);

/// Of two persists of one thread: two that follow each other in it, if one such pair between them fails by itself. Then
/// that is the place for a fence.
void sharpen_blame(const PersistGraph&, const Fails&, Blame&);

/// The first `count` persists fail: how many first ones do not; nothing when all that are more fail too. Not always the
/// least number: far behind, steps grow.
std::optional<u32> first_mended(u32 size, u32 count, const Fails&);

/// Of a graph whose synchronisations were made stronger (widened, synced): the fewest changes by which `absent`
/// comes before `present`, and where; in the order of the run. Nothing: no change does it.
std::optional<std::vector<Widening>> fewest_changes(const PersistGraph&, u32 absent, u32 present);

/// What a run shows about two of its persists.
struct StoreEvidence {
  struct Access {
    u32 launch = 0, pc = 0;
    EventAction action = EventAction::none;
    Scope scope = Scope::none;
  };
  bool same_thread = false, same_block = false;
  /// The thread of `absent` released this before it, and nothing behind it, and another acquired it.
  std::optional<Access> release_before;
  /// Behind `absent` its thread waits until it is durable.
  std::optional<Access> dfence_behind;
};
/// `present`: no_persist when there is none.
StoreEvidence evidence_of(const EventFile&, const PersistAxioms&, u32 absent, u32 present);

}  // namespace ew::check
