// Why a recovery fails on a crash state. The answer is two persists: one that is durable (`present`), and one that is
// not durable (`absent`). With `absent` durable too, the recovery succeeds. The search recovers further states. The
// model allows each of them.
//
// Persists are numbered in the order of the run. So the first N persists are a state that the run itself was in.
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
  /// The run itself passes through a state that fails: its first present + 1 persists. `absent`, if there is one, is
  /// stored later: on the first absent + 1 persists the recovery succeeds again.
  bool passed_through = false;
  /// Only with passed_through. Suppose that the program's line of `present` came behind `absent`, or with it the
  /// thread's lines from there to the line of `absent`: none of the states on the way that were tried fails then.
  bool mended_by_swap = false;
  /// Only without passed_through. The state is the run's own first present + 1 persists, without `absent` and what must
  /// follow it. The run's own state recovers, and so does this one with `absent`: nothing else is to blame.
  bool alone = false;
  std::optional<u32> present, absent;
  PersistSet state;  // fails; has every persist before `absent`, and none behind `present`
};

/// REQUIRES: `set` fails; the first `from` persists are in it; these alone do not fail.
Blame find_blame(const EventFile&, const PersistGraph&, const PersistSet& set, u32 from, const Fails&);

/// If both persists are of one thread: looks for two that follow each other in this thread, and fail by themselves.
/// Blames these instead. A fence belongs between them.
void sharpen_blame(const PersistGraph&, const Fails&, Blame&);

/// Looks for a pair that is to blame alone, and blames it. When it finds none, two orders or more are missing together:
/// the blame stays.
void isolate_blame(const PersistGraph&, const Fails&, Blame&);

/// REQUIRES: the first `count` persists fail. Returns a larger number of first persists that does not fail; nothing,
/// when it finds none. It is the least such number if that lies near `count`. Further away the search looks where the
/// run is about to store again what persist count - 1 has stored, and then skips more and more numbers.
std::optional<u32> first_mended(const PersistGraph&, u32 count, const Fails&);

/// For a graph whose synchronisations were made stronger (widened, synced): the fewest changes that order `absent`
/// before `present`, and where they are, in the order of the run. Nothing: no change does it.
std::optional<std::vector<Widening>> fewest_changes(const PersistGraph&, u32 absent, u32 present);

/// What the events of a run show about two of its persists.
struct StoreEvidence {
  struct Access {
    u32 launch = 0, pc = 0;
    EventAction action = EventAction::none;
    Scope scope = Scope::none;
  };
  bool same_thread = false, same_block = false;
  bool one_instruction = false;  // of one warp, which has stored both
  u32 torn_bytes = 0;            // both are pieces of what one thread has stored by it, of so many bytes; else 0
  bool flag =
      false;  // `present` is a strong store, no atomic, and no release: other threads may learn of `absent` by it
  /// The last release of the thread of `absent` before `absent`, if another thread acquired it. Empty when the thread
  /// released something between `absent` and `present`.
  std::optional<Access> release_before;
  /// The operation behind `absent` by which its thread waits until it is durable.
  std::optional<Access> dfence_behind;
};
/// `present` is no_persist when there is none.
StoreEvidence evidence_of(const EventFile&, const PersistAxioms&, u32 absent, u32 present);

}  // namespace ew::check
