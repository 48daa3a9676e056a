// The private half of a coherence protocol: what an agent does with its copies. It is a table. Each word of a line is
// invalid (no copy), valid (a copy that may be read) or owned (nobody else may write it). The table says for each use
// of a word, and for each kind of data, in which states the word can be used at once, and what happens otherwise. So a
// hit makes no virtual call. The other half is memory/home_policy.hpp; coherence/ has the protocols.
//
// Three things are the same under each policy. Data behind the host link has no private copies. A home that asks for
// words (ProbeKind) gets them. A word that is owned or has bytes that the home lacks does not go at an acquire.
#pragma once

#include <array>

#include "memory/agent.hpp"

namespace ew::memory {

/// What an access does, as far as a policy cares.
enum class Use : u8 {
  load,
  fresh_load,  // strong, at a scope with threads of other private caches: a copy that may be stale will not do
  past_load,   // ld.cg, ld.cv
  store,
  fresh_store,  // strong, at such a scope
  past_store,   // one that must not wait in a write buffer
  atomic,       // and a reduction: of threads that share this cache
  fresh_atomic  // strong, at a scope with threads of other private caches
};
inline constexpr u32 uses = 8;

/// Data that policies tell apart. read_only: nobody writes it while the kernel runs (ld.nc, constants, textures).
enum class DataKind : u8 { ordinary, read_only };
inline constexpr u32 data_kinds = 2;

/// What happens where a word cannot be used at once.
enum class Otherwise : u8 {
  fetch,          // the home sends a copy, which stays. An atomic is then performed on the copy, as by the next store
  past,           // the home performs the access. No copy stays
  fetch_if_here,  // of a load: as `fetch` if the cache has a place for the line; else as `past`
  own,            // the words are owned first, with their content. Then the access is performed here
  own_written,    // as `own`; words that the store writes whole are owned without their content
  own_later,      // of a store: as `buffer`, but the write buffer asks for the ownership of the words later, without
                  // their content. A store that writes parts of words: as `own`
  buffer,         // of a store: it writes the copy here, and the write buffer sends the bytes home later
  at_once         // of a store: as `buffer`, but the bytes leave now. If no place is there for the line: as `past`
};

struct alignas(4) Reaction {
  /// Words in this state can be used at once. A store never looks at `valid`, an atomic only where it is performed on
  /// copies (`fetch`): the contract suite refuses a table that says otherwise.
  bool valid = false, owned = false;
  Otherwise otherwise = Otherwise::past;
};

/// Which kind of home (memory/home_policy.hpp) must stand behind an agent policy.
enum class HomeKind : u8 {
  none,       // keeps no record of copies
  registry,   // knows who owns each word. A request that it has sent on is no longer its business
  directory,  // knows all copies of a line, and holds the line until a request is over
};

struct AgentPolicy {
  std::array<std::array<Reaction, data_kinds>, uses> reactions{};
  bool drops_at_acquire = true;   // words that are valid, and neither owned nor dirty, go at an acquire
  bool drains_at_release = true;  // a release waits until dirty bytes that are not owned are in the image
  /// Owned words, and copies that an acquire does not drop, outlive a kernel. Else every copy goes at its end. Memory
  /// that the host's own loads and stores reach goes home in any case: no one asks the caches for it then.
  bool outlives_kernels = false;
  bool keeps_read_only = false;  // read-only data is an exception from drops_at_acquire
  /// Of lines whose stores are to become durable: words that a persist writes whole are owned from when it leaves,
  /// until another agent writes them. The home has all that has left, so it answers who reads them, and never waits for
  /// more.
  bool owns_what_left = false;
  bool whole_lines = false;  // each request is for all words of its line; else for the sectors that it lacks
  HomeKind home = HomeKind::none;

  const Reaction& on(Use use, DataKind kind) const { return reactions[static_cast<u32>(use)][static_cast<u32>(kind)]; }
  constexpr std::array<Reaction, data_kinds>& on(Use use) { return reactions[static_cast<u32>(use)]; }
  /// Agents own words: some stores or atomics are performed in the private cache, and no write buffer knows of them.
  constexpr bool owns() const {
    for (const auto& row : reactions)
      for (const Reaction& reaction : row)
        if (reaction.owned) return true;
    return false;
  }
  /// The write buffer asks for the ownership of what was written, and sends no bytes.
  constexpr bool owns_later() const {
    for (const auto& row : reactions)
      for (const Reaction& reaction : row)
        if (reaction.otherwise == Otherwise::own_later) return true;
    return false;
  }
  /// Atomics are performed on copies that nobody owns: of threads that share this cache.
  constexpr bool atomics_on_copies() const {
    return reactions[static_cast<u32>(Use::atomic)][0].otherwise == Otherwise::fetch;
  }
  /// Copies of ordinary data exist.
  constexpr bool keeps_copies() const { return on_load().valid || on_load().owned; }
  /// No copy is ever older than an acquire, or than another thread's store that was visible.
  constexpr bool copies_are_current() const { return owns() && !drops_at_acquire; }

 private:
  constexpr const Reaction& on_load() const { return reactions[0][0]; }
};

/// The same for ordinary and for read-only data.
constexpr std::array<Reaction, data_kinds> both(Reaction reaction) {
  return {reaction, reaction};
}

}  // namespace ew::memory
