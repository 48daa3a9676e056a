// Between a private cache and its persistency model: what the model is asked, and what it asks for. Owned by the cache.
// Without a model (programs without a pool) every question is answered at once.
#pragma once

#include <memory>
#include <utility>

#include "memory/cache/flush.hpp"
#include "memory/persistency.hpp"

namespace ew::memory {

class PersistControl final : public PersistMachinery {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    Agent& agent;
    LineStore& lines;
    WriteBuffer& buffer;
    Flush& flush;
    PersistsUnderWay& under_way;
    CacheCounts& counts;
  };
  explicit PersistControl(const Parts& parts) : parts_(parts) {}
  void attach(std::unique_ptr<Persistency> model, PersistencyTraits traits) {
    model_ = std::move(model);
    traits_ = traits;
    if (model_ && !traits.buffered) parts_.buffer.let_persists_leave();
  }

  Persistency* model() const { return model_.get(); }
  const PersistencyTraits& traits() const { return traits_; }
  /// A part of an access to a persistent line was accepted.
  void accessed(u32 warp) { accessed_ |= u64{1} << warp % 64; }
  /// A persist leaves: its number for Request::persist.
  u8 open() {
    ++parts_.counts->persist.sent;
    return parts_.under_way.open();
  }
  /// May the access go home now, ahead of what the model keeps? Dirty bytes in its way leave with it or before it.
  PersistHold may_go_home(u32 way, WordMask words, u32 warp) const;
  /// It went. `why` says so if the warp is held.
  void went_home(u32 warp, Stall& why);
  /// The dirty bytes of this line would leave before their time, if they are among these words.
  PersistHold may_leave(u32 way, WordMask words, u32 warp) const;
  /// An order operation of these warps. True: they go on.
  bool order(PersistOrder, Scope, u64 warps);
  /// A persist is durable. REQUIRES: a model.
  void durable();
  /// Persists leave for the flush that has begun. True: they are durable.
  bool drain();

  // What the model asks for.
  void flush(u32 way) override { parts_.buffer.drain(way); }
  void flush_persistent() override;
  void flush_volatile() override { parts_.buffer.drain_all(); }
  void invalidate(bool volatile_lines_too) override { parts_.lines.give_up_copies(volatile_lines_too, true); }
  u32 in_flight() const override { return parts_.under_way.count(); }
  bool when_durable(u64 warps) override { return parts_.under_way.when_durable(warps); }
  bool take_accessed(u64 warps) override { return std::exchange(accessed_, accessed_ & ~warps) & warps; }
  void resume(u64 warps) override { parts_.agent.resume(warps); }
  void drained() override;
  void entered(PersistOrder, PersistEntry) override;
  void window_full(bool) override;

 private:
  Parts parts_;
  std::unique_ptr<Persistency> model_;
  PersistencyTraits traits_;
  u64 accessed_ = 0;  // warps, since the model asked last
  bool window_is_full_ = false;
  Cycle window_full_since_ = 0, drain_since_ = 0;
};

}  // namespace ew::memory
