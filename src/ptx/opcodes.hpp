// What instructions exist: every form of the PTX ISA that this machine executes, as a pattern of qualifiers.
//
// A pattern is an opcode, then literal qualifiers (".f32") and slots ("{rounding}", a list of qualifiers.hpp).
// Qualifiers may be written in any order; types keep theirs. ALU forms stand in forms/*.def, one line each, with the
// operands' signature and the body that simt/alu/ runs; control_forms.cpp has the instructions that the decoder puts
// into a kernel's side tables. The table is immutable and made once.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "ptx/ast.hpp"
#include "ptx/kernel.hpp"

namespace ew::ptx {

/// One choice of a slot, with its enumerator as a number (is_type: a ptx::Type).
struct SlotChoice {
  std::string_view text;
  u8 value = 0;
  bool is_type = false;
};

struct Slot {
  std::string_view name;
  std::vector<SlotChoice> choices;
};

/// Operand of an ALU form as its signature names it: what it is and where Instr keeps it (in order dst, a, b, c, high
/// half of imm).
struct OperandForm {
  enum class Kind : u8 {
    row,                 // a register or constant of `type`
    wide_row,            // a register of `type` or wider
    predicate,           // a predicate register, !p, or a constant
    optional_predicate,  // absent: always
    predicate_pair,      // p or p|q; q absent: always
    row_and_predicate,   // d|p
    vector,              // {a, b} of `count` rows of `type`
    part,                // a row, or a byte or half of one (video.hpp)
    carry,               // not written: the carry flag
    lookup               // an immediate byte, in the low half of imm
  };
  Kind kind = Kind::row;
  Type type = Type::none;
  i8 from_slot = -1;  // >= 0: type is the choice of the n-th slot of types
  bool doubled = false;
  u8 count = 1;
};

/// Instructions of the control kind, by what decodes them.
enum class ControlForm : u8;

struct Form {
  std::string pattern;  // "add{rounding}{flush}{saturate}.f32"
  std::string opcode;
  struct Part {
    std::string_view literal;  // ".f32" without the dot, or empty: a slot
    const Slot* slot = nullptr;
    bool is_type = false;
    i8 dimension = -1;  // of an ALU form: which template argument of the body
    i8 shift = -1;      // of an ALU form: bit of the attribute in imm
  };
  std::vector<Part> parts;
  std::vector<OperandForm> operands;  // ALU forms
  bool is_alu = false;
  u32 first = 0;  // ALU: op of the first choice of every dimension, counted from Op::alu
  u32 count = 1;  // product of the dimensions
  ControlForm control{};
};

/// A form and what was chosen for each of its parts.
struct Match {
  const Form* form = nullptr;
  std::array<u8, 16> choice{};            // per part: index into its slot's choices
  u8 value(std::string_view slot) const;  // enumerator chosen for a slot of that name; 0 when the form has none
  bool has(std::string_view slot) const;  // the form has the slot and a qualifier was written for it
  std::string_view text(std::string_view slot) const;
  Type type(u32 nth = 0) const;  // the n-th qualifier that is a type, slots only
  Op op() const;                 // ALU forms
  u32 attributes() const;
};

class FormTable {
 public:
  static const FormTable& instance();
  std::span<const Form> forms() const { return forms_; }
  /// The forms of an opcode, in order; empty when there is none.
  std::vector<const Form*> of(std::string_view opcode) const;
  u32 alu_count() const { return alu_count_; }
  /// The spelling of the form that is nearest to an instruction that is not supported.
  std::string nearest(std::string_view opcode, std::span<const std::string> modifiers) const;

 private:
  FormTable();
  std::vector<Slot> slots_;
  std::vector<Form> forms_;
  u32 alu_count_ = 0;
};

std::optional<Match> match(const Form&, std::span<const std::string> modifiers);

/// Where a slot that is no template argument keeps its choice in the low half of Instr::imm, or -1: it changes nothing.
constexpr int attribute_shift(std::string_view slot) {
  struct Place {
    std::string_view slot;
    int shift;
  };
  constexpr Place places[] = {{"rounding", 0},        {"rounding_given", 0}, {"to_integral", 0},
                              {"nearest_or_zero", 0}, {"combine", 0},        {"combine_given", 0},
                              {"saturate", 3},        {"flush", 4},          {"relu", 5}};
  for (const auto& place : places)
    if (place.slot == slot) return place.shift;
  return -1;
}

/// Attribute bits of operands wider than their type (kind wide_row): log2 of the bytes of the destination register
/// above its type's natural register (0: natural), and whether the source is a 64-bit register.
inline constexpr u32 wide_destination_shift = 8;  // 1: 32 bit, 2: 64 bit
inline constexpr u32 wide_source_bit = 1u << 10;

u32 edit_distance(std::string_view, std::string_view);

}  // namespace ew::ptx
