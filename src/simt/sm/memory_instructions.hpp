// What does a memory instruction ask for, when it issues? Which windows its lanes point into, which lines these fall
// into, how the access stands to the order of its warp. Owned by the SM; the load/store unit takes what it makes.
#pragma once

#include "simt/constant_cache.hpp"
#include "simt/sm/load_store_unit.hpp"
#include "simt/sm/scratchpad.hpp"
#include "simt/sm/steady_polls.hpp"

namespace ew::simt {

class MemoryInstructions {
 public:
  /// With whom it works.
  struct Parts {
    FlatMemory& flat;
    EventRecorder* recorder;
    WarpTable& table;
    AccessOrder& order;
    Polls& polls;
    SteadyPolls& steady_polls;
    LocalMemory& local;
    LoadStoreUnit& unit;
    AccessPool& accesses;
    Issuing& issuing;
  };
  MemoryInstructions(const SmSetup&, u32 sm, const Parts&);
  void attach(LinePort& port) { port_ = &port; }

  /// An instruction asks for memory: Performer::memory() of the warp that issues.
  Performed memory(MemoryOp&);
  /// A kernel begins on the SM: the host may have written constants.
  void begin_kernel(core::Account account) {
    port_->begin_kernel(account);
    constants_.clear();
  }
  /// The SM is empty: its L1 gets what the kernel's blocks leave of the memory that it shares with them.
  void resize_cache(u64 bytes, core::Account account) { port_->resize(bytes, account); }

 private:
  void name_flags(const MemoryOp&);
  // By window.
  Performed global(MemoryOp&);
  Performed generic(MemoryOp&);
  Performed shared(MemoryOp&);
  Performed async_copy(MemoryOp&);
  Performed texels(MemoryOp&);
  Performed at_once(MemoryOp&);
  // What has been performed takes time.
  void shared_time(const MemoryOp&);
  void constant_time(const MemoryOp&);
  void near_time(MemoryOp&);
  void thread_local_time(const MemoryOp&, u64 window);
  void shadow(const MemoryOp&, memory::AccessKind, Source, bool of_thread = false);
  // An access is made.
  void describe(Access&, const MemoryOp&) const;
  static void capture(Access&, const MemoryOp&);
  u8 split(Access&, u32 bytes) const;

  const WarpSlot& warp() const { return with_.table[with_.issuing.slot]; }

  const SmSetup& setup_;
  u32 sm_;
  Parts with_;
  LinePort* port_ = nullptr;
  ConstantCache constants_;
  MemoryOp fetch_;  // of lines that an instruction needs besides its own
};

}  // namespace ew::simt
