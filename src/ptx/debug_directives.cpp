#include "ptx/debug_directives.hpp"

#include <fmt/format.h>

namespace ew::ptx {

void DebugDirectives::parse_file() {
  tokens_.advance();
  const u32 number = static_cast<u32>(tokens_.expect_integer("file number", 0, 1u << 30));
  module_.files[number] = tokens_.expect_string("a file name");
  for (int i = 0; i < 2 && tokens_.accept(','); ++i) tokens_.expect_integer("a time stamp or file size", 0, ~u64{0});
}

void DebugDirectives::parse_loc() {
  tokens_.advance();
  file_ = static_cast<u32>(tokens_.expect_integer("file number", 0, 1u << 30));
  line_ = static_cast<u32>(tokens_.expect_integer("line number", 0, ~u32{0}));
  tokens_.expect_integer("column number", 0, ~u32{0});
  // The place where the text stands, not the place that it was inlined at, is what a reader looks for.
  while (tokens_.accept(',')) {
    const Token word = tokens_.now();
    const auto attribute = tokens_.expect_name("function_name or inlined_at");
    if (attribute == "function_name") {
      tokens_.expect_name("the label of a name");
      if (tokens_.accept('+')) tokens_.expect_integer("offset", 0, ~u64{0});
    } else if (attribute == "inlined_at") {
      for (const auto* what : {"file number", "line number", "column number"}) tokens_.expect_integer(what, 0, ~u32{0});
    } else {
      tokens_.fail(word.offset, fmt::format("expected function_name or inlined_at, found '{}'", attribute));
    }
  }
}

void DebugDirectives::parse_section() {
  tokens_.advance();
  if (tokens_.now().kind == TokenKind::dotted || tokens_.now().kind == TokenKind::identifier) {
    tokens_.advance();
  } else {
    tokens_.fail_expected("the name of a section");
  }
  if (!tokens_.now().is('{')) tokens_.fail_expected("'{' after the name of a section");
  tokens_.skip_braces();
}

}  // namespace ew::ptx
