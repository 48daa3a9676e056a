// The seam between function and time. An instruction that touches memory, in any state space, yields a MemoryOp; a
// barrier, a fence or a wait yields a SyncOp. Whoever performs it writes the destination registers. In functional mode
// a flat memory performs at once; in timing mode the hierarchy does. Nothing else differs between the two.
#pragma once

#include <array>

#include "core/types.hpp"
#include "ptx/kernel.hpp"
#include "simt/fault.hpp"

namespace ew::simt {

struct Block;
struct Warp;

struct MemoryOp {
  const ptx::MemoryForm* form = nullptr;
  Warp* warp = nullptr;
  ptx::Pc pc = 0;
  LaneMask lanes = 0;   // that take part
  u32* rows = nullptr;  // register rows of the activation: destinations and store data by form->data
  const u32* constants = nullptr;
  bool uniform = false;  // every lane has the same address, known without looking (no address row)
  // Byte addresses a lane: the form's offset is added already. Window generic, global and constant: host virtual
  // address or a window of address_space.hpp; shared: offset in the block's shared memory; local and frame: offset in
  // the lane's local memory; param: offset in the kernel's parameters.
  alignas(64) std::array<u64, warp_lanes> address;

  // What a performer that answers `faulted` says of the first lane that may not do this.
  struct Refusal {
    FaultKind kind = FaultKind::none;
    u32 lane = 0;
    u64 address = 0;  // as the program wrote it
    u32 bytes = 0;
  } refusal;
};

enum class SyncKind : u8 { block_barrier, warp_barrier, fence, sleep, async_wait, mbarrier_wait };

struct SyncOp {
  SyncKind kind = SyncKind::fence;
  Warp* warp = nullptr;
  ptx::Pc pc = 0;
  LaneMask lanes = 0;
  u32 barrier = 0;  // block_barrier: number
  u32 threads = 0;  // block_barrier: how many threads complete it
  ptx::Order order = ptx::Order::acq_rel;
  bool sequentially_consistent = false;
  Scope scope = Scope::none;
  u64 nanoseconds = 0;  // sleep
};

enum class Performed : u8 {
  done,     // destination registers are written, the warp goes on
  pending,  // the performer will write them and wake the warp
  faulted   // MemoryOp::refusal says why; nothing was performed
};

/// Performs what warps ask for. One a machine mode; called by the SM only.
class Performer {
 public:
  virtual ~Performer() = default;
  virtual Performed memory(MemoryOp&) = 0;
  virtual Performed sync(SyncOp&) = 0;
};

}  // namespace ew::simt
