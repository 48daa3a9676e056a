#include "ptx/instruction_operands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/symbol_name.hpp"
#include "ptx/narrow.hpp"

namespace ew::ptx {

using Kind = ast::Operand::Kind;

InstructionOperands::InstructionOperands(KernelBuild& build, const ast::Function& source, const Flow& flow,
                                         const FrameLayout& frame)
    : build_(build), source_(source), flow_(flow), frame_(frame) {}

const ast::Operand& InstructionOperands::operator[](u32 index) const {
  if (index >= instruction_->operands.size()) fail(fmt::format("operand {} is missing", index + 1));
  return instruction_->operands[index];
}

void InstructionOperands::expect(u32 least, u32 most) const {
  const auto given = instruction_->operands.size();
  if (given < least || given > most)
    fail(least == most ? fmt::format("{} operands expected, {} given", least, given)
                       : fmt::format("{} to {} operands expected, {} given", least, most, given));
}

Row InstructionOperands::register_row(const ast::Operand& from, Type type, bool wider) {
  const auto& reg = source_.registers[from.reg];
  const u32 have = size_of(reg.type), want = std::max(size_of(type), 1u);
  if (reg.type == Type::pred)
    fail(fmt::format("{} is a predicate; a .{} register is expected", reg.name, name_of(type)));
  const bool is_byte = want == 1 && have == 2;  // there are no 8-bit registers worth the name: 16-bit ones hold bytes
  if (have != want && !is_byte && !(wider && have > want))
    fail(fmt::format("{} is a .{} register; this operand is .{}", reg.name, name_of(reg.type), name_of(type)));
  const Row row = flow_.row_of[from.reg];
  if (row == no_row) fail(fmt::format("register {} has no row", reg.name));
  return row;
}

Row InstructionOperands::destination(const ast::Operand& to, Type type, bool wider) {
  if (to.kind == Kind::sink) return no_row;
  if (to.kind != Kind::reg) fail("the destination must be a register");
  return register_row(to, type, wider);
}

Row InstructionOperands::row(const ast::Operand& from, Type type, bool wider) {
  switch (from.kind) {
    case Kind::reg:
      if (from.negated) fail("only a predicate can be negated with '!'");
      return register_row(from, type, wider);
    case Kind::immediate:
      return build_.constant(immediate(from, type), size_of(type));
    case Kind::symbol: {
      const auto where = symbol(from.symbol);
      if (where.kind == Symbol::Kind::frame)
        fail(fmt::format("the address of {} can be taken with mov only", from.symbol));
      const u64 base = where.kind == Symbol::Kind::function ? code_base + 16 * where.value : where.value;
      return build_.constant(base + static_cast<u64>(from.offset), size_of(type));
    }
    case Kind::special:
      fail("a special register can be read with mov only");
    default:
      fail("a register or a constant is expected as operand");
  }
}

Predicate InstructionOperands::predicate(const ast::Operand& from) {
  if (from.kind == Kind::immediate) return (from.bits != 0) != from.negated ? always : Predicate{always | negated};
  if (from.kind != Kind::reg || register_type(from) != Type::pred) fail("a predicate register is expected as operand");
  return static_cast<Predicate>(flow_.predicate_of[from.reg] | (from.negated ? negated : 0));
}

Predicate InstructionOperands::destination_predicate(const ast::Operand& to) {
  if (to.kind == Kind::sink) return always;
  if (to.kind != Kind::reg || to.negated || register_type(to) != Type::pred)
    fail("a predicate register is expected as destination");
  return flow_.predicate_of[to.reg];
}

u64 InstructionOperands::immediate(const ast::Operand& from, Type type) {
  const u32 bytes = size_of(type);
  if (from.is_float) {
    if (bytes == 8) return from.bits;
    if (bytes == 4) return narrow_f64_to_f32(from.bits);
    if (type == Type::f16) return narrow_f64_to_f16(from.bits);
    fail("a floating-point constant does not fit this operand");
  }
  const bool is_float = type == Type::f32 || type == Type::f64;
  if (is_float && from.bits != 0) fail("a floating-point constant is expected (write 1.0 or 0f3F800000)");
  return from.bits;
}

u32 InstructionOperands::immediate_u32(const ast::Operand& from, const char* what) {
  if (from.kind != Kind::immediate || from.is_float) fail(fmt::format("{} must be an integer constant", what));
  return static_cast<u32>(from.bits);
}

Type InstructionOperands::register_type(const ast::Operand& named) const {
  return source_.registers[named.reg].type;
}

Symbol InstructionOperands::symbol(const std::string& name) {
  if (const Symbol* own = frame_.find(name)) return *own;
  if (const auto shared = build_.shared_offset.find(name); shared != build_.shared_offset.end())
    return {Symbol::Kind::shared, shared->second, Space::shared, build_.index.variables.at(name)->size};
  if (const auto function = build_.index.functions.find(name); function != build_.index.functions.end()) {
    if (!build_.index.module.functions[function->second].has_body)
      fail(fmt::format("function {} is not defined", name));
    return {Symbol::Kind::function, function->second, Space::generic, 0};
  }
  const auto variable = build_.index.variables.find(name);
  if (variable == build_.index.variables.end()) fail(fmt::format("{} is not declared", name));
  return {Symbol::Kind::absolute, build_.index.address_of(name), variable->second->space, variable->second->size};
}

InstructionOperands::Address InstructionOperands::address(const ast::Operand& from) {
  if (from.kind != Kind::address || from.elements.empty()) fail("an address in [brackets] is expected as operand");
  const auto& base = from.elements[0];
  Address result{.offset = from.offset};
  if (base.kind == Kind::reg) {
    const auto type = register_type(base);
    if (size_of(type) != 4 && size_of(type) != 8) fail("an address register must have 32 or 64 bits");
    if (type == Type::f32 || type == Type::f64) fail("an address register cannot hold a floating-point number");
    result.bytes = static_cast<u8>(size_of(type));
    result.row = register_row(base, type, false);
  } else if (base.kind == Kind::symbol) {
    result.symbol = symbol(base.symbol);
    result.offset += base.offset;
    const bool is_code = result.symbol->kind == Symbol::Kind::function;
    result.offset += static_cast<i64>(is_code ? code_base + 16 * result.symbol->value : result.symbol->value);
  } else if (base.kind == Kind::immediate) {
    result.offset += static_cast<i64>(base.bits);
  } else {
    fail("an address is a register, a name or a constant");
  }
  return result;
}

void InstructionOperands::fail(const std::string& message) const {
  const auto& place = instruction_->place;
  const auto& module = build_.index.module;
  std::string where;
  if (const auto file = module.files.find(place.file); place.file && file != module.files.end())
    where = fmt::format("{}:{}: ", file->second, place.line);
  throw Error(fmt::format("{}{}\n  {}\n  in {} {}, PTX line {}{}", where, message, instruction_->text,
                          source_.is_entry ? "kernel" : "function", core::readable_name(source_.name), place.ptx_line,
                          module.name.empty() ? "" : " of " + module.name));
}

}  // namespace ew::ptx
