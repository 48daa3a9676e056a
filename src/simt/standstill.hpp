// Does every warp of a machine wait, so that nothing will ever change unless lanes that wait for others of their warp
// are let go? Both GPUs look now and then, while some warp spins. Owned by DeadlockWatch
// (functional mode) or StuckWatch (timing mode).
//
// A warp waits when each of its lanes stands at a barrier or at a warp-synchronous operation, is kept at the place
// where it will meet others, or was seen to spin (spin_detector.hpp) since the last look. The machine stands still when
// all warps wait at two looks in a row and no polled value has changed in between.
#pragma once

#include <vector>

#include "memory/address_space.hpp"
#include "simt/spin_detector.hpp"

namespace ew::simt {

class Standstill {
 public:
  /// Both outlive it.
  Standstill(SpinWatch& watch, std::vector<Sm>& sms) : watch_(watch), sms_(sms) {}

  /// One look. True: the machine has stood still for so long.
  bool look(u64 now, u64 patience);
  /// At the last two looks nobody could go on.
  bool seems_still() const { return looks_ >= 2; }
  /// A polled value has changed, or lanes have been let go, since everyone waited.
  bool broken() const { return looks_ == 0; }
  /// Lets lanes go, of the warps where that helps most likely; their bit in Block::ready is set. False: no lane waits.
  /// REQUIRES: look() was true.
  bool let_go();
  /// Whether lanes poll memory that the host may write beside a kernel.
  bool polls_host_memory(const memory::AddressSpace&) const;
  /// Of the oldest launch: one with a warp that spins, if there is one. REQUIRES: there is a block.
  const Block& block_to_report() const;
  /// Whose lanes the last let_go() has let go.
  const std::vector<Warp*>& released() const { return released_; }

 private:
  bool waits(const Block&) const;
  bool everyone_waits();
  struct Candidate {
    Warp* warp = nullptr;
    u32 meeting = 0, split = 0;
  };
  void collect(Block&);

  SpinWatch& watch_;
  std::vector<Sm>& sms_;
  u64 changes_ = 0, since_ = 0;
  u32 looks_ = 0;    // in a row at which everyone waited
  u32 busy_sm_ = 0;  // where somebody did something at the last look
  u32 rank_ = 0;     // of the candidates
  std::vector<Candidate> candidates_;
  std::vector<Warp*> released_;
};

}  // namespace ew::simt
