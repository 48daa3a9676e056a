// Runs the instructions of one warp at a time. Owned by a Gpu; knows nothing of dispatch. A warp runs until its
// budget is spent or it cannot go on; what it wakes (a barrier's other warps) shows in Block::ready.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "simt/block.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

enum class Outcome : u8 {
  running,   // budget spent
  spinning,  // it runs but waits for someone: let the others go first
  blocked,   // no split of it can run
  ended,     // all lanes have exited
  faulted    // fault() says why
};

/// What the looks at all warps of a machine (standstill.hpp) need to know of those that spin.
struct SpinWatch {
  u32 look = 1;      // lanes seen to spin since then are in Spinning::spun
  u64 changes = 0;   // of values that were polled in vain before; other ends of waits
  bool any = false;  // a warp spins, since this was last cleared
  // Whether registers of lanes that spin are compared from round to round, and how often they differed: a loop that
  // counts ends by itself.
  bool judges = false;
  u64 moves = 0;
};

/// Lane values of a warp-synchronous operation, gathered from the splits that take part.
struct Gathered {
  alignas(64) std::array<u32, warp_lanes> value, high, b, c, result, result_high;
  LaneMask predicate = 0, predicate_result = 0;
};

class Executor {
 public:
  Executor(Performer&, DeviceServices&, memory::AddressSpace&, const GpuLimits&);
  ~Executor();

  /// Runs at most `budget` warp instructions of `warp` and says how many in `executed`.
  Outcome run(Warp& warp, u64 budget, u64& executed);
  /// Makes a split that runs current, at the instruction that it executes next. False: none runs. For a GPU that must
  /// know the next instruction before it executes it.
  bool make_ready(Warp&);
  /// Executes that instruction alone. REQUIRES: make_ready() was true, and it is arithmetic (Op::alu or above).
  void step(Warp&);
  /// What a performer had kept pending has been performed, or refused; operation.hpp says when to call it. The warp is
  /// as if that had been done at once, its bit in Block::ready is set. False: faulted, take_fault() says why.
  bool finish(const MemoryOp&, Performed);
  void finish(const SyncOp&);
  /// The grid has failed: what it had pending will not be finished.
  void forget(const Grid&);
  /// The fault of the last run() or finish() that ended in one.
  Fault take_fault();
  /// All warps of this block wait and nobody can come: who waits where.
  Fault deadlock(const Block&);
  /// The same under a heading of the caller's.
  Fault deadlock(const Block&, std::string_view what, FaultKind kind = FaultKind::barrier_deadlock);
  /// A fault that no single instruction caused.
  Fault fault_of(const Warp&, FaultKind, std::string what);
  /// Wakes splits of the block's sleeping warps whose time has come; the earliest wake of the others.
  u64 wake_sleepers(Block&, u64 cycle);
  /// For Standstill.
  SpinWatch& watch() { return watch_; }
  /// op.lanes have polled, and their registers hold what they found. Of lanes that a performer answers at once while
  /// others of the instruction are pending, the performer says so.
  static void note_poll(const MemoryOp& op);

 private:
  /// Everything but arithmetic, uniform branches and memory; the current split stands at the instruction. False: no
  /// split is left to go on with, or a fault.
  bool control(Warp&, const ptx::Instr&, LaneMask);

  // Control flow (control.cpp). Each leaves the current split ready to go on, or answers false when none is.
  bool branch(Warp&, const ptx::Instr&, LaneMask taken);
  bool branch_table(Warp&, const ptx::Instr&, LaneMask);
  bool call(Warp&, const ptx::Instr&, LaneMask);
  bool return_from(Warp&, LaneMask);
  bool exit(Warp&, LaneMask);
  bool backward_branch(Warp&, ptx::Pc from);

  // Warps that spin, and lanes of theirs that are let go (release.cpp).
  void after_poll(Warp&, ptx::Pc from);
  void look_at_loop(Warp&, ptx::Pc from);
  void spins(Warp&, ptx::Pc from, bool begins);
  void consider_release(Warp&);
  void too_many_rounds(Warp&);

  u32 meeting_of(Warp&, ptx::Pc branch);  // of the lanes that part there
  void only(Warp&, LaneMask);             // the other lanes of the split wait behind the instruction
  bool go_on(Warp&, ptx::Pc);             // the current split goes on there; false: it waits and no other runs
  bool another(Warp&);                    // the current split is gone or waits: make another current

  // Calls of functions that the simulator answers (system_calls.cpp).
  bool system_call(Warp&, const ptx::CallForm&, LaneMask);
  u64 frame_value(const Warp&, u32 lane, u32 offset, u32 size) const;
  void set_frame_value(Warp&, u32 lane, u32 offset, u32 size, u64 value);
  void copy_frame(Warp&, u32 from, u32 to, u32 size, LaneMask);
  const u8* readable(Warp&, u32 lane, u64 address, u64 bytes, std::vector<u8>& copy);

  // Barriers (barriers.cpp).
  bool barrier(Warp&, const ptx::BarrierForm&, LaneMask);
  void arrive(Warp&, Split&, const SyncOp&);
  void complete(Block&, u32 barrier);
  void check_barriers(Block&);
  bool sleep(Warp&, const ptx::Instr&, LaneMask);
  void fall_asleep(Warp&, Split&, const SyncOp&);

  // What is done at once and what is pending (completion.cpp).
  bool synchronise(Warp&, SyncOp&);
  void carry_out(Warp&, Split&, const SyncOp&);  // what it does to its warp
  bool park(Warp&, LaneMask);
  bool wait_for(MemoryOp&, LaneMask);
  static Split& parked(Warp&, ptx::Pc, LaneMask);
  static void wake(Warp&);

  // Warp-synchronous operations (warp_sync.cpp).
  bool warp_sync(Warp&, const ptx::Instr&, LaneMask);
  bool complete_warp_syncs(Warp&);
  LaneMask missing_lanes(const Warp&, const Split&) const;  // that a split at a warp-synchronous operation waits for
  void gather(Warp&, const Split&, const ptx::Instr&, LaneMask, Gathered&);
  void scatter(Warp&, const Split&, const ptx::Instr&, LaneMask, const Gathered&);
  static void perform(const ptx::Kernel&, const ptx::Instr&, LaneMask group, Gathered&);

  // Memory (memory_access.cpp), mbarriers (mbarrier.cpp), textures and surfaces. Each answers true when it has been
  // performed; false: a fault, or the current split waits for it.
  bool memory_access(Warp&, const ptx::Instr&, LaneMask);
  void begin_access(Warp&, LaneMask, u32 made);
  bool mbarrier(Warp&, const ptx::Instr&, LaneMask);
  bool texture(Warp&, const ptx::Instr&, LaneMask);
  TextureAccess& begin_texture(Warp&, const ptx::TextureForm&, LaneMask);
  void release(TextureAccess&);
  const TextureObject* texture_object(Warp&, const ptx::TextureForm&, u32 lane);
  bool find_taps(TextureAccess&);
  bool read_texels(TextureAccess&);
  bool finish_texel(TextureAccess&);
  static void write_answer(const TextureAccess&);
  bool surface(Warp&, const ptx::TextureForm&, LaneMask);
  static void zero_destinations(const MemoryOp&, LaneMask);

  // Plain lane values (special.cpp).
  void special(Warp&, const ptx::Instr&, LaneMask);
  void frame_address(Warp&, const ptx::Instr&, LaneMask);
  void address_query(Warp&, const ptx::Instr&, LaneMask);
  void convert_address(Warp&, const ptx::Instr&, LaneMask);

  // Reports (reports.cpp). Each sets the fault and answers false.
  bool refuse(Warp&, FaultKind, LaneMask, std::string what);
  bool refuse(const Warp&, const Split&, FaultKind, LaneMask, std::string what);
  bool refuse_access(Warp&, const MemoryOp::Refusal&);  // of no operation
  bool refuse_access(const MemoryOp&);
  bool refuse_access(const Warp&, const Split&, const ptx::MemoryForm*, const MemoryOp::Refusal&);
  /// `scope_bug`: set when it polls a value that is older than what memory has.
  std::string what_it_waits_for(const Warp&, const Split&, bool& scope_bug) const;
  std::string what_it_polls(const Warp&, const Split&, bool& scope_bug) const;

  Performer& performer_;
  DeviceServices& services_;
  memory::AddressSpace& space_;
  const GpuLimits& limits_;
  std::optional<Fault> fault_;
  u64 cycles_in_run_ = 0;  // of the running warp, beyond its SM's cycle
  bool yield_ = false;     // the running warp waits for someone
  SpinWatch watch_;
  MemoryOp op_;
  std::vector<std::unique_ptr<TextureAccess>> texture_accesses_;
  std::vector<TextureAccess*> free_texture_accesses_;
};

}  // namespace ew::simt
