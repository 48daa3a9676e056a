// The tokens of one module as its parsers read them: what stands here, and is it what must stand here? Owned by the
// Parser, lent to the parsers of its parts (declarations.hpp, initialisers.hpp, operand_parser.hpp,
// function_parser.hpp, expression.hpp). What was not expected throws ptx::Error at the token's place.
#pragma once

#include <string>
#include <string_view>

#include "ptx/lexer.hpp"

namespace ew::ptx {

class TokenReader {
 public:
  explicit TokenReader(const Source& source) : source_(source), lexer_(source) {}

  /// The module's text.
  std::string_view text() const { return source_.text(); }
  const Token& now() const { return lexer_.current(); }
  const Token& ahead() { return lexer_.ahead(); }
  void advance() { lexer_.advance(); }
  void skip_braces() { lexer_.skip_braces(); }
  void skip_line() { lexer_.skip_line(); }

  /// Takes the punctuation if it stands here.
  bool accept(char punctuation);
  void expect(char punctuation, std::string_view where);
  std::string_view expect_name(std::string_view what);
  u64 expect_integer(std::string_view what, u64 least, u64 most);
  std::string expect_string(std::string_view what);

  /// "expected WHAT, found the current token".
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(std::size_t offset, std::string_view sentence) const { source_.fail(offset, sentence); }

 private:
  std::string found() const;

  const Source& source_;
  Lexer lexer_;
};

}  // namespace ew::ptx
