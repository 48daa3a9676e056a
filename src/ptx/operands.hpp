// Which register rows and predicates a decoded instruction reads and writes, and what kind of work it is: what an SM's
// scoreboard and its units must know. Functions of the kernel alone; asked once a launch.
#pragma once

#include <vector>

#include "ptx/kernel.hpp"

namespace ew::ptx {

/// Kinds of work, by the unit that does it and how long that takes.
enum class OpClass : u8 {
  integer,  // logic, moves, comparisons and selections of any type, too
  multiply,
  integer_divide,
  single,
  single_divide,  // and roots, correctly rounded
  half,
  wide,         // double precision
  wide_divide,  // and roots
  special,
  convert,
  shuffle,  // and what else a warp's lanes do together
  vote,
  branch,
  barrier,
  fence,
  memory,
  texture,
  other
};
inline constexpr u32 op_classes = 18;

OpClass class_of(const Kernel&, const Instr&);

/// Rows of the activation (no constant rows), each once for every mention; predicates without their negation.
struct Operands {
  std::vector<Row> reads, writes;
  std::vector<Predicate> predicate_reads, predicate_writes;
  void clear();
};

/// Adds to `operands` what the instruction names, its guard included.
void list_operands(const Kernel&, const Instr&, Operands& operands);

}  // namespace ew::ptx
