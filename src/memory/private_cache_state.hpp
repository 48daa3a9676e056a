// The inside of a private cache: what private_cache*.cpp share. Owned by PrivateCache.
//
// Invariants
// - A line with an MSHR is not evicted. An MSHR without a line (way == no_way) is one part that is performed at the
// home.
// - dirty lines that are not owned stand in the write buffer, oldest first; each of them holds one of its slots, and so
//   does every write and reduction on its way.
// - No store is put into a word that an older part still waits for: it stalls, or waits behind it.
// - What an answer brings is not put over bytes that were written here after its request had left (dirty, or
// Mshr::keep),
//   and is not kept for words whose copy was given up meanwhile (Mshr::poison).
#pragma once

#include "core/ring.hpp"
#include "memory/impossible.hpp"
#include "memory/masks.hpp"
#include "memory/private_cache.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

struct PrivateCache::State final : PersistMachinery {
  static constexpr u32 none = ~u32{0};

  struct Line {
    WordMask valid = 0, owned = 0;
    ByteMask dirty;
    u32 epoch = 0;     // in which `valid` was true
    u32 mshr = none;   // the request under way for it
    u32 older = none;  // in the write buffer, if `buffered`
    u32 younger = none;
    bool buffered = false;                 // in the write buffer, or, if `persistent`, among the dirty persistent lines
    bool persistent = false;               // a pool's, and its stores are persists
    core::Account account = core::nobody;  // that wrote its dirty bytes last
    Cycle joined = 0;
  };

  struct Part {
    LineAccess access;
    u32 next = none;
    u32 generation = 0;  // of a store: the release that waits for it
    bool merged = false;
  };

  struct Mshr {
    u64 line = no_line;
    u32 way = no_way;
    u32 first = none, last = none;  // waiting parts, in order
    u32 count = 0;
    u32 epoch = 0;
    bool persistent = false;
    WordMask outstanding = 0;     // asked for, not here yet
    WordMask poison = 0;          // no younger load may see what the older ones wait for; not to be kept
    WordMask waited = 0;          // touched by waiting parts
    WordMask waiting_stores = 0;  // … that write
    ByteMask keep;                // written here since the request left
    u32 next_free = none;
    bool active = false;
  };

  /// Lines with dirty bytes, by the time of the first.
  struct DirtyList {
    u32 oldest = none, youngest = none, count = 0;
  };

  struct Release {
    u32 token = 0, generation = 0;
  };

  State(const PrivateCacheConfig&, const Parts&);

  // private_cache.cpp: accesses
  Accepted access(const LineAccess&, Stall&);
  Accepted load(const LineAccess&, Stall&);
  Accepted load_miss(const LineAccess&, u32 way, Stall&);
  Accepted load_at_home(const LineAccess&, u32 way, Stall&);
  Accepted store_through(const LineAccess&, Stall&);
  Accepted store_direct(const LineAccess&, u32 way, Stall&);
  Accepted store_owned(const LineAccess&, Stall&);
  Accepted atomic_at_home(const LineAccess&, Stall&);
  Accepted mmio_access(const LineAccess&, Stall&);
  void mmio_over(u32 access, u32 part);
  Accepted without_line(Stall& why);
  Accepted stall(Stall& why, Stall reason);
  /// Words in which an older part that waits will see, or write, something else than is there now.
  static WordMask may_change(const Mshr& m) { return m.waiting_stores | (m.waited & m.outstanding); }
  bool beyond_private(const LineAccess& a) const { return a.at_home || (a.strong && a.scope != Scope::cta); }
  u32 find(u64 line) const { return tags.find(line, parts.map.physical(line)); }
  u32 allocate(const LineAccess&);  // an empty way, or no_way: see without_line()
  void give_up(u32 way, WordMask);
  void touch(u32 way, const LineAccess&);
  void perform_store(u32 way, const LineAccess&);

  // private_cache_fill.cpp: MSHRs and answers
  u32 take_mshr(u64 line, u32 way);
  void free_mshr(u32 number);
  void append(Mshr&, const LineAccess&, bool merged);
  void request(RequestKind, u32 mshr, WordMask);
  void data(const Request&);
  void install(Mshr&, const Request&);
  void data_without_line(const Request&);
  void perform_waiting(u32 mshr, ServedBy);
  void written(const Request&);
  void refresh(Line& line) {
    if (line.epoch != epoch[line.persistent]) give_up_stale(line);
  }
  void give_up_stale(Line&);
  void refresh(Mshr&);

  // private_cache_probe.cpp
  void probe(const Request&);
  void answer_forward(const Request&, u32 way, WordMask have);
  void drop_if_empty(u32 way);

  // private_cache_order.cpp: write buffer, acquire, release, flush
  bool room() const;
  void join(u32 way);
  void append(DirtyList&, u32 way);
  void leave(u32 way);
  void arm_drain();
  void drain(u32 way, u32 access, u32 part);
  void drain_aged(u64, u64);
  void drain_all();
  u32 open();
  void settle(u32 generation);
  void fire_releases();
  bool release(u32 token);
  void flush_lines();
  void line_left(u32 flush);
  void wake(u64, u64);

  // private_cache_persist.cpp: what persistency asks for, and what it is asked
  void flush(u32 way) override;
  void flush_persistent() override;
  void flush_volatile() override;
  void invalidate(bool volatile_lines_too) override;
  u32 in_flight() const override { return persists.in_flight; }
  bool when_durable(u64 warps) override;
  bool take_accessed(u64 warps) override {
    return std::exchange(persists.accessed, persists.accessed & ~warps) & warps;
  }
  void resume(u64 warps) override { parts.agent.resume(warps); }
  void drained() override;
  void entered(PersistOrder, PersistEntry) override;
  void window_full(bool) override;
  Accepted hold(Stall& why, PersistHold);
  Accepted persist(const LineAccess&, Stall&);
  Accepted persist_through(const LineAccess&, u32 way, Stall&);
  bool may_go_home(const LineAccess&, u32 way, WordMask, PersistHold&);
  void went_home(const LineAccess&, Stall&);
  u8 open_persist();
  void durable(const Request&);
  void fire_durable_marks();
  bool order(PersistOrder, Scope, u64 warps);

  void send(Request, Node, u32 data_bytes);
  void send_home(const Request&, u32 data_bytes);
  Cycle& bank_of(u64 line) {
    const u64 number = line >> line_shift;
    return bank_free[bank_mask ? number & bank_mask : number % config.banks];
  }
  u8* bytes(u32 way) { return data_.get() + u64{way} * config.line; }
  Cycle now() const { return parts.wheel.now(); }

  PrivateCacheConfig config;
  PrivateCache::Parts parts;
  Permission permission;
  WordMask whole_line;
  /// What follows is on this account, and so are the messages that it sends.
  void act_for(core::Account whose) {
    if (whose == account) return;
    account = whose;
    counts = &accounts[whose];
  }
  core::Accounts<PrivateCacheStatistics> accounts;
  core::Account account = core::nobody;
  PrivateCacheStatistics* counts = &accounts[core::nobody];
  PrivateCacheStatistics statistics;  // all together, when somebody asks

  TagArray tags;
  std::vector<Line> lines;
  std::unique_ptr<u8[]> data_;  // what has not been filled was never touched
  std::vector<Cycle> bank_free;
  std::array<u8, longest_line / word_bytes + 1> bank_cycles{};  // of an access to so many words
  u32 line_shift;
  u64 bank_mask;  // 0: their number is no power of two, or one

  std::vector<Mshr> mshrs;
  u32 free_mshrs = none, active_mshrs = 0;
  std::vector<Part> waiting;
  u32 free_part = none;

  DirtyList write_buffer, dirty_persistent;
  u32 writes_under_way = 0;  // persists are not among them
  bool drain_armed = false;

  /// Stores that are not visible yet, counted by the release that will wait for them.
  static constexpr u32 generations = 256;
  std::array<u32, generations> open_stores{};
  u32 oldest_generation = 0, generation = 0;
  u64 open_total = 0;
  core::Ring<Release> releases;

  /// By warp of the agent: the mmio access that is under way, and its parts (one bit each).
  struct Mmio {
    u64 warps = 0;
    std::array<u32, 64> access{}, parts{};
  } mmio;

  /// Persists on their way, counted by who waits for them. A persist's number is 1 + generation % 255.
  struct Persists {
    struct Mark {
      u32 generation = 0;
      u64 warps = 0;
    };
    std::array<u32, 255> open{};
    u32 oldest = 0, generation = 0, in_flight = 0;
    u64 accessed = 0;  // warps
    core::Ring<Mark> marks;
    bool evicting = false, draining = false;
    bool window_is_full = false;
    Cycle window_full_since = 0, drain_since = 0;
  } persists;
  std::unique_ptr<Persistency> model;
  PersistencyTraits traits;

  std::array<u32, 2> epoch{};  // of volatile lines, of persistent ones
  bool stalled = false, wake_armed = false;
  bool flushing = false, flush_waits = false;  // flush_waits: for persists
  u32 flush_token = 0, flushes = 0;
  core::Account flush_account = core::nobody;
  // Lines' dirty bytes on their way, by the flush that waits for them: its number's parity.
  std::array<u32, 2> lines_leaving{};
};

}  // namespace ew::memory
