// The text of one module, and the reports about it: "name:line:column: sentence", the line, a caret.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::ptx {

struct Position {
  u32 line = 1, column = 1;  // 1-based, columns in bytes
};

/// Refers to the text, does not own it.
class Source {
 public:
  Source(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  std::string_view name() const { return name_; }
  std::string_view text() const { return text_; }
  Position position(std::size_t offset) const;

  /// "program.cu:12: " by the .loc that holds at `offset`, or empty: inline assembly is the program author's text.
  std::string place_in_program(std::size_t offset) const;

  /// Throws ptx::Error about the byte at `offset`.
  [[noreturn]] void fail(std::size_t offset, std::string_view sentence) const;

 private:
  std::string_view name_, text_;
};

/// ` (did you mean "x"?)` as core::did_you_mean, but with bounded work however long and many the names of a hostile
/// module are.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ew::ptx
