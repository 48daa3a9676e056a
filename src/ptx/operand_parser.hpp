// Operands of the instructions of one function. Owned by its FunctionParser.
#pragma once

#include <utility>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/module_names.hpp"
#include "ptx/scope.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

class OperandParser {
 public:
  /// `registers`: the function's, which `scopes` makes.
  OperandParser(TokenReader& tokens, ScopeStack& scopes, const std::vector<ast::Register>& registers,
                const ModuleNames& names)
      : tokens_(tokens), scopes_(scopes), registers_(registers), names_(names) {}

  /// `negatable`: a register may have a minus in front (vmad).
  ast::Operand parse(bool in_call, bool negatable = false);
  /// Whether an operand since the last call has a name that no scope knew yet. late_names.hpp resolves those.
  bool take_unresolved() { return std::exchange(unresolved_, false); }
  /// The predicate register behind '@'.
  u32 parse_guard();

 private:
  ast::Operand parse_simple();
  ast::Operand parse_named();
  ast::Operand parse_symbol(const Token& name);
  ast::Operand parse_special(const Token& name);
  ast::Operand parse_immediate();
  ast::Operand parse_vector();
  ast::Operand parse_address();
  ast::Operand parse_list();
  ast::Operand parse_pair(ast::Operand first, const Token& at);
  i64 parse_offset();
  [[noreturn]] void fail_unknown_name(const Token& name) const;

  TokenReader& tokens_;
  ScopeStack& scopes_;
  const std::vector<ast::Register>& registers_;
  const ModuleNames& names_;
  bool unresolved_ = false;
};

}  // namespace ew::ptx
