// A launch in flight (Grid), a resident block with its barriers, and the SM that runs it. Owned by Residency.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "memory/address_space.hpp"
#include "memory/atomics.hpp"
#include "simt/gpu.hpp"
#include "simt/warp.hpp"

namespace ew::simt {

struct Sm;
struct MemoryOp;
enum class Shape : u8;

/// What of a memory form does not change during a launch, and where in global memory it pointed last.
struct AccessPlan {
  memory::AddressSpace::Bounds bounds;
  u32 bytes = 0;      // of one lane's access
  u32 element = 0;    // of one of its registers
  u32 piece = 0;      // of what is moved at once: an element, 8 at most
  u32 alignment = 1;  // that every address must have
  bool writes = false;
  bool modifies = false;  // what it reads: an atomic, an mbarrier's operation
  bool polls = false;     // a loop around it may wait for someone
  memory::AtomicForm atomic;
  void (*load)(const MemoryOp&, Shape, u64 bias, u32 stride, u32 offset, u32* row) = nullptr;
  void (*store)(const MemoryOp&, Shape, u64 bias, u32 stride, u32 offset, const u32* row) = nullptr;
};

/// In flat_access.cpp.
AccessPlan plan_of(const ptx::MemoryForm&);
/// In flat_atomics.cpp.
memory::AtomicForm atomic_form_of(const ptx::MemoryForm&);
/// The access of one lane to its mbarrier, to a surface, to a texel of 1, 2, 4, 8 or 16 bytes, whose words come to rows
/// 0 to 3 (mbarrier.cpp, surface.cpp, texture_unit.cpp).
ptx::MemoryForm access_of(const ptx::MbarrierForm&);
ptx::MemoryForm access_of(const ptx::TextureForm&);
ptx::MemoryForm texel_access(u32 bytes);
inline constexpr u32 texel_sizes = 5;

struct Grid {
  LaunchId id = 0;
  Launch launch;
  const ptx::Kernel* kernel = nullptr;
  u32 threads = 0, warps = 0;  // of a block
  u32 registers = 0;           // of a block
  u32 shared_bytes = 0;        // static and dynamic
  u64 l1_bytes = 0;            // of an SM that has its blocks alone; 0: always the same
  u64 blocks = 0, next_block = 0, unfinished = 0;
  u64 workspace = 0;               // of a cooperative launch: its grid barrier
  u64 barrier_seen = 0;            // content of the grid barrier at the last look, while everyone waited
  u32 barrier_looks = 0;           // looks that found everyone waiting and that content
  std::vector<u32> thread_ids[3];  // per warp of a block: a row of %tid.x, .y, .z
  // Accesses of instructions that are more than one: of each mbarrier form, of each texture form, of each size of
  // texel.
  std::vector<ptx::MemoryForm> made;
  std::vector<AccessPlan> plans;  // per form of the kernel, then per form of `made`
  BranchMemory branches;
  u64 bounds_generation = 0;
  Counters counters;
  u64 begin_ns = 0, begin_cycle = 0;
  u32 run = 0;  // of a timing machine: index of its GridRun
  std::optional<Fault> fault;
};

struct BlockBarrier {
  u32 arrived = 0, expected = 0;
  bool all_threads = true;  // expected is every live thread of the block
  u32 popc = 0;
  bool all = true, any = false;
};

/// What a block has asked of its SM's assist warps (assist.hpp).
struct BlockAssist {
  u32 routine = 0;     // of the kernel's functions; 0: none is registered
  u64 argument = 0;    // of the routine
  bool asked = false;  // an event has come, and nobody has been told
  bool again = false;  // the same while the routine runs
};

struct Block {
  Grid* grid = nullptr;
  Sm* sm = nullptr;
  u64 number = 0;
  Dim3 index;
  u32 live_threads = 0;
  bool started = false;     // shared memory is there
  std::vector<u64> shared;  // 64-bit words, for alignment
  std::array<BlockBarrier, 16> barriers;
  std::vector<Warp*> warps;                   // nullptr: not begun, or ended; an assist warp is the last
  u64 ready = 0, asleep = 0, unfinished = 0;  // warps, one bit each
  u32 arrivals = 0, barriers_over = 0;        // counts, of its barriers
  BlockAssist assist;

  u8* shared_data() { return reinterpret_cast<u8*>(shared.data()); }
};

struct Sm {
  u32 index = 0;
  u64 cycle = 0;
  std::vector<std::unique_ptr<Block>> blocks;      // in order of dispatch
  u32 warps = 0, registers = 0, shared_bytes = 0;  // taken
  u32 next_block = 0;                              // whose turn it is
};

}  // namespace ew::simt
