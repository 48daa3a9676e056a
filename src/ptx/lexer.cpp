#include "ptx/lexer.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>

namespace ew::ptx {

namespace {

enum CharacterClass : u8 { blank = 1, word_start = 2, word = 4, digit = 8, hexadecimal = 16 };

constexpr std::array<u8, 256> classify() {
  std::array<u8, 256> table{};
  for (char c : {' ', '\t', '\r', '\n', '\v', '\f'}) table[static_cast<u8>(c)] = blank;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = word_start | word;
  for (char c : {'_', '$'}) table[static_cast<u8>(c)] = word_start | word;
  for (int c = '0'; c <= '9'; ++c) table[c] = word | digit | hexadecimal;
  for (int c = 'a'; c <= 'f'; ++c) table[c] |= hexadecimal, table[c - 'a' + 'A'] |= hexadecimal;
  return table;
}

constexpr auto classes = classify();
bool is(char c, u8 wanted) {
  return (classes[static_cast<u8>(c)] & wanted) != 0;
}

u32 digit_value(char c) {
  return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

}  // namespace

Lexer::Lexer(const Source& source) : source_(source), text_(source.text()) {
  // A module from memory may carry its terminator and padding.
  while (!text_.empty() && text_.back() == '\0') text_.remove_suffix(1);
  scan(current_);
}

const Token& Lexer::ahead() {
  if (!has_ahead_) scan(ahead_), has_ahead_ = true;
  return ahead_;
}

void Lexer::advance() {
  behind_ = current_.offset + current_.text.size() +
            (current_.kind == TokenKind::dotted   ? 1
             : current_.kind == TokenKind::string ? 2
                                                  : 0);
  if (has_ahead_) {
    current_ = ahead_;
    has_ahead_ = false;
  } else {
    scan(current_);
  }
}

void Lexer::restart(std::size_t offset) {
  // Only ever moves back by tokens that stand on lines after line_start_, or forwards; lines are counted again from
  // there.
  next_ = offset;
  has_ahead_ = false;
  scan(current_);
}

void Lexer::skip_line() {
  std::size_t end = text_.find('\n', current_.offset);
  if (end == std::string_view::npos) end = text_.size();
  line_ = current_.line;
  line_start_ = current_.offset - (current_.column - 1);
  restart(end);
}

void Lexer::skip_braces() {
  const std::size_t open = current_.offset;
  line_ = current_.line;
  line_start_ = open - (current_.column - 1);
  std::size_t i = open, depth = 0;
  for (; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '\n') {
      ++line_;
      line_start_ = i + 1;
    } else if (c == '/' && i + 1 < text_.size() && (text_[i + 1] == '/' || text_[i + 1] == '*')) {
      next_ = i;
      skip_comment();
      i = next_ - 1;
    } else if (c == '"') {
      i = text_.find('"', i + 1);
      if (i == std::string_view::npos) source_.fail(open, "this section's string has no end");
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return restart(i + 1);
    }
  }
  source_.fail(open, "expected '}' to close this brace, found the end of the text");
}

void Lexer::skip_comment() {
  if (at(next_ + 1) == '/') {
    next_ = text_.find('\n', next_);
    if (next_ == std::string_view::npos) next_ = text_.size();
    return;
  }
  const std::size_t open = next_;
  const std::size_t end = text_.find("*/", next_ + 2);
  if (end == std::string_view::npos) source_.fail(open, "this comment has no end: expected \"*/\"");
  for (; next_ < end + 2; ++next_) {
    if (text_[next_] == '\n') ++line_, line_start_ = next_ + 1;
  }
}

void Lexer::skip_blank() {
  while (next_ < text_.size()) {
    const char c = text_[next_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++next_;
    } else if (is(c, blank)) {
      ++next_;
    } else if (c == '/' && (at(next_ + 1) == '/' || at(next_ + 1) == '*')) {
      skip_comment();
    } else {
      return;
    }
  }
}

void Lexer::scan(Token& token) {
  skip_blank();
  token.offset = next_;
  token.line = line_;
  token.column = static_cast<u32>(next_ - line_start_ + 1);
  token.is_unsigned = false;
  const char c = at(next_), d = at(next_ + 1);
  if (next_ >= text_.size()) {
    token.kind = TokenKind::end;
    token.text = {};
  } else if (is(c, word_start) || (c == '%' && is(d, word_start))) {
    scan_identifier(token);
  } else if (c == '.' && is(d, word)) {
    scan_dotted(token);
  } else if (is(c, digit)) {
    scan_number(token);
  } else if (c == '"') {
    scan_string(token);
  } else {
    scan_punctuation(token);
  }
}

void Lexer::scan_identifier(Token& token) {
  std::size_t i = next_ + 1;
  while (is(at(i), word)) ++i;
  token.kind = TokenKind::identifier;
  token.text = text_.substr(next_, i - next_);
  next_ = i;
}

void Lexer::scan_dotted(Token& token) {
  std::size_t i = next_ + 1;
  while (is(at(i), word) || (at(i) == ':' && at(i + 1) == ':' && is(at(i + 2), word))) i += at(i) == ':' ? 2 : 1;
  token.kind = TokenKind::dotted;
  token.text = text_.substr(next_ + 1, i - next_ - 1);
  next_ = i;
}

void Lexer::scan_number(Token& token) {
  const char prefix = at(next_) == '0' ? static_cast<char>(at(next_ + 1) | 0x20) : '\0';
  if (prefix == 'f') {
    scan_exact_real(token, 8);
  } else if (prefix == 'd') {
    scan_exact_real(token, 16);
  } else if (prefix == 'x') {
    scan_integer(token, 16);
  } else if (prefix == 'b') {
    scan_integer(token, 2);
  } else {
    scan_decimal(token);
  }
  if (is(at(next_), word)) {
    source_.fail(next_, fmt::format("'{}' does not belong to the number before it", text_[next_]));
  }
}

void Lexer::scan_exact_real(Token& token, std::size_t digits) {
  u64 bits = 0;
  for (std::size_t i = next_ + 2; i < next_ + 2 + digits; ++i) {
    if (!is(at(i), hexadecimal)) {
      source_.fail(std::min(i, text_.size()),
                   fmt::format("expected {} hexadecimal digits after 0{}", digits, at(next_ + 1)));
    }
    bits = bits << 4 | digit_value(text_[i]);
  }
  token.kind = TokenKind::real;
  token.bits = digits == 8 ? double_bits_of_float_bits(static_cast<u32>(bits)) : bits;
  token.text = text_.substr(next_, digits + 2);
  next_ += digits + 2;
}

void Lexer::scan_integer(Token& token, u32 base) {
  std::size_t i = next_ + (base == 8 ? 1 : base == 10 ? 0 : 2);
  const std::size_t first = i;
  u64 bits = 0;
  for (; is(at(i), base == 16 ? hexadecimal : digit); ++i) {
    const u32 value = digit_value(text_[i]);
    if (value >= base) source_.fail(i, fmt::format("digit {} is not one of a number with base {}", value, base));
    if (bits > (~u64{0} - value) / base) source_.fail(next_, "this number needs more than 64 bits");
    bits = bits * base + value;
  }
  if (i == first && base != 8) source_.fail(i, fmt::format("expected a digit of a number with base {}", base));
  token.kind = TokenKind::integer;
  token.bits = bits;
  token.is_unsigned = bits >> 63 != 0;
  if ((at(i) | 0x20) == 'u') token.is_unsigned = true, ++i;
  token.text = text_.substr(next_, i - next_);
  next_ = i;
}

void Lexer::scan_decimal(Token& token) {
  std::size_t i = next_;
  while (is(at(i), digit)) ++i;
  const bool fraction = at(i) == '.' && is(at(i + 1), digit);
  const bool exponent = (at(i) | 0x20) == 'e';
  const bool bare_point = at(i) == '.' && !is(at(i + 1), word);
  if (!fraction && !exponent && !bare_point) return scan_integer(token, at(next_) == '0' ? 8 : 10);
  double value = 0;
  const auto [end, problem] = std::from_chars(text_.data() + next_, text_.data() + text_.size(), value);
  if (problem == std::errc::result_out_of_range) source_.fail(next_, "this number does not fit a double");
  if (problem != std::errc{}) source_.fail(next_, "expected a number");
  token.kind = TokenKind::real;
  token.bits = std::bit_cast<u64>(value);
  const std::size_t past = end - text_.data();
  token.text = text_.substr(next_, past - next_);
  next_ = past;
}

void Lexer::scan_string(Token& token) {
  std::size_t i = next_ + 1;
  while (i < text_.size() && text_[i] != '"' && text_[i] != '\n')
    i += text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n' ? 2 : 1;
  if (at(i) != '"' || i >= text_.size()) source_.fail(next_, "this string has no end: expected '\"' on the same line");
  token.kind = TokenKind::string;
  token.text = text_.substr(next_ + 1, i - next_ - 1);
  next_ = i + 1;
}

void Lexer::scan_punctuation(Token& token) {
  static constexpr std::string_view pairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  static constexpr std::string_view singles = "(){}[],;:@!<>=&|^~+-*/%?";
  const std::string_view two = text_.substr(next_, 2);
  std::size_t size = 1;
  for (const auto pair : pairs) {
    if (two == pair) size = 2;
  }
  if (size == 1 && singles.find(text_[next_]) == std::string_view::npos) {
    const auto c = static_cast<unsigned char>(text_[next_]);
    source_.fail(next_, c < 0x20 || c >= 0x7f ? fmt::format("byte 0x{:02x} is not part of PTX", c)
                                              : fmt::format("character '{}' is not part of PTX", text_[next_]));
  }
  token.kind = TokenKind::punctuation;
  token.text = text_.substr(next_, size);
  next_ += size;
}

u64 double_bits_of_float_bits(u32 bits) {
  if ((bits & 0x7f800000) != 0x7f800000) return std::bit_cast<u64>(static_cast<double>(std::bit_cast<float>(bits)));
  return u64{bits >> 31} << 63 | u64{0x7ff} << 52 | u64{bits & 0x7fffff} << 29;
}

u32 float_bits_of_double_bits(u64 bits) {
  if ((bits >> 52 & 0x7ff) != 0x7ff) return std::bit_cast<u32>(static_cast<float>(std::bit_cast<double>(bits)));
  const u32 payload = static_cast<u32>(bits >> 29 & 0x7fffff);
  const bool nan = (bits & 0xfffffffffffff) != 0;
  return static_cast<u32>(bits >> 63) << 31 | 0x7f800000 | (nan && payload == 0 ? 0x400000 : payload);
}

}  // namespace ew::ptx
