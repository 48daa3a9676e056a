// What a private cache is put together from. Each part has one question and its own invariants; loads, stores and
// answers use them.
#pragma once

#include "memory/cache/banks.hpp"
#include "memory/cache/leaving_lines.hpp"
#include "memory/cache/persist_control.hpp"
#include "memory/cache/stalls.hpp"

namespace ew::memory {

/// What a private cache needs of the machine around it.
struct CacheSurroundings {
  core::TimeWheel& wheel;
  Payloads& payloads;
  Injector& network;
  Agent& agent;
  const AgentPolicy& policy;
  const AddressMap& map;
  AgentId id;
  u32 agents;                          // homes' nodes start here
  bool persists = false;               // what it writes to persistent lines is to become durable at once
  Scope private_scope = Scope::cta;    // Consistency::widest_private
  bool drains_own = false;             // a release drains the stores of its warp alone: Consistency::drained
  const AgentPolicy* pools = nullptr;  // of lines whose stores are to become durable; nullptr: as all
};

struct CacheParts {
  CacheParts(const PrivateCacheConfig&, const CacheSurroundings&);

  const PrivateCacheConfig config;
  const CacheSurroundings around;
  const AgentPolicy policy, pools;
  const bool owns, keeps_copies, atomics_on_copies;  // as the policy says
  const WordMask whole_line;
  CacheCounts counts;
  AgentPort port;
  LineStore lines;
  Misses misses;
  LeavingLines leaving;
  PersistsUnderWay persists_under_way;
  WriteBuffer buffer;
  Flush flush;
  PersistControl persists;
  Banks banks;
  Stalls stalls;
  u32 polls = 0;  // loads under way that the home may hold: at most half of the MSHRs

  Cycle now() const { return around.wheel.now(); }
  core::Account account() const { return counts.account(); }
  /// Words were written here, and the home has neither their bytes nor a request for them.
  bool to_leave(const CacheLine& line) const {
    if (!owns) return line.dirty.any();
    return line.written_unowned() & ~(line.mshr == no_number ? 0 : misses[line.mshr].registering);
  }
  const AgentPolicy& policy_of(Place place) const { return place.persistent ? pools : policy; }
  /// An older part waits here, and will write some of these words: nobody of this agent may pass it.
  bool older_writes(u32 way, WordMask words) const {
    return way != no_way && lines[way].mshr != no_number && (misses[lines[way].mshr].to_change & words);
  }
  /// Never from a copy that threads of another private cache may have made stale.
  bool beyond_private(const LineAccess& a) const { return a.at_home || (a.strong && a.scope > around.private_scope); }
  /// Which of the three an access is.
  Use use(const LineAccess& a, Use plain, Use fresh, Use past) const {
    if (!(a.at_home | a.strong)) [[likely]]
      return plain;
    return a.at_home ? past : a.scope > around.private_scope ? fresh : plain;
  }
};

}  // namespace ew::memory
