// A kernel ready to run: what the decoder makes and simt/ executes. Immutable after decoding; owned by the loaded
// module.
//
// Registers live in rows. A row is u32[32], one word a lane. A register of up to 32 bits takes one row (8- and 16-bit
// values are kept zero-extended), one of 64 bits takes two consecutive rows seen as u64[32], one of 128 bits four seen
// as two u64[32]. A predicate is one u32 of lane bits in a file of its own. A row index with bit 15 set names a row of
// the kernel's constant pool. One PTX instruction is one Instr: the index of an Instr in `code` is its pc.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/atomic_op.hpp"
#include "core/types.hpp"
#include "ptx/ast.hpp"

namespace ew::ptx {

using Row = u16;
inline constexpr Row constant_row = 0x8000;
inline constexpr Row no_row = 0xffff;
using Pc = u32;
inline constexpr Pc no_pc = 0xffffffff;

/// Guards and predicate operands: a predicate number, bit 15 for negation, or `always`.
using Predicate = u16;
inline constexpr Predicate negated = 0x8000;
inline constexpr Predicate always = 0x7fff;

/// What an instruction does, as far as the warp's control is concerned. Values from `alu` up are indices into the
/// opcode table (op - alu), whose bodies see rows and a lane mask only.
enum class Op : u16 {
  nop,
  bra,   // imm: target pc
  brx,   // a: index row; imm: index into branch_tables
  call,  // imm: index into calls
  ret,
  exit,
  trap,
  brkpt,
  mov_special,      // dst; imm: Special; b: 1 when dst is 64 bit
  frame_address,    // dst (64 bit, or 32 when b == 1): address in local space of byte imm of this function's frame
  barrier,          // imm: index into barriers
  warp_sync,        // a: mask row
  fence,            // imm: index into fences
  shfl,             // imm: index into shuffles
  vote,             // imm: index into votes
  match,            // imm: index into matches
  activemask,       // dst
  redux,            // imm: index into reduxes
  elect,            // dst row, a: mask row, b: predicate destination
  memory,           // a: address row or no_row; imm: index into memory
  async_commit,     // cp.async.commit_group
  async_wait,       // imm: groups that may stay pending (cp.async.wait_group N, wait_all: 0)
  mbarrier,         // imm: index into mbarriers
  texture,          // imm: index into textures
  address_query,    // isspacep: dst predicate in dst; a: address row; imm: Space
  convert_address,  // cvta / cvta.to: dst, a; imm: Space; b: 1 for cvta.to; (global and constant: a move)
  nanosleep,        // a: duration row
  region,           // imm: index into regions: an everwarp operation replaces the code up to its end
  getctarank,       // reserved for clusters: refused at load today
  alu = 256
};

struct Instr {
  Op op = Op::nop;
  Predicate guard = always;
  Row dst = no_row, a = no_row, b = no_row, c = no_row;
  u32 imm = 0;  // the opcode table says what it means for an ALU form (often an index into `operands`)
};
static_assert(sizeof(Instr) == 16);

/// `update`: what an mbarrier instruction does to its word; no instruction decodes to it, the SM makes it.
enum class MemoryKind : u8 { load, store, atomic, reduction, prefetch, async_copy, update };
enum class Order : u8 { weak, relaxed, acquire, release, acq_rel, is_volatile, mmio };
enum class CacheHint : u8 { none, ca, cg, cs, lu, cv, wb, wt, nc };
using core::AtomicOp;

/// Where a memory instruction points. `frame`: .param and .local symbols of a function, at an offset from its frame in
/// local space; `param`: the kernel's parameters.
enum class Window : u8 { generic, global, shared, local, constant, param, frame };

struct MemoryForm {
  MemoryKind kind = MemoryKind::load;
  Window window = Window::generic;
  Type type = Type::b32;  // element; signedness decides the extension of a narrow load
  u8 count = 1;           // elements: 1, 2, 4 (8 for b32.v8)
  u8 register_bytes = 4;  // of each destination register: 1, 2 -> one row, 4, 8, 16
  u8 address_bytes =
      8;  // of the address row: 4 when the address is a 32-bit register ("ld.shared.b32 %r1, [%r2]"), else 8
  Order order = Order::weak;
  Scope scope = Scope::none;
  CacheHint hint = CacheHint::none;
  AtomicOp atomic = AtomicOp::none;
  i64 offset = 0;  // added to the address row; with no address row it is the whole address
  std::array<Row, 8> data{no_row, no_row, no_row, no_row, no_row, no_row, no_row, no_row};
  // load: destinations (no_row: sink); store: sources
  Row b = no_row,
      c = no_row;         // atomics: operand, and cas's second; async_copy: source address row, and source-size row
  u32 bytes = 0;          // async_copy: size; prefetch: 0
  i64 source_offset = 0;  // async_copy: added to the source address row (always 64 bit)
};

enum class BarrierKind : u8 { sync, arrive, red_popc, red_and, red_or };
struct BarrierForm {
  BarrierKind kind = BarrierKind::sync;
  bool aligned = true;
  Row id = no_row;                   // row of the barrier number (a constant row for an immediate)
  Row threads = no_row;              // no_row: all threads of the block
  Predicate source = always;         // of red
  Row dst = no_row;                  // red.popc
  Predicate dst_predicate = always;  // red.and / red.or
};

struct FenceForm {
  bool sequentially_consistent = true;  // fence.sc and membar; else acq_rel
  Order order = Order::acq_rel;
  Scope scope = Scope::gpu;
};

enum class ShuffleKind : u8 { up, down, bfly, idx };
struct ShuffleForm {
  ShuffleKind kind = ShuffleKind::idx;
  bool sync = true;  // false: the old form without a member mask
  Row dst = no_row, a = no_row, b = no_row, c = no_row, mask = no_row;
  Predicate in_range = always;  // |p destination
};

enum class VoteKind : u8 { all, any, uni, ballot };
struct VoteForm {
  VoteKind kind = VoteKind::all;
  bool sync = true;
  Row dst = no_row;
  Predicate dst_predicate = always, source = always;
  Row mask = no_row;
};

struct MatchForm {
  bool all = false;
  bool wide = false;  // b64
  Row dst = no_row, a = no_row, mask = no_row;
  Predicate dst_predicate = always;
};

enum class ReduxKind : u8 { add, min, max, bit_and, bit_or, bit_xor };
struct ReduxForm {
  ReduxKind kind = ReduxKind::add;
  bool is_signed = false;
  Row dst = no_row, a = no_row, mask = no_row;
};

enum class MbarrierKind : u8 {
  init,
  inval,
  arrive,
  arrive_drop,
  arrive_no_complete,
  expect_tx,
  test_wait,
  try_wait,
  pending_count,
  async_arrive
};
struct MbarrierForm {
  MbarrierKind kind = MbarrierKind::init;
  bool parity = false;  // test_wait.parity
  bool shared = true;   // address is in the shared window; else generic
  bool noinc = false;
  u8 address_bytes = 8;  // of the address row, as in MemoryForm
  Row address = no_row, count = no_row, state = no_row, dst = no_row;
  i64 offset = 0;
  Predicate dst_predicate = always;
  Order order = Order::acq_rel;
  Scope scope = Scope::cta;
};

enum class TextureKind : u8 { fetch, sample, level, gradient, gather, query, surface_load, surface_store };
struct TextureForm {
  TextureKind kind = TextureKind::sample;
  u8 dimensions = 2;  // 1, 2, 3
  bool layered = false, cube = false;
  Type result = Type::f32, coordinate = Type::f32;
  Row handle = no_row;    // 64-bit texture object
  u64 handle_symbol = 0;  // address of a module-scope .texref when handle is no_row
  std::array<Row, 4> dst{no_row, no_row, no_row, no_row};
  std::array<Row, 4> coordinates{no_row, no_row, no_row, no_row};
  Row level = no_row;
  std::array<Row, 6> gradients{no_row, no_row, no_row, no_row, no_row, no_row};
  u8 component = 0;  // tld4 component, or which query (width 0, height 1, depth 2, …)
  u8 vector = 4;     // sust/suld element count
  u8 clamp = 0;      // sust/suld: 0 trap, 1 clamp, 2 zero
};

/// Functions that the simulator answers itself. A call of any other undefined function is refused at load, by name.
enum class SystemCall : u8 { vprintf, malloc, free, assertfail, assist, none };

struct ParameterCopy {  // on call: caller frame byte -> callee frame byte; on return: the other way
  u32 caller = 0, callee = 0, size = 0;
};

struct CallForm {
  u32 function = 0;     // index into functions, for a direct call
  Row target = no_row;  // row of the function's address, for an indirect one
  SystemCall system = SystemCall::none;
  std::vector<u32> argument_offsets, argument_sizes;  // frame offsets in the caller, in order
  std::vector<u32> result_offsets, result_sizes;
};

struct Function {
  std::string name;
  Pc begin = 0, end = 0;
  u32 rows = 0;  // register rows of one activation
  u32 predicates = 0;
  u32 registers = 0;                                    // 32-bit registers that a thread needs, with what it calls
  u32 frame_bytes = 0;                                  // .local variables, call parameters, own formals and returns
  std::vector<u32> parameter_offsets, parameter_sizes;  // own formals in the frame (not of an entry)
  std::vector<u32> return_offsets, return_sizes;
  u64 address = 0;  // what a function pointer holds
};

struct RegionForm {
  std::string name;  // "everwarp.ofence" without the prefix: "ofence"
  Pc end = 0;        // first pc after the region
};

struct EntryParameter {
  u32 offset = 0, size = 0, alignment = 1;
};

struct SourceLine {
  u32 file = 0, line = 0;  // index into Kernel::files, 0: unknown
  u32 ptx_line = 0;
};

struct Kernel {
  std::string name;
  std::vector<Function> functions;  // [0] is the entry
  std::vector<Instr> code;
  std::vector<Pc> reconverge;  // per pc of a bra/brx: immediate post-dominator, or no_pc (function exit)
  std::vector<u32> constants;  // the constant pool: rows of 32 words
  std::vector<u16> operands;   // longer operand lists, by index in Instr::imm
  std::vector<std::vector<Pc>> branch_tables;
  std::vector<CallForm> calls;
  std::vector<BarrierForm> barriers;
  std::vector<FenceForm> fences;
  std::vector<ShuffleForm> shuffles;
  std::vector<VoteForm> votes;
  std::vector<MatchForm> matches;
  std::vector<ReduxForm> reduxes;
  std::vector<MemoryForm> memory;
  std::vector<MbarrierForm> mbarriers;
  std::vector<TextureForm> textures;
  std::vector<RegionForm> regions;
  std::vector<SourceLine> lines;   // per pc
  std::vector<std::string> texts;  // per pc: the PTX text, for reports
  std::vector<std::string> files;  // [0] is ""
  std::vector<EntryParameter> parameters;
  u32 parameter_bytes = 0;
  u32 static_shared = 0;  // bytes; dynamic shared memory starts at align_up(static_shared, dynamic_shared_alignment)
  u32 dynamic_shared_alignment = 16;
  u32 registers_per_thread = 0;  // for occupancy and cudaFuncGetAttributes (register_need.hpp)
  u32 local_bytes = 0;           // frame of the entry
  u32 constant_bytes = 0;
  Dim3 max_threads{0, 0, 0}, required_threads{0, 0, 0};
  u32 min_blocks = 0, max_registers = 0;
  bool recursive = false;  // calls may nest without a static bound
};

}  // namespace ew::ptx
