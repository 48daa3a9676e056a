// The load/store unit of an SM: takes accesses in order, sends them to the private cache line by line, and gets its
// answers. Owned by the SM.
//
// An access that the private cache stalls stays at the head, and those behind it wait. One that the persistency model
// holds leaves with its warp's others, so that those of other warps pass. The hierarchy performs a part of an access
// where its line is, and says when it is over.
#pragma once

#include <string>

#include "memory/address_map.hpp"
#include "simt/sm/access_completion.hpp"
#include "simt/sm/access_queue.hpp"
#include "simt/texture_sampler.hpp"

namespace ew::simt {

/// Accesses that one instruction may take.
inline constexpr u32 most_of_an_instruction = 2 * most_taps;

class LoadStoreUnit {
 public:
  /// With whom it works.
  struct Parts {
    core::TimeWheel& wheel;
    Alarm& alarm;
    WarpTable& table;
    HeldWarps& held;
    AccessOrder& order;
    PollWatch& watch;
    AccessPool& accesses;
    AccessCompletion& completion;
    Issuing& issuing;
  };
  LoadStoreUnit(const SmSetup&, const Parts&);
  void attach(LinePort& port) { port_ = &port; }

  // At issue.
  /// May one more memory instruction issue? It may bring a few accesses.
  bool takes_more(Cycle now) const {
    return queue_.size() < config_.memory_queue && has_room() && free_from_ <= now + config_.memory_queue;
  }
  bool has_room() const { return with_.accesses.room() > most_of_an_instruction; }
  /// When it takes one more, as far as no answer is needed for that; never.
  Cycle takes_more_from(Cycle now) const {
    if (queue_.size() >= config_.memory_queue || !has_room()) return core::never;
    return std::max(now + 1, free_from_ - std::min<Cycle>(free_from_, config_.memory_queue));
  }
  /// An access of the instruction that issues. REQUIRES: the pool has room.
  Access& begin(AccessPath);
  /// True: it is over already, and what it read is in the registers. Else the scoreboard waits for it. The caller has
  /// filled in its parts.
  bool send(Access&);
  /// Values are known: the unit is busy for a while, and the result comes so many cycles after that began.
  void work(u32 busy, u32 latency, Source);
  /// Cycles that it takes for the addresses of these lanes.
  u32 cycles_of(LaneMask lanes) const {
    return (static_cast<u32>(std::popcount(lanes)) + config_.load_store_lanes - 1) / config_.load_store_lanes;
  }

  /// It will step soon: the access at the head comes into the host's caches.
  void expect() const {
    if (queue_.size()) with_.accesses.expect(queue_.front());
  }
  /// Sends what waits, as far as it goes in this cycle.
  void step(Cycle now);
  Cycle due(Cycle now) const { return queue_.size() && !head_stalled_ ? std::max(now + 1, free_from_) : core::never; }
  /// What the access at the head waits for, of those behind which others wait; none: the unit itself.
  memory::Stall blocked_by() const {
    const bool holds_up = head_stalled_ || stall_ == memory::Stall::bank;
    return queue_.size() && holds_up ? stall_ : memory::Stall::none;
  }
  /// The launch has failed.
  void forget(const GridRun&);
  std::string what_is_under_way(u32 sm) const;

  /// What a stalled access waited for may be there.
  void wake() {
    head_stalled_ = false;
    with_.alarm.wake_now();
  }
  /// The persistency model holds these warps no longer; some may not have been held.
  void resume(u64 warps);

 private:
  /// What became of an access at the head: it went; it must be tried again; its warp is held, and keeps it.
  enum class Sent : u8 { over, later, held };
  Sent proceed(u32 access, Cycle now);
  Sent stall(Access&, memory::Stall why, Cycle now);
  void place(Access&, const AccessPart&);
  void retain(u32 access);
  void hold(const Access&, memory::Stall why, bool aside);

  Parts with_;
  LinePort* port_ = nullptr;
  const memory::AddressMap* map_;
  const SmTimingConfig& config_;
  u32 private_latency_;
  AccessQueue queue_;
  Cycle free_from_ = 0;
  bool head_stalled_ = false;
  memory::Stall stall_ = memory::Stall::none;  // the last
};

}  // namespace ew::simt
