#include "cli/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace ew::cli {

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(headings_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < headings_.size(); ++column) {
    std::size_t width = headings_[column].size();
    for (const auto& row : rows_) width = std::max(width, row[column].size());
    widths.push_back(width);
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string row;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      row += right_[column] ? fmt::format("{:>{}}", cells[column], widths[column])
                            : fmt::format("{:<{}}", cells[column], widths[column]);
      row += "  ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  };
  line(headings_);
  std::vector<std::string> rule;
  for (std::size_t width : widths) rule.emplace_back(width, '-');
  line(rule);
  for (const auto& row : rows_) line(row);
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string result, line(indent, ' ');
  for (std::string word; words >> word;) {
    if (line.size() > indent && line.size() + 1 + word.size() > width) {
      result += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  return result + line + '\n';
}

}  // namespace ew::cli
