// One line of .glt text as names, numbers and signs, and the messages about mistakes in it. Private to the parser.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "check/litmus.hpp"

namespace ew::check {

class LineLexer {
 public:
  enum class Kind : u8 { end, name, number, sign };

  LineLexer(std::string_view line, const std::string& file, u32 number);

  Kind kind() const { return kind_; }
  std::string_view text() const { return text_; }
  /// The value of a number: 0 .. 4294967295.
  i64 number() const { return number_; }
  u32 line() const { return line_number_; }

  void advance();
  bool at(std::string_view sign) const { return kind_ == Kind::sign && text_ == sign; }
  bool accept(std::string_view sign);
  void expect(std::string_view sign);
  std::string expect_name(std::string_view what);
  u32 expect_count(std::string_view what, u32 most);
  /// A word of letters, digits, '-' and '.', as a model's name may be.
  std::string expect_dashed(std::string_view what);
  /// A number, perhaps with a '-' before it.
  Value expect_value(std::string_view what);
  void expect_end();

  /// "expected WHAT, found FOUND", with the nearest of `words`.
  [[noreturn]] void fail_expected(std::string_view what, std::span<const std::string_view> words = {}) const;
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  void take(std::size_t length, Kind kind);
  void take_number();

  std::string_view line_, text_;
  const std::string& file_;
  u32 line_number_;
  std::size_t at_ = 0;
  Kind kind_ = Kind::end;
  i64 number_ = 0;
};

}  // namespace ew::check
