// Reads arithmetic that is written as text:
//   sum      product { + product | - product }
//   product  value { * value | / value }
//   value    number | (sum) | what else the language has
// A language derives from it. Term: what reading yields, a number or a tree. The language's part:
//   Term number(double);
//   Term joined(Term, char sign, Term);
//   Term other();                       a value that is neither a number nor in parentheses; at_ is its beginning
//   [[noreturn]] void wrong(expected);  the text is a mistake at at_
#pragma once

#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

namespace ew::core {

template <class Language, class Term>
class ArithmeticReader {
 protected:
  explicit ArithmeticReader(std::string_view text) : text_(text) {}

  Term sum() {
    Term left = product();
    while (const char sign = one_of("+-")) left = language().joined(std::move(left), sign, product());
    return left;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }
  /// The next character, if it is one of these; else 0.
  char one_of(std::string_view characters) {
    return at_end() || characters.find(text_[at_]) == characters.npos ? '\0' : text_[at_++];
  }
  /// Takes this text, if it comes next.
  bool sign(std::string_view expected) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  void close() {
    if (!one_of(")")) language().wrong("\")\"");
  }
  /// The letters, digits, points and underlines that come next; perhaps none.
  std::string_view word() {
    skip_spaces();
    const std::size_t begin = at_;
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  const std::string_view text_;
  std::size_t at_ = 0;

 private:
  Language& language() { return static_cast<Language&>(*this); }
  Term product() {
    Term left = value();
    while (const char sign = one_of("*/")) left = language().joined(std::move(left), sign, value());
    return left;
  }
  Term value() {
    if (one_of("(")) {
      Term inside = sum();
      close();
      return inside;
    }
    if (at_end() || !std::isdigit(static_cast<unsigned char>(text_[at_]))) return language().other();
    const std::size_t begin = at_;
    const std::string_view digits = word();
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return language().number(number);
    at_ = begin;
    language().wrong("a number");
  }
};

}  // namespace ew::core
