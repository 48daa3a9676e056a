#include "report/csv.hpp"

#include <algorithm>

namespace ew::report {

namespace {

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// The text between the quotes that `line` begins with; `end`: where the closing one stands.
std::string quoted_cell(std::string_view line, const core::Place& place, std::size_t& end) {
  std::string cell;
  for (end = 1; end < line.size(); ++end) {
    if (line[end] == '"') {
      if (end + 1 == line.size() || line[end + 1] != '"') return cell;
      ++end;
    }
    cell += line[end];
  }
  throw core::UserError(place, "a quote is opened and not closed on this line");
}

std::vector<std::string> cells_of(std::string_view line, const core::Place& place) {
  std::vector<std::string> cells;
  while (true) {
    while (line.starts_with(' ')) line.remove_prefix(1);
    std::size_t end = 0;
    if (line.starts_with('"')) {
      cells.push_back(quoted_cell(line, place, end));
      const std::size_t comma = std::min(line.find(',', end + 1), line.size());
      if (!without_blanks(line.substr(end + 1, comma - end - 1)).empty())
        throw core::UserError(place, "a comma should follow the closing quote");
      end = comma;
    } else {
      end = std::min(line.find(','), line.size());
      cells.emplace_back(without_blanks(line.substr(0, end)));
    }
    if (end == line.size()) return cells;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<CsvLine> csv_lines(std::string_view text, const std::string& file) {
  std::vector<CsvLine> lines;
  u32 number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    const core::Place place{file, ++number};
    if (!without_blanks(line).empty() && line[0] != '#') lines.push_back({place, cells_of(line, place)});
  }
  return lines;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) c == '"' ? quoted += "\"\"" : quoted += c;
  return quoted + '"';
}

}  // namespace ew::report
