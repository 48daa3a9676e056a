// A module of random functions: as the instructions that the interpreter runs, each with the PTX text that the
// simulator is given. A register is an index into its function's list; its class is the letter of PTX's declaration
// below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ew::random_ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// r 32 bits, l 64 bits, h 16 bits, f float, d double, p predicate.
using Class = char;

struct Operand {
  bool immediate = false;
  u32 reg = 0;
  u64 bits = 0;
};

/// An arithmetic instruction: its text up to the operands, the classes of destination and sources, what it computes.
struct Arithmetic {
  const char* text;
  const char* classes;  // the first is the destination's
  u64 (*compute)(u64 a, u64 b, u64 c, u64 d);
  bool pack = false;  // {a, b}
};
const std::vector<Arithmetic>& arithmetic();

enum class Kind : u8 {
  arithmetic,
  special,  // dst = tid, lane, block … (immediate of the first source says which)
  load,     // dst = memory[place + a + immediate]
  store,    // memory[place + a + immediate] = b
  reduce,   // cells[immediate] (op) = a, result unused
  atomic,   // own word: dst = old, a is the operand
  branch,   // target
  table,    // targets by a
  call,
  ret,
  exit,
  shuffle,  // dst = a of lane; mode, lane operand b, mask c
  vote,     // dst = ballot or predicate of p
  warp_barrier,
  block_barrier,
  label  // no instruction
};
enum class Place : u8 { input, own, cell, shared, shared_cell, local };
enum class Special : u8 { tid, lane, block, threads, global_id };
enum class Update : u8 { add, bit_xor, bit_or, bit_and, min, max };
enum class Shuffle : u8 { up, down, butterfly, index };
enum class Vote : u8 { ballot, all, any };

struct Instruction {
  Kind kind = Kind::label;
  const Arithmetic* arithmetic = nullptr;
  int guard = -1;  // a predicate
  bool negated = false;
  u32 dst = 0;
  std::vector<Operand> sources{};
  Place place = Place::own;
  u8 bytes = 4;
  bool sign = false;
  u32 offset = 0;  // bytes, or which Special, Update, Shuffle, Vote
  u32 target = 0;  // label
  std::vector<u32> targets{};
  int callee = -1;     // or sources[0] holds a function's number
  std::string text{};  // without the guard; an instruction that the interpreter runs may take several of PTX's
};

struct Function {
  std::string name;
  std::vector<Class> registers;
  std::vector<Class> parameters;  // first the depth that is left
  std::vector<u32> parameter_regs;
  Class result = 'r';
  u32 local_bytes = 0;
  std::vector<Instruction> body;
  std::vector<u32> labels;  // label -> index in body
};

inline constexpr u32 own_bytes = 64, input_words = 256, cells = 48, local_bytes = 32, shared_own_bytes = 16;
inline constexpr u32 shared_cells = 16, most_threads = 160;

/// What a cell holds at first; each eighth of the cells is updated in one way (Update).
constexpr u32 first_of_cell(u32 cell, u32 all) {
  const u32 way = cell / (all / 8);
  return way == static_cast<u32>(Update::bit_and) || way == static_cast<u32>(Update::min) ? 0xffffffff : 0;
}

struct Program {
  std::vector<Function> functions;  // the last is the kernel
  u32 blocks = 1, threads = 32;
  std::string text() const;
};

Program generate(u64 seed, u32 budget);

struct Memory {
  std::vector<u32> input;
  std::vector<u8> own;  // own_bytes a thread
  std::vector<u32> cells;
  explicit Memory(const Program&);
};

/// Runs every thread by itself, instruction by instruction. False: more than `most_steps`, nothing is known then.
bool interpret(const Program&, Memory&, u64 most_steps);

}  // namespace ew::random_ptx
