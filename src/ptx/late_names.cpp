#include "ptx/late_names.hpp"

#include <fmt/format.h>

namespace ew::ptx {

void LateNames::resolve(ast::Function& function) {
  for (const auto& entry : entries_) resolve_entry(function, entry);
  for (const auto& use : instructions_)
    for (auto& operand : function.body[use.index].operands) resolve_operand(function, operand, use);
}

void LateNames::resolve_entry(ast::Function& function, const TableUse& use) {
  std::string& name = function.branch_targets[use.table][use.entry];
  Named::Kind kind{};
  const std::string* label = scopes_.find_local(use.scope, name, kind);
  if (!label || kind != Named::Kind::label) {
    tokens_.fail(use.offset, fmt::format("label '{}' is not declared{}", name,
                                         suggestion(name, scopes_.local_names(use.scope, Named::Kind::label))));
  }
  name = *label;
}

/// Symbols marked by OperandParser::parse_symbol: a label, a table, a prototype, or else a name of the module.
void LateNames::resolve_operand(ast::Function& function, ast::Operand& operand, const InstructionUse& use) {
  for (auto& element : operand.elements) resolve_operand(function, element, use);
  if (operand.kind != ast::Operand::Kind::symbol || operand.reg == 0) return;
  const std::size_t offset = operand.bits;
  operand.reg = 0;
  operand.bits = 0;
  Named::Kind kind{};
  const std::string* local = scopes_.find_local(use.scope, operand.symbol, kind);
  const std::string_view opcode = function.body[use.index].opcode;
  const bool fits =
      local && (opcode == "bra" ? kind == Named::Kind::label : opcode != "brx" || kind == Named::Kind::branch_targets);
  if ((opcode == "bra" || opcode == "brx") && !fits) {
    tokens_.fail(
        offset, fmt::format("{} '{}' is not declared{}", opcode == "bra" ? "label" : ".branchtargets", operand.symbol,
                            suggestion(operand.symbol,
                                       scopes_.local_names(use.scope, opcode == "bra" ? Named::Kind::label
                                                                                      : Named::Kind::branch_targets))));
  }
  if (!local) {
    names_.refer(tokens_.text().substr(offset, operand.symbol.size()), offset);
    return;
  }
  operand.symbol = *local;
  if (kind != Named::Kind::label) return;
  operand.kind = ast::Operand::Kind::label;
  operand.bits = function.labels[*local];
}

}  // namespace ew::ptx
