// PTX text to tokens (PTX ISA, section 4 "Syntax"). Comments and white space are skipped; a malformed number, string or
// comment throws ptx::Error. Tokens refer to the text.
#pragma once

#include <string_view>

#include "core/types.hpp"
#include "ptx/source.hpp"

namespace ew::ptx {

enum class TokenKind : u8 {
  end,
  identifier,  // foo $L__BB0_1 %r1 _
  dotted,      // .u32 .shared::cta .L2::128B: `text` without the leading dot
  integer,     // `bits`
  real,        // 0f… 0d… 1.5: `bits` holds the double
  string,      // `text` without the quotes
  punctuation  // one or two characters: ( ) { } [ ] , ; : @ ! << && …
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool is_unsigned = false;  // integer written with suffix U, or too big for 63 bits
  std::string_view text;
  u64 bits = 0;
  std::size_t offset = 0;  // of the first byte in the text
  u32 line = 1, column = 1;

  bool is(std::string_view punctuation) const { return kind == TokenKind::punctuation && text == punctuation; }
  bool is(char c) const { return kind == TokenKind::punctuation && text.size() == 1 && text[0] == c; }
  bool is_dotted(std::string_view name) const { return kind == TokenKind::dotted && text == name; }
};

class Lexer {
 public:
  explicit Lexer(const Source&);

  const Token& current() const { return current_; }
  /// The token after the current one.
  const Token& ahead();
  void advance();
  /// Offset of the byte behind the token last left with advance().
  std::size_t behind() const { return behind_; }

  /// Past the braces that open at the current token, whatever stands between them (debug sections hold what is not
  /// PTX).
  void skip_braces();
  /// To the first token of the next line.
  void skip_line();

 private:
  void scan(Token&);
  void skip_blank();
  void skip_comment();
  void scan_identifier(Token&);
  void scan_dotted(Token&);
  void scan_number(Token&);
  void scan_exact_real(Token&, std::size_t digits);
  void scan_integer(Token&, u32 base);
  void scan_decimal(Token&);
  void scan_string(Token&);
  void scan_punctuation(Token&);
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  void restart(std::size_t offset);

  const Source& source_;
  std::string_view text_;
  std::size_t next_ = 0, line_start_ = 0, behind_ = 0;
  u32 line_ = 1;
  Token current_, ahead_;
  bool has_ahead_ = false;
};

/// Exact conversion of a float's bits to a double's; NaN payloads and the signalling bit survive (hardware would quiet
/// them).
u64 double_bits_of_float_bits(u32);
/// The other way, for a double that came from a float, and rounding to nearest even for any other.
u32 float_bits_of_double_bits(u64);

}  // namespace ew::ptx
