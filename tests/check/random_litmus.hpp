// Random litmus tests: of all kinds, to be printed and read; and small programs of kind ptx, to be run and judged.
#pragma once

#include <random>

#include "check/litmus.hpp"

namespace ew::check {

class RandomLitmus {
 public:
  explicit RandomLitmus(u64 seed) : random_(seed) {}

  /// Any valid test.
  Litmus test();
  /// A test of kind ptx, small enough to be enumerated: `threads` threads of `statements` each, no loops.
  Litmus program(u32 threads, u32 statements);

  /// A test of kind pm, small enough for every interleaving: fences, flags in either memory, atomics, barriers,
  /// outputs.
  Litmus persistency(u32 threads, u32 statements);
  /// Of kind pm: a persist, handed on by a release and an acquire of any form and scope, perhaps by a third thread too,
  /// before another persist.
  Litmus hand_over();

  u32 below(u32 bound) { return static_cast<u32>(random_() % bound); }

 private:
  struct Names {
    std::vector<std::string> registers;  // that have a value
    u32 depth = 0;
  };
  Expression expression(const Names&, u32 depth);
  Statement statement(TestKind, Names&);
  void tag(TestKind, Statement&);
  std::vector<Statement> statements(TestKind, Names&, u32 count);
  Expression condition(const Litmus&);
  Statement simple_access(u32 thread, u32 number);
  Statement persist_step(std::vector<std::string>& registers);
  Statement flag_access(bool may_wait);
  void release(std::vector<Statement>&, const std::string& flag);
  void acquire(std::vector<Statement>&, const std::string& flag);

  Value next_value_ = 0;
  std::mt19937_64 random_;
};

}  // namespace ew::check
