// A performer that performs nothing at once: every operation waits a seeded number of turns, then a FlatMemory performs
// it, in an order of its own between splits, warps and the texels of an instruction. What holds at once must hold so,
// too.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "guard.hpp"
#include "simt/flat_memory.hpp"

namespace ew::test {

/// What went through the seam.
struct Traffic {
  u64 loads = 0, stores = 0, atomics = 0, updates = 0, copies = 0, texels = 0;
  u64 barriers = 0, warp_barriers = 0, fences = 0, sleeps = 0, commits = 0, waits = 0;
  u64 finished = 0;
  u64 most_of_one_warp = 0;  // pending together
};

class DelayedPerformer final : public simt::Performer {
 public:
  /// `goes_on`: plain loads and stores are performed at once, but reported late, while their lanes go on.
  DelayedPerformer(memory::AddressSpace& space, u32 seed, bool goes_on, Traffic& traffic, Guard& guard)
      : memory_(space), random_(seed), goes_on_(goes_on), traffic_(traffic), guard_(guard) {}

  simt::Performed memory(simt::MemoryOp&) override;
  simt::Performed sync(simt::SyncOp&) override;
  void forget(const simt::Grid&) override;
  void step(simt::Finisher&) override;
  bool steps() const override { return true; }

 private:
  struct Pending {
    simt::MemoryOp memory;
    simt::SyncOp sync;
    bool is_memory = false, performed = false;
    const simt::Grid* grid = nullptr;
  };
  void keep(const Pending&);
  simt::Performed perform(simt::MemoryOp&);

  simt::FlatMemory memory_;
  std::mt19937 random_;
  bool goes_on_;
  Traffic& traffic_;
  Guard& guard_;
  std::array<std::vector<Pending>, 12> due_;  // by turn
  std::size_t now_ = 0;
};

}  // namespace ew::test
