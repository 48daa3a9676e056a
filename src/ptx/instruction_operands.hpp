// The operands of the instruction that is being decoded, as what an Instr and the side tables hold: rows, predicates,
// constants, addresses. Owned by the FunctionDecoder, which says for each instruction which one it is. An operand that
// does not fit throws Error with the instruction's text and its place.
#pragma once

#include <optional>
#include <string>

#include "ptx/frame_layout.hpp"

namespace ew::ptx {

class InstructionOperands {
 public:
  InstructionOperands(KernelBuild&, const ast::Function& source, const Flow&, const FrameLayout&);

  void begin(const ast::Instruction& instruction) { instruction_ = &instruction; }
  const ast::Instruction& instruction() const { return *instruction_; }
  /// Of a kernel, not of a function that is called.
  bool in_entry() const { return source_.is_entry; }

  u32 count() const { return static_cast<u32>(instruction_->operands.size()); }
  /// Refuses an operand that is missing.
  const ast::Operand& operator[](u32 index) const;
  void expect(u32 least, u32 most) const;
  void expect(u32 exactly) const { expect(exactly, exactly); }

  /// A register or a constant that is read. `wider`: a register may have more bits than the type.
  Row row(const ast::Operand&, Type, bool wider = false);
  Row register_row(const ast::Operand&, Type, bool wider);
  /// A register that is written; no_row for '_'.
  Row destination(const ast::Operand&, Type, bool wider = false);
  /// A constant that no operand names.
  Row constant(u64 bits, u32 bytes) { return build_.constant(bits, bytes); }
  Predicate predicate(const ast::Operand&);
  Predicate destination_predicate(const ast::Operand&);
  u64 immediate(const ast::Operand&, Type);
  u32 immediate_u32(const ast::Operand&, const char* what);
  Symbol symbol(const std::string& name);
  /// REQUIRES: it names a register.
  Type register_type(const ast::Operand&) const;

  /// The address register (or no_row) and what is added to it.
  struct Address {
    Row row = no_row;
    u8 bytes = 8;
    i64 offset = 0;
    std::optional<Symbol> symbol;
  };
  Address address(const ast::Operand&);

  /// Throws Error: `message`, the instruction, and where it stands.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  KernelBuild& build_;
  const ast::Function& source_;
  const Flow& flow_;
  const FrameLayout& frame_;
  const ast::Instruction* instruction_ = nullptr;
};

}  // namespace ew::ptx
