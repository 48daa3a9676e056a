// How fast one SM of the timing machine is: schedulers, arithmetic units, shared memory, load/store unit, constant
// cache. Values only; simt/ runs by them. Cycles are of the SM's clock. Latency: from issue to the cycle in which an
// instruction that reads the result may issue. Interval: cycles until the same unit of the same scheduler takes another
// warp instruction.
#pragma once

#include <string>

#include "core/fields.hpp"
#include "core/units.hpp"
#include "simt/schedulers/models.hpp"

namespace ew::simt {

inline constexpr u32 most_warps = 64;  // of an SM: one bit each

/// Of an arithmetic unit, for one kind of instruction. Cycles.
struct UnitTime {
  u32 latency = 1, interval = 1;
};

/// Cycles of fences, by their scope.
struct FenceTime {
  u32 device = 0, system = 0, turn = 0;
};

/// Cycles of the load/store unit for a warp's atomic on global memory; 0: a compare-and-swap takes as long as another.
struct AtomicIntervals {
  u32 any = 1, swap = 0;
};

struct SmTimingConfig {
  u32 schedulers = 4;
  std::string policy = "gto";
  u32 issue_width = 1;

  UnitTime integer{4, 2};
  UnitTime multiply{5, 2};
  UnitTime integer_divide{145, 32};
  UnitTime single{4, 2};
  UnitTime single_divide{39, 16};
  UnitTime half{6, 2};
  UnitTime wide{54, 16};
  UnitTime wide_divide{330, 64};
  bool wide_shared = true;
  UnitTime special{21, 8};
  UnitTime convert{10, 8};
  UnitTime shuffle{25, 4};
  u32 vote_latency = 12;
  u32 branch_latency = 8;
  u32 barrier_latency = 22, barrier_interval = 2;
  FenceTime fence;
  u32 block_start = 0;

  u32 shared_latency = 20;
  u32 shared_banks = 32;
  u32 shared_conflict = 1;
  u32 shared_atomic = 3, shared_swap = 15;
  u32 load_store_lanes = 16;
  AtomicIntervals atomics;
  u32 memory_queue = 16;
  u32 accesses = 128;
  u32 texture_interval = 8;
  u32 parameter_latency = 4;
  u32 constant_latency = 26;
  core::Bytes constant_cache{2048};
  u32 constant_line = 64;
  u32 constant_ways = 4;

  u32 poll_stagger = 1024;
  bool hold_polls = true;
  u32 livelock_cycles = 50'000'000;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

template <class Self, class Visitor>
void SmTimingConfig::fields(Self& self, Visitor&& visit) {
  const char* turing = "NVIDIA Turing whitepaper, Turing SM: four partitions of 16 FP32 and 16 INT32 lanes";
  const char* dissected = "Jia et al., Dissecting the NVIDIA Turing T4 GPU via Microbenchmarking, 2019";
  const char* guide = "CUDA C++ Programming Guide, Throughput of Native Arithmetic Instructions, 7.5";
  const char* sequence = "GPGPU-Sim's SM75_RTX2060: a sequence of instructions in one";
  const char* measured = "D. Connolly, Instruction-Level Characterisation of the NVIDIA TU102, 2026";
  const char* barriers =
      "D. Connolly, Instruction-Level Characterisation of the NVIDIA TU102, 2026: 22 cycles for 1 warp, 84 for 32";
  const char* only_waits = "assumed: its waits alone";
  const char* assumed = "assumed: no published figure";
  const core::Range latency{1, 4096}, interval{1, 4096};

  visit("schedulers", self.schedulers, core::Range{1, 8}, "schedulers",
        "Warp schedulers of one SM; warps are dealt to them in turn.", "SBRP artifact, gpgpu_num_sched_per_core");
  visit("policy", self.policy, core::model_choices(scheduler_names()), "",
        "Which ready warp a scheduler takes: `ew explain sm_timing.policy` says how each chooses.",
        "SBRP artifact, gpgpu_scheduler");
  visit("issue_width", self.issue_width, core::Range{1, 4}, "instructions",
        "Instructions of one warp that a scheduler issues in a cycle.", "SBRP artifact, gpgpu_max_insn_issue_per_warp");
  visit("integer_latency", self.integer.latency, latency, "cycles", "Integer, logic, comparison and move.", dissected);
  visit("integer_interval", self.integer.interval, interval, "cycles", "Integer, logic, comparison and move.", turing);
  visit("multiply_latency", self.multiply.latency, latency, "cycles",
        "Integer multiplication, alone or with an addition.", dissected);
  visit("multiply_interval", self.multiply.interval, interval, "cycles",
        "Integer multiplication, alone or with an addition.", guide);
  visit("integer_divide_latency", self.integer_divide.latency, latency, "cycles", "Integer division and remainder.",
        sequence);
  visit("integer_divide_interval", self.integer_divide.interval, interval, "cycles", "Integer division and remainder.",
        sequence);
  visit("float_latency", self.single.latency, latency, "cycles", "Single-precision addition, multiplication, fma.",
        dissected);
  visit("float_interval", self.single.interval, interval, "cycles", "Single-precision addition, multiplication, fma.",
        turing);
  visit("float_divide_latency", self.single_divide.latency, latency, "cycles",
        "Single-precision division, rcp and sqrt with IEEE rounding.", sequence);
  visit("float_divide_interval", self.single_divide.interval, interval, "cycles",
        "Single-precision division, rcp and sqrt with IEEE rounding.", sequence);
  visit("half_latency", self.half.latency, latency, "cycles", "Half-precision and bfloat arithmetic, also in pairs.",
        dissected);
  visit("half_interval", self.half.interval, interval, "cycles", "Half-precision and bfloat arithmetic, also in pairs.",
        turing);
  visit("double_latency", self.wide.latency, latency, "cycles", "Double-precision addition, multiplication, fma.",
        dissected);
  visit("double_interval", self.wide.interval, interval, "cycles", "Double-precision addition, multiplication, fma.",
        "two lanes an SM: CUDA C++ Programming Guide, 7.5");
  visit("double_divide_latency", self.wide_divide.latency, latency, "cycles", "Double-precision division and roots.",
        sequence);
  visit("double_divide_interval", self.wide_divide.interval, interval, "cycles", "Double-precision division and roots.",
        sequence);
  visit("double_shared", self.wide_shared, core::Range{}, "",
        "Whether the schedulers of an SM share one unit of double precision, in turns; else each has its own.",
        "D. Connolly 2026: a chain takes 48 cycles, which two lanes for each of four schedulers could not hold");
  visit("special_latency", self.special.latency, latency, "cycles",
        "The special function unit: rcp.approx, sin, ex2, popc and so on.", "SBRP artifact, ptx_opcode_latency_sfu");
  visit("special_interval", self.special.interval, interval, "cycles",
        "The special function unit: rcp.approx, sin, ex2, popc and so on.", guide);
  visit("convert_latency", self.convert.latency, latency, "cycles", "Conversions between types.", assumed);
  visit("convert_interval", self.convert.interval, interval, "cycles", "Conversions between types.", guide);
  visit("shuffle_latency", self.shuffle.latency, latency, "cycles", "Shuffles, matches and reductions of a warp.",
        measured);
  visit("shuffle_interval", self.shuffle.interval, interval, "cycles",
        "Shuffles, votes, matches and reductions of a warp.", guide);
  visit("vote_latency", self.vote_latency, latency, "cycles", "Votes of a warp: ballot, any, all.",
        "D. Connolly 2026: 16.19 cycles from ballot to ballot on a TU102, less the comparison between them");
  visit("branch_latency", self.branch_latency, latency, "cycles",
        "From a taken branch, a call or a return to the warp's next instruction.", assumed);
  visit("barrier_latency", self.barrier_latency, latency, "cycles",
        "From the last arrival at a barrier of the block to the next instructions of its warps.", barriers);
  visit("barrier_interval", self.barrier_interval, core::Range{0, 64}, "cycles",
        "A block's barriers take one warp's arrival after another: from one to the next.", barriers);
  visit("fence_device", self.fence.device, core::Range{0, 1 << 20}, "cycles",
        "What a fence of device scope takes besides its waits, if its warp has stored or performed an atomic since its "
        "last one.",
        only_waits);
  visit("fence_system", self.fence.system, core::Range{0, 1 << 20}, "cycles",
        "What a fence of system scope takes at least, its waits included, if its warp has stored since its last one. "
        "The GPU has one under way; those that come meanwhile go together in the next.",
        only_waits);
  visit("fence_turn", self.fence.turn, core::Range{0, 1 << 20}, "cycles",
        "How much longer such a fence takes for each SM behind the first of those that go together.",
        "0: on a TU102 and an A100, one of all SMs takes twice as long as one alone");
  visit("block_start", self.block_start, core::Range{0, 1 << 20}, "cycles",
        "From a block's arrival at an SM to the first instructions of its warps.", "assumed: nothing");
  visit("shared_latency", self.shared_latency, latency, "cycles", "A load of shared memory without conflicts.",
        "SBRP artifact, gpgpu_smem_latency");
  visit("shared_banks", self.shared_banks, core::Range{1, 64}, "banks",
        "Banks of shared memory, of 4 bytes a cycle each; a power of two.",
        "CUDA C++ Programming Guide, Shared Memory");
  visit("shared_conflict", self.shared_conflict, core::Range{1, 64}, "cycles",
        "What each further pass of an access takes, where lanes want different words of one bank.",
        "assumed: each bank answers in every cycle");
  visit("shared_atomic", self.shared_atomic, core::Range{0, 4096}, "cycles",
        "What an atomic on shared memory takes longer than a load.",
        "D. Connolly 2026: 25 cycles on a TU102, where a load takes 22");
  visit("shared_swap", self.shared_swap, core::Range{0, 4096}, "cycles", "The same of a compare-and-swap.",
        "D. Connolly 2026: 37 cycles on a TU102, where a load takes 22");
  visit("load_store_lanes", self.load_store_lanes, core::Range{1, 32}, "lanes",
        "Lanes whose addresses the load/store unit takes in a cycle.", turing);
  visit("atomic_interval", self.atomics.any, interval, "cycles",
        "The load/store unit, for one warp's atomic on global memory.", assumed);
  visit("swap_interval", self.atomics.swap, core::Range{0, 4096}, "cycles",
        "The same for a compare-and-swap; 0: as another atomic.", assumed);
  visit("memory_queue", self.memory_queue, core::Range{1, 1024}, "accesses",
        "Accesses that wait for the load/store unit; when it is full, no more issue.", assumed);
  visit("accesses", self.accesses, core::Range{1, 4096}, "accesses", "Accesses of one SM that are under way at once.",
        assumed);
  visit("texture_interval", self.texture_interval, interval, "cycles", "The texture unit, for one warp's taps.",
        "four texture units an SM: NVIDIA Turing whitepaper");
  visit("parameter_latency", self.parameter_latency, latency, "cycles",
        "Kernel parameters: operands from the constant bank.", dissected);
  visit("constant_latency", self.constant_latency, latency, "cycles", "A hit in the constant cache.", dissected);
  visit("constant_cache", self.constant_cache, core::Range{64, 1 << 20}, "", "Size of the constant cache of one SM.",
        dissected);
  visit("constant_line", self.constant_line, core::Range{32, 128}, "bytes", "Its lines; a power of two.", dissected);
  visit("constant_ways", self.constant_ways, core::Range{1, 64}, "ways", "Its associativity.", dissected);
  visit("poll_stagger", self.poll_stagger, core::Range{0, 1 << 20}, "cycles",
        "The longest pause of a warp whose polls repeat while others write what it polls; 0: none.",
        "assumed: what keeps two loops of real machines from staying in step has no published figure");
  visit(
      "hold_polls", self.hold_polls, core::Range{}, "",
      "Whether a poll that finds the same again and again at a steady pace waits at its home, which counts the rounds "
      "that go by: less work for the simulator.",
      "no property of a GPU");
  visit("livelock_cycles", self.livelock_cycles, core::Range{1000, 4e9}, "cycles",
        "A kernel of which no warp issues anything but spinning for so long is ended with a report.",
        "assumed: 37 ms at 1365 MHz, more than ten thousand times what an access to an idle host takes");
}

}  // namespace ew::simt
