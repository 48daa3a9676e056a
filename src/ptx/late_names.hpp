// Names in the body of one function that may be declared below their use: labels, tables of them, prototypes, and names
// of the module. Owned by the FunctionParser; resolved when the body has ended.
#pragma once

#include <string>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/module_names.hpp"
#include "ptx/scope.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

class LateNames {
 public:
  LateNames(const TokenReader& tokens, ModuleNames& names, const ScopeStack& scopes)
      : tokens_(tokens), names_(names), scopes_(scopes) {}

  /// An instruction with operands that OperandParser has marked, in the innermost scope.
  void add_instruction(u32 index) { instructions_.push_back({index, scopes_.current()}); }
  /// An entry of a .branchtargets list, whose label was written at `offset`.
  void add_table_entry(const std::string& table, u32 entry, std::size_t offset) {
    entries_.push_back({table, entry, scopes_.current(), offset});
  }
  /// The body has ended. Throws Error where a label is not declared; names that the function does not have become
  /// references of the module.
  void resolve(ast::Function&);

 private:
  struct InstructionUse {
    u32 index = 0, scope = 0;
  };
  struct TableUse {
    std::string table;
    u32 entry = 0, scope = 0;
    std::size_t offset = 0;
  };
  void resolve_entry(ast::Function&, const TableUse&);
  void resolve_operand(ast::Function&, ast::Operand&, const InstructionUse&);

  const TokenReader& tokens_;
  ModuleNames& names_;
  const ScopeStack& scopes_;
  std::vector<InstructionUse> instructions_;
  std::vector<TableUse> entries_;
};

}  // namespace ew::ptx
