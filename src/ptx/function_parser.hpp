// One function of a module: its head, its attributes, the declarations and the instructions of its body. Made by the
// Parser for one function. What outlives the function goes into the module: static variables, and names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/debug_directives.hpp"
#include "ptx/declarations.hpp"
#include "ptx/initialisers.hpp"
#include "ptx/late_names.hpp"
#include "ptx/module_names.hpp"
#include "ptx/operand_parser.hpp"
#include "ptx/scope.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

class FunctionParser {
 public:
  FunctionParser(TokenReader&, ast::Module&, ModuleNames&, DebugDirectives&, InitialiserParser&);

  /// REQUIRES: the current token is .entry or .func.
  ast::Function parse(ast::Linkage);

 private:
  // Heads and bodies (function_parser.cpp).
  void parse_body();
  void parse_statement();
  void parse_directive();
  void parse_local_pragma();
  void begin_region(const std::string& name, const Token& at);
  void end_region(const Token& at);
  void parse_label(const Token& name);
  void parse_local_table(const Token& name);
  ast::Prototype parse_prototype();
  void parse_instruction();
  void finish_body();

  // Declarations (function_variables.cpp).
  void parse_registers();
  void parse_variables();
  void add_variable(ast::Variable, const Declaration&, const Token& name);
  ast::Variable parse_parameter(bool in_prototype);
  std::vector<ast::Variable> parse_parameter_list(bool in_prototype);

  TokenReader& tokens_;
  ast::Module& module_;
  ModuleNames& names_;
  DebugDirectives& debug_;
  InitialiserParser& initialisers_;
  ast::Function function_;
  ScopeStack scopes_;
  OperandParser operands_;
  LateNames late_names_;
  std::optional<std::size_t> region_offset_;  // of the open region's pragma
};

}  // namespace ew::ptx
