// What an SM must know of each instruction of a kernel before it issues: which rows and predicates it waits for and
// writes, which unit takes it and for how long, and what older accesses of its warp must have reached. Made once a
// kernel (KernelTimings), read-only afterwards.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "memory/consistency.hpp"
#include "memory/persistency.hpp"
#include "ptx/operands.hpp"
#include "simt/block.hpp"
#include "simt/sm_timing_config.hpp"
#include "simt/timing_statistics.hpp"

namespace ew::simt {

/// Who takes an instruction. Each scheduler has one of each but for memory and texture, which the SM has once.
enum class Unit : u8 { none, integer, single, wide, special, shuffle, memory, texture };
inline constexpr u32 units = 8;

/// How an instruction stands to the order of its warp's accesses.
struct Ordering {
  u16 performed = 0, visible = 0;  // classes of older accesses that must be so, one bit each
  memory::OrderClass as = memory::OrderClass::weak_load;
  Scope scope = Scope::none;
  bool releases = false;  // the private cache's stores become visible first
  bool acquires = false;  // possibly stale copies go behind it
  bool strong = false;
  bool declared = false;  // of a load: everwarp::read_only
  // What the persistency model is asked: before it issues, and once what it read has come, at `scope`.
  memory::PersistOrder before = memory::PersistOrder::none, after = memory::PersistOrder::none;
  memory::PersistOrder flag = memory::PersistOrder::none;  // p_release, p_acquire: the access is that of their flag
};

/// What of a machine's persistency concerns instructions.
struct PersistTiming {
  bool model = false;     // there is one
  bool regions = false;   // order operations take the place of the fences in everwarp regions
  bool waits = false;     // oFences and dFences take fence_cycles, too, not only fences
  bool acquires = false;  // PersistencyTraits::acquires
  u32 fence_cycles = 0;
};

struct PcTiming {
  u32 index = 0;       // its own
  u32 rows = 0;        // index into KernelTiming::rows: those it writes, then those it reads
  u32 predicates = 0;  // the same
  u8 written_rows = 0, all_rows = 0, written_predicates = 0, all_predicates = 0;
  std::array<u16, 4> first_rows{};  // of these rows; where there are fewer, the last again
  ptx::OpClass work = ptx::OpClass::other;
  Unit unit = Unit::none;
  bool arithmetic = false;  // touches registers only (Executor::is_arithmetic)
  bool straight = false;    // the same, and no lanes meet at the next instruction
  u8 run = 0;               // arithmetic instructions from here, all but the last of which are straight
  bool waits_for_copies = false;
  bool ordered = false;   // it waits for copies, or its Ordering asks for anything before it issues
  bool asks = false;      // … for more than older accesses of its warp
  bool branches = false;  // another instruction than the next may follow
  bool alone = false;     // while its warp goes on, no other warp hears of it, and it calls no function
  u16 latency = 1, interval = 1;
  bool stores = false;    // to global memory; atomics, too
  u32 order_cycles = 0;   // behind it, until the next instruction
  u32 fence_cycles = 0;   // the same, if its warp has stored since its last fence
  bool asks_gpu = false;  // a fence for which the whole GPU is asked (SystemFences), if its warp has stored since
  Ordering order;
  u64 InstructionCounts::*issued = nullptr;
};

/// A memory form whose operands the SM has copied when it issued: they lie in rows that look like constants.
struct CapturedForm {
  struct Copy {
    ptx::Row from = ptx::no_row, to = 0;
  };
  ptx::MemoryForm form;
  std::vector<Copy> rows;
};
inline constexpr u32 most_captured_rows = 8;

struct KernelTiming {
  const ptx::Instr* code = nullptr;  // of the kernel, parallel to pcs
  std::vector<PcTiming> pcs;
  std::vector<u16> rows, predicates;
  std::vector<CapturedForm> forms;  // parallel to Grid::plans
  bool in_step = false;             // SMs may not run ahead of each other: it calls printf or the heap
};

KernelTiming timing_of(const Grid&, const SmTimingConfig&, const memory::Consistency&, const PersistTiming& = {});

}  // namespace ew::simt
