// .file, .loc and .section, which may stand in a module and in a function: which source line does the PTX come from?
// Owned by the Parser.
#pragma once

#include "ptx/ast.hpp"
#include "ptx/tokens.hpp"

namespace ew::ptx {

class DebugDirectives {
 public:
  /// Names of files go into `module`.
  DebugDirectives(TokenReader& tokens, ast::Module& module) : tokens_(tokens), module_(module) {}

  // REQUIRES, of each: the current token is the directive.
  void parse_file();
  void parse_loc();
  void parse_section();

  /// The .loc before it holds no longer: a function begins.
  void forget_loc() { file_ = line_ = 0; }
  /// The token's place, and the source line that the last .loc has named.
  ast::Place place_of(const Token& token) const { return {token.line, token.column, file_, line_}; }

 private:
  TokenReader& tokens_;
  ast::Module& module_;
  u32 file_ = 0, line_ = 0;
};

}  // namespace ew::ptx
