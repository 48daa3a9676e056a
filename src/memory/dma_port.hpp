// A copy engine's port on the network: the agent whose private cache asks the homes for the engine's lines. It hands
// its cache one piece after the other, in the order of submit(), and moves the bytes between the piece and the line
// when the home performs the access. An access has the number of its piece. Owned by the copy engine, which has one
// port or several.
#pragma once

#include <deque>
#include <span>

#include "memory/address_map.hpp"
#include "memory/agent.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/dma_pieces.hpp"

namespace ew::memory {

class DmaPort final : public Agent {
 public:
  /// `done` is called from the wheel, never from within the cache. `line`: bytes.
  DmaPort(core::TimeWheel& wheel, const AddressMap& map, u32 line, std::span<DmaPiece> pieces, DmaPieceDone done)
      : wheel_(wheel), map_(map), line_(line), pieces_(pieces), done_(done) {}
  /// Before the first submit().
  void attach(PrivateCache& cache) { cache_ = &cache; }

  /// Reads the piece from its source's line, or writes it to its destination's.
  void submit(u32 piece) {
    waiting_.push_back(piece);
    go_on_soon();
  }

  ByteMask perform(u32 piece, u32 part, u8* bytes) override;
  void complete(u32 piece, u32, ServedBy) override { finish(piece); }
  void wake() override { go_on_soon(); }
  void released(u32) override {}

 private:
  LineAccess access_of(u32 piece) const;
  void go_on(u64, u64);
  // The cache may be the caller: it must not be called back before it is done.
  void go_on_soon() { go_on_at(wheel_.now()); }
  void go_on_at(Cycle);
  void finish(u32 piece) { wheel_.at(wheel_.now(), done_.handler, done_.target, piece); }

  core::TimeWheel& wheel_;
  const AddressMap& map_;
  const u64 line_;
  const std::span<DmaPiece> pieces_;
  const DmaPieceDone done_;
  PrivateCache* cache_ = nullptr;
  std::deque<u32> waiting_;  // the cache has not accepted them yet
  bool asked_ = false;       // go_on() is in the wheel
};

}  // namespace ew::memory
