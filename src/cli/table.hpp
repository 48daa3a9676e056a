// Text in columns for people.
#pragma once

#include <string>
#include <vector>

#include "core/grouped.hpp"

namespace ew::cli {

class Table {
 public:
  /// A heading that begins with '>' is a column of numbers, set flush right.
  explicit Table(std::vector<std::string> headings);

  void row(std::vector<std::string> cells);
  std::string text() const;
  std::size_t rows() const { return rows_.size(); }

 private:
  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

using core::grouped;
/// Text broken at blanks to lines of at most `width`, each indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace ew::cli
