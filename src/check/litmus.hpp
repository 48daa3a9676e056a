// A litmus test as its author wrote it: the whole .glt format (docs/litmus.md), with names as text. litmus_parser.hpp
// makes it; program.hpp resolves the names. Values: a test that is printed and parsed again is an equal test.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/value.hpp"

namespace ew::check {

/// The line where something stands. All lines compare as equal: they are no part of what a test says.
struct Line {
  u32 number = 0;
  bool operator==(const Line&) const { return true; }
};

enum class TestKind : u8 { drf, pm, ptx };

enum class Operator : u8 {
  logical_or,
  logical_and,
  bit_or,
  bit_xor,
  bit_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  negate,
  logical_not
};

struct Expression {
  enum class Kind : u8 { constant, name, operation };
  Kind kind = Kind::constant;
  Operator op = Operator::add;  // for an operation; it has one or two operands
  Value value = 0;
  std::string name;  // a register; in conditions also a location, an output or T0:r
  std::vector<Expression> operands;
  bool operator==(const Expression&) const = default;
};

/// Labels of DRFrlx.
enum class Label : u8 { data, paired, unpaired, commutative, non_ordering, quantum, speculative };

struct Tags {
  std::optional<Label> label;
  std::optional<Order> order;
  std::optional<Scope> scope;
  bool sc = false;  // of a fence
  bool operator==(const Tags&) const = default;
};

enum class Verb : u8 {
  st,
  ld,
  await,
  add,
  xchg,
  bit_or,
  max,
  cas,
  branch,  // if
  let,
  use,
  out,
  ofence,
  dfence,
  fence,
  bar,
  arrive,
  prel,
  pacq,
  pawait
};

struct Statement {
  Verb verb = Verb::st;
  Tags tags;
  std::string reg;       // empty: none, or `_`
  std::string location;  // or the name of an output
  Operator relation = Operator::equal;
  std::optional<u32> barrier, threads;     // for bar and arrive: its number, its thread count (none: the whole block)
  std::vector<Expression> values;          // value written or compared; for cas: old, new
  std::vector<Statement> then, otherwise;  // for if
  bool operator==(const Statement&) const = default;
};

struct Placement {
  u32 device = 0, block = 0;
  std::optional<u32> warp;  // none: a warp of its own
  bool operator==(const Placement&) const = default;
};

struct ThreadText {
  u32 number = 0;
  std::optional<Placement> placement;  // none: a block of its own on device 0
  std::vector<Statement> statements;
  Line line;
  bool operator==(const ThreadText&) const = default;
};

struct Expectation {
  enum class Kind : u8 { models, crash, images, final };
  struct Cell {
    std::string column, value;
    bool operator==(const Cell&) const = default;
  };
  Kind kind = Kind::final;
  std::optional<Expression> condition;  // for crash and final
  std::vector<Cell> cells;
  struct Shown {
    std::string protocol, model;  // a machine with these must show the final state
    bool operator==(const Shown&) const = default;
  };
  std::vector<Shown> shown;
  Line line;
  /// Empty: the row does not say.
  std::string_view cell(std::string_view column) const {
    for (const Cell& c : cells)
      if (c.column == column) return c.value;
    return {};
  }
  bool operator==(const Expectation&) const = default;
};

struct Litmus {
  std::string name;
  TestKind kind = TestKind::ptx;
  struct Note {
    bool source = false;  // true: a `src` line; else a `doc` line
    std::string text;
    bool operator==(const Note&) const = default;
  };
  struct Initial {
    std::string location;
    Value value = 0;
    bool operator==(const Initial&) const = default;
  };
  std::vector<Note> notes;
  std::vector<std::string> persistent;  // pm tests: locations in persistent memory
  std::vector<Initial> initial;         // others are 0
  std::vector<Value> domain;            // the values that a quantum access may have; empty: 0 1 2
  std::vector<ThreadText> threads;
  std::vector<Expectation> expectations;
  Line line;
  bool operator==(const Litmus&) const = default;
};

std::string_view text_of(TestKind);
std::string_view text_of(Operator);
std::string_view text_of(Verb);
std::string_view text_of(Label);
std::string_view text_of(Order);
std::string_view text_of(Scope);  // blk dev sys

/// The text, as it stands in a file.
std::string print(const Expression&);
std::string print(const Statement&);
std::string print(const Litmus&);
std::string print(const std::vector<Litmus>&);

}  // namespace ew::check
