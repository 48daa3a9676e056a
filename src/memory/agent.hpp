// Whoever originates requests, as its private cache and the homes see it. An access is one warp instruction's (or one
// DMA transfer's) operation, named by a number of the agent's own; a part of it is what falls into one line.
#pragma once

#include "core/time_wheel.hpp"
#include "memory/request.hpp"

namespace ew::memory {

using core::Cycle;

/// A coalesced part of an access as the agent hands it to its private cache.
enum class AccessKind : u8 { load, store, atomic, reduction };

struct LineAccess {
  u64 line = 0;
  Place place;         // of the line
  WordMask words = 0;  // touched
  u32 access = 0;
  u8 part = 0;
  AccessKind kind = AccessKind::load;
  bool strong = false;     // volatile, relaxed or stronger: never from a copy that may be stale
  bool at_home = false;    // ld.cg, ld.cv; a store that must not wait in a store buffer
  bool streaming = false;  // evict first
  bool read_only = false;  // ld.nc, constant and texture reads: nobody writes while the kernel runs
  bool declared = false;   // read_only, and outlives kernels: only the host writes it, between them
  /// A device's registers, or an instruction that says .mmio: no cache answers, nothing is combined, and of a warp's
  /// (of another agent's) such accesses one is under way at a time, in program order. Never of a pool's line.
  bool mmio = false;
  bool whole_words = false;    // of a store: it writes each byte of the words that it touches
  bool poll : 1 = false;       // of a load: the home may hold it (ask_poll)
  bool of_thread : 1 = false;  // local memory: nobody but one thread accesses these words
  Scope scope = Scope::none;
  u8 lanes = 1;                          // that take part: an atomic takes the home a turn each
  core::Account account = core::nobody;  // the launch's, or the copy engines'
  u8 warp = 0;  // the SM's slot: the warp that accesses (persistency models keep masks of warps)
};
static_assert(sizeof(LineAccess) <= 40);

class Agent {
 public:
  virtual ~Agent() = default;
  /// Performs the part's lanes on the bytes of its line: loads and atomics write the lanes' registers, stores and
  /// atomics change the bytes. Called once a part, at the moment when it is performed in the private cache. Answers
  /// which bytes it wrote. Must not call the private cache; nor may any other of these functions.
  virtual ByteMask perform(u32 access, u32 part, u8* bytes) = 0;
  /// The home will perform this part, an atomic or reduction: writes down what its lanes do.
  virtual void ask(u32 access, u32 part, LineAtomic&) = 0;
  /// It has done so, and this is what they found. Before complete().
  virtual void found(u32 access, u32 part, const LineAtomic&) = 0;
  /// The home may hold this part, a poll: writes down what it expects to find, and for how long.
  virtual void ask_poll([[maybe_unused]] u32 access, [[maybe_unused]] u32 part, HeldPoll&) {}
  /// It has been held for so many rounds. Before perform().
  virtual void poll_held([[maybe_unused]] u32 access, [[maybe_unused]] u32 part, const HeldPoll&) {}
  /// The part will be performed soon: what perform() looks at may be brought into the host's caches.
  virtual void expect(u32 /*access*/, u32 /*part*/) const {}
  /// The part is over, once for each part that was answered `pending`: a load's or atomic's value has arrived; a store
  /// or reduction is visible to every agent. A store answered `performed` gets none: release() tells of its visibility.
  virtual void complete(u32 access, u32 part, ServedBy by) = 0;
  /// What a stalled access waited for may be there now: the first in the agent's queue may try again.
  virtual void wake() = 0;
  /// Warps that the persistency model held may go on, one bit each; some may not have been held. May come from within
  /// PrivateCache::access(), which is about another warp then.
  virtual void resume(u64) {}
  /// PrivateCache::release(token) is over.
  virtual void released(u32 token) = 0;
};

}  // namespace ew::memory
