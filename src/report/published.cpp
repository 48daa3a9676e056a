// The bars that a paper published: published.csv.
#include <fmt/format.h>

#include <charconv>

#include "report/csv.hpp"
#include "report/study.hpp"

namespace ew::report {

using core::UserError;

namespace {
constexpr std::string_view table_prefix = "table-";
}

std::string Figure::folder_of(const std::string& id) {
  return id.starts_with(table_prefix) ? id : "figure-" + id;
}

std::string Figure::heading() const {
  return id.starts_with(table_prefix) ? "Table " + id.substr(table_prefix.size()) : "Figure " + id;
}

std::optional<double> Figure::paper(const std::string& program, const std::string& bar, const std::string& x) const {
  const auto row = published.find(row_name(program, x));
  if (row == published.end()) return std::nullopt;
  const auto cell = row->second.find(bar);
  return cell == row->second.end() ? std::nullopt : std::optional(cell->second);
}

PublishedTable read_published(std::string_view text, const std::string& file, const std::string& axis) {
  PublishedTable table;
  const std::size_t first = axis.empty() ? 1 : 2;  // of the bars' cells
  for (const CsvLine& line : csv_lines(text, file)) {
    const std::vector<std::string>& cells = line.cells;
    if (table.bars.empty()) {
      if (cells.size() <= first || cells[0] != "program" || (first == 2 && cells[1] != axis))
        throw UserError(line.place, fmt::format("the heading should be \"program,{}\" and the names of bars",
                                                axis.empty() ? "" : axis + ","));
      table.bars.assign(cells.begin() + static_cast<std::ptrdiff_t>(first), cells.end());
      continue;
    }
    if (cells.size() != table.bars.size() + first)
      throw UserError(line.place, fmt::format("expected {} cells, found {}", table.bars.size() + first, cells.size()));
    const std::string row = Figure::row_name(cells[0], first == 2 ? cells[1] : "");
    if (table.values.contains(row)) throw UserError(line.place, fmt::format("\"{}\" stands twice", row));
    auto& values = table.values[row];
    table.places[row] = line.place;
    for (std::size_t i = first; i < cells.size(); ++i) {
      if (cells[i].empty()) continue;
      double value = 0;
      const char* last = cells[i].data() + cells[i].size();
      const auto [rest, error] = std::from_chars(cells[i].data(), last, value);
      if (error != std::errc{} || rest != last || value < 0)
        throw UserError(line.place, fmt::format("expected a number from 0, found \"{}\"", cells[i]));
      values[table.bars[i - first]] = value;
    }
  }
  if (table.bars.empty()) throw UserError({file}, "there is no heading \"program,bar,...\"");
  return table;
}

}  // namespace ew::report
