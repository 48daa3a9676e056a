#include "check/litmus_lexer.hpp"

#include <fmt/format.h>

#include <cctype>

#include "core/diagnostics.hpp"
#include "core/nearest.hpp"

namespace ew::check {

namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool in_name(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c));
}

// Longer signs first.
constexpr std::string_view signs[] = {"::", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "=", "!", "+", "-",
                                      "*",  "&",  "|",  "^",  "(",  ")",  "{",  "}", ";", ":", ".", ",", "@"};

}  // namespace

LineLexer::LineLexer(std::string_view line, const std::string& file, u32 number)
    : line_(line), file_(file), line_number_(number) {
  advance();
}

void LineLexer::take(std::size_t length, Kind kind) {
  text_ = line_.substr(at_, length);
  kind_ = kind;
  at_ += length;
}

void LineLexer::take_number() {
  const bool hexadecimal = line_.substr(at_).starts_with("0x");
  std::size_t end = at_ + (hexadecimal ? 2 : 0);
  number_ = 0;
  const std::size_t first = end;
  for (; end < line_.size() && in_name(line_[end]); ++end) {
    const char c = static_cast<char>(std::tolower(line_[end]));
    const int digit = std::isdigit(static_cast<unsigned char>(c)) ? c - '0'
                      : hexadecimal && c >= 'a' && c <= 'f'       ? c - 'a' + 10
                                                                  : -1;
    if (digit < 0) fail(fmt::format("\"{}\" is no number", line_.substr(at_, end + 1 - at_)));
    number_ = number_ * (hexadecimal ? 16 : 10) + digit;
    if (number_ > 0xffffffff) fail(fmt::format("\"{}…\" does not fit in 32 bits", line_.substr(at_, end + 1 - at_)));
  }
  if (end == first) fail("expected hexadecimal digits after 0x");
  take(end - at_, Kind::number);
}

void LineLexer::advance() {
  while (at_ < line_.size() && std::isspace(static_cast<unsigned char>(line_[at_]))) ++at_;
  if (at_ >= line_.size()) return take(0, Kind::end);
  const char c = line_[at_];
  if (std::isdigit(static_cast<unsigned char>(c))) return take_number();
  if (starts_name(c)) {
    std::size_t end = at_;
    while (end < line_.size() && in_name(line_[end])) ++end;
    return take(end - at_, Kind::name);
  }
  for (const std::string_view sign : signs)
    if (line_.substr(at_).starts_with(sign)) return take(sign.size(), Kind::sign);
  fail(fmt::format("\"{}\" has no meaning here", c));
}

bool LineLexer::accept(std::string_view sign) {
  if (!at(sign)) return false;
  advance();
  return true;
}

void LineLexer::expect(std::string_view sign) {
  if (!accept(sign)) fail_expected(fmt::format("\"{}\"", sign));
}

std::string LineLexer::expect_name(std::string_view what) {
  if (kind_ != Kind::name) fail_expected(what);
  std::string name(text_);
  advance();
  return name;
}

u32 LineLexer::expect_count(std::string_view what, u32 most) {
  if (kind_ != Kind::number || number_ > most) fail_expected(fmt::format("{}, 0 .. {}", what, most));
  const u32 count = static_cast<u32>(number_);
  advance();
  return count;
}

std::string LineLexer::expect_dashed(std::string_view what) {
  if (kind_ != Kind::name) fail_expected(what);
  std::string name(text_);
  // The parts must touch: "sbrp - lit" is three words.
  const auto more = [&](char c) { return in_name(c) || c == '-' || c == '.'; };
  while (at_ < line_.size() && more(line_[at_])) name += line_[at_++];
  advance();
  return name;
}

Value LineLexer::expect_value(std::string_view what) {
  const bool negative = accept("-");
  if (kind_ != Kind::number) fail_expected(what);
  if (negative && number_ > 0x80000000) fail(fmt::format("-{} does not fit in 32 bits", number_));
  const i64 value = negative ? -number_ : number_;
  advance();
  return static_cast<Value>(static_cast<u32>(value));
}

void LineLexer::expect_end() {
  if (kind_ != Kind::end) fail_expected("the end of the line");
}

void LineLexer::fail(const std::string& sentence) const {
  throw core::UserError({file_, line_number_}, sentence);
}

void LineLexer::fail_expected(std::string_view what, std::span<const std::string_view> words) const {
  const std::string found = kind_ == Kind::end ? "the end of the line" : fmt::format("\"{}\"", text_);
  fail(
      fmt::format("expected {}, found {}{}", what, found, kind_ == Kind::name ? core::did_you_mean(text_, words) : ""));
}

}  // namespace ew::check
