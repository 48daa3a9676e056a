// The recursive-descent parser behind ptx::parse: the directives of a module, and its variables. One object a module.
// Parts of the language have parsers of their own, which read the same tokens: function_parser.hpp (functions and their
// bodies), operand_parser.hpp, declarations.hpp, initialisers.hpp, expression.hpp (constant expressions).
// Private to this folder: the door is program.hpp.
#pragma once

#include <string_view>

#include "ptx/ast.hpp"
#include "ptx/debug_directives.hpp"
#include "ptx/initialisers.hpp"
#include "ptx/module_names.hpp"
#include "ptx/source.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

class Parser {
 public:
  Parser(std::string_view text, std::string_view name);
  ast::Module parse();

 private:
  void parse_header();
  void parse_target();
  void parse_directive();
  void parse_alias();
  void parse_variables();

  Source source_;
  TokenReader tokens_;
  ast::Module module_;
  ModuleNames names_;
  DebugDirectives debug_;
  InitialiserParser initialisers_;
};

}  // namespace ew::ptx
