// The private cache of one agent (an SM's L1). Holds data: what it answers may be stale, as the
// protocol allows. Owned by the machine; called by its agent and by the network.
//
// A line keeps valid and owned a word, dirty a byte, and, while it is on its way, the number of its MSHR.
// Accesses by one thread to the same bytes are performed in program order whatever their kinds.
#pragma once

#include <memory>
#include <string>

#include "memory/cache/answers.hpp"
#include "memory/cache/loads.hpp"
#include "memory/cache/prefetches.hpp"
#include "memory/cache/stores.hpp"

namespace ew::memory {

class PrivateCache final : public Receiver {
 public:
  PrivateCache(const PrivateCacheConfig&, const CacheSurroundings&);

  /// Once, before the first access. A model is made for an SM's cache only. REQUIRES: CacheSurroundings::persists.
  void attach(std::unique_ptr<Persistency>, PersistencyTraits);
  PersistMachinery& persist_machinery() { return parts_.persists; }

  /// One part of an access, in the current cycle. A store that is answered `performed` has its bytes in the line and is
  /// visible once a later release() is over (or at once, if the protocol demands ownership); one that waits for
  /// ownership or goes to the home at once is `pending`, and complete() says that it is visible.
  Accepted access(const LineAccess&, Stall& why);

  /// Copies that the protocol holds for possibly stale go, before the next access is accepted.
  void acquire(Scope, core::Account = core::nobody);
  /// Agent::released(token) when every store, reduction and atomic accepted before this call, by any of the agent's
  /// threads and in whatever way, is visible at `scope`. True: it is so already, and released() is not called.
  /// Where releases drain one warp's stores (CacheSurroundings::drains_own): by this warp, or on its way.
  bool release(Scope, u32 token, core::Account = core::nobody, u32 warp = 0);
  /// An order operation of these warps. True: they go on. Else Agent::resume() names them when they ask again.
  bool order(PersistOrder, Scope, u64 warps, core::Account = core::nobody);
  /// Persistency::on_flag.
  void flag(PersistOrder, u64 flag, u32 warp);
  /// From now on the cache has so many bytes, in whole sets, and PrivateCacheConfig::bytes at most: its lines leave.
  /// Nothing happens while a line is on its way, or has bytes that are to become durable.
  void resize(u64 bytes, core::Account = core::nobody);
  /// A kernel begins: an acquire of all, and what the last kernel might only read may have been written since.
  void begin_kernel(core::Account = core::nobody);
  /// A copy engine, or the host, is about to write memory, or has.
  void memory_changes() { parts_.lines.read_only.memory_changes(); }
  /// Persists become durable, and everything dirty goes to the image, or is owned, as the protocol says. Copies that do
  /// not outlive kernels (AgentPolicy) go. Then released(token), or true: nothing had to be waited for. Accesses that
  /// are under way go on, with their lines, and nobody waits for them; new ones are stalled while persists become
  /// durable and prefetches come. REQUIRES: no other kernel ends here meanwhile.
  bool end_kernel(u32 token, core::Account = core::nobody);
  /// Past the machine, in no time: bytes of this line that only this cache has come to the image, or (written) what
  /// somebody put into the image comes to this copy. Nothing else changes.
  void meet_image(u64 line, bool written);

  /// A part of an access will touch this line soon. Decides nothing, as the next.
  void expect_line(u64 line) const { parts_.lines.expect_line(line); }
  /// The cache will receive these messages before `end`. What it then looks at comes into the host's caches, in steps 0
  /// to 2: a step follows what the step before it has brought.
  void expect(const core::Inbox&, core::Cycle end, u32 step);
  void receive(const Request&) override;

  /// No message, MSHR or write under way.
  bool quiescent() const;
  PrivateCacheStatistics statistics() const { return parts_.counts.total(); }
  /// core::Accounts::tell.
  void tell(core::AccountHolders& holders, u32 number) { parts_.counts.tell(holders, number); }
  PrivateCacheStatistics take(core::Account account) { return parts_.counts.take(account); }
  /// One line for each MSHR, write and release under way: for deadlock reports.
  std::string what_is_under_way() const;

  /// For contract suites and checkers: the state of a word's copy. Not for models.
  struct Peek {
    bool valid = false, owned = false;
    u32 value = 0;
    u8 dirty_bytes = 0;
  };
  Peek peek(u64 word_address) const;

 private:
  Accepted mmio_access(const LineAccess&, Stall& why);
  void accepted(const LineAccess&, Accepted);

  CacheParts parts_;
  Room room_{parts_};
  Ownership ownership_{parts_, room_};
  Loads loads_{parts_, room_, ownership_};
  Stores stores_{parts_, room_, ownership_};
  Answers answers_{parts_};
  Prefetches prefetches_{parts_, room_};
};

}  // namespace ew::memory
