#include "ptx/tokens.hpp"

#include <fmt/format.h>

namespace ew::ptx {

bool TokenReader::accept(char punctuation) {
  if (!now().is(punctuation)) return false;
  advance();
  return true;
}

std::string TokenReader::found() const {
  switch (now().kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::dotted:
      return fmt::format("'.{}'", now().text.substr(0, 60));
    case TokenKind::string:
      return "a string";
    default:
      return fmt::format("'{}'", now().text.substr(0, 60));
  }
}

void TokenReader::fail_expected(std::string_view what) const {
  fail(now().offset, fmt::format("expected {}, found {}", what, found()));
}

void TokenReader::expect(char punctuation, std::string_view where) {
  if (!accept(punctuation)) fail_expected(fmt::format("'{}' {}", punctuation, where));
}

std::string_view TokenReader::expect_name(std::string_view what) {
  if (now().kind != TokenKind::identifier) fail_expected(what);
  const auto name = now().text;
  advance();
  return name;
}

u64 TokenReader::expect_integer(std::string_view what, u64 least, u64 most) {
  if (now().kind != TokenKind::integer) fail_expected(what);
  const u64 value = now().bits;
  if (value < least || value > most) {
    fail(now().offset, fmt::format("{} must be from {} to {}, not {}", what, least, most, value));
  }
  advance();
  return value;
}

std::string TokenReader::expect_string(std::string_view what) {
  if (now().kind != TokenKind::string) fail_expected(what);
  std::string text(now().text);
  advance();
  return text;
}

}  // namespace ew::ptx
