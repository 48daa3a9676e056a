// The private cache of one agent (an SM's L1, a CPU core's cache). Holds data: what it answers may be stale, as the
// protocol allows. Owned by the machine; called by its agent and by the network.
//
// A line keeps valid and owned a word, dirty a byte, and, while it is on its way, the number of its MSHR in the tag.
// Accesses by one thread to the same bytes are performed in program order whatever their kinds.
#pragma once

#include <memory>
#include <string>

#include "memory/address_map.hpp"
#include "memory/agent.hpp"
#include "memory/memory_config.hpp"
#include "memory/network.hpp"
#include "memory/persistency.hpp"
#include "memory/protocol.hpp"

namespace ew::memory {

/// Why an access could not be accepted in this cycle (GSI's "memory structural" stalls).
/// The last four are holds of the persistency model: Agent::resume() names the warp when it may try again, and until
/// then its later accesses must not come.
enum class Stall : u8 {
  none,
  bank,
  mshr,
  merge,
  line,
  write_buffer,
  release,
  network,
  persist_buffer,
  persist_order,
  persist_eviction,
  persist_durable  // of an access that was accepted
};
inline constexpr u32 stalls = 12;
inline bool holds_the_warp(Stall why) {
  return why >= Stall::persist_buffer;
}

enum class Accepted : u8 {
  performed,  // Agent::perform has been called; the value counts from `latency` cycles on; complete() is not called
  pending,    // Agent::perform and complete() come later
  stalled     // nothing has happened; Agent::wake() says when to try again
};

/// Persists of one private cache. Empty without a persistency model.
struct PersistStatistics {
  u64 stores = 0, joined = 0, through = 0;  // parts of accesses
  u64 sent = 0, acknowledged = 0;
  u64 lines = 0, bytes = 0;  // of those that waited in a line
  u64 evictions = 0, flushed_at_orders = 0, flushed_at_ends = 0;
  u64 read_misses = 0, words_invalidated = 0;
  std::array<u64, persist_holds> held{};
  std::array<u64, persist_orders> orders{}, entered{}, merged{};
  u64 orders_held = 0, window_full_cycles = 0, drains = 0, drain_cycles = 0;
};

struct PrivateCacheStatistics {
  u64 loads = 0, load_hits = 0, load_merges = 0, load_misses = 0;
  u64 stores = 0, store_hits = 0, atomics = 0, atomic_hits = 0, mmio = 0;
  u64 sectors_fetched = 0, lines_evicted = 0, lines_written = 0, bytes_written = 0, bytes_through = 0;
  u64 acquires = 0, words_invalidated = 0, releases = 0, lines_drained = 0;
  u64 probes = 0, forwards = 0;
  PersistStatistics persist;
  std::array<u64, stalls> stalled{};
};

class PrivateCache final : public Receiver {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    Payloads& payloads;
    Network& network;
    Agent& agent;
    const Protocol& protocol;
    const AddressMap& map;
    AgentId id;
    u32 agents;             // homes' nodes start here
    bool dma = false;       // its traffic is counted as such
    bool persists = false;  // what it writes to persistent lines is to become durable at once
  };
  PrivateCache(const PrivateCacheConfig&, const Parts&);
  ~PrivateCache() override;

  /// Once, before the first access. A model is made for an SM's cache only. REQUIRES: Parts::persists.
  void attach(std::unique_ptr<Persistency>, PersistencyTraits);
  PersistMachinery& persist_machinery();

  /// One part of an access, in the current cycle. A store that is answered `performed` has its bytes in the line and is
  /// visible once a later release() is over (or at once, if the protocol demands ownership); one that waits for
  /// ownership or goes to the home at once is `pending`, and complete() says that it is visible.
  Accepted access(const LineAccess&, Stall& why);

  /// Copies that the protocol holds for possibly stale go, before the next access is accepted.
  void acquire(Scope, core::Account = core::nobody);
  /// Agent::released(token) when every store, reduction and atomic accepted before this call, by any of the agent's
  /// threads and in whatever way, is visible at `scope`. True: it is so already,
  /// and released() is not called.
  bool release(Scope, u32 token, core::Account = core::nobody);
  /// An order operation of these warps. True: they go on. Else Agent::resume() names them when they ask again.
  bool order(PersistOrder, Scope, u64 warps, core::Account = core::nobody);
  /// Persistency::on_flag.
  void flag(PersistOrder, u64 flag, u32 warp);
  /// Everything dirty goes to the image, persists become durable, and every copy is dropped (kernel end, context
  /// reset); then released(token), or true: nothing had to go. Accesses that are under way go on, with their lines, and
  /// nobody waits for them; new ones are stalled while persists become durable. REQUIRES: no other flush under way.
  bool flush(u32 token, core::Account = core::nobody);

  void receive(const Request&) override;

  /// No message, MSHR or write under way.
  bool quiescent() const;
  const PrivateCacheStatistics& statistics() const;
  PrivateCacheStatistics take(core::Account);
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
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ew::memory
