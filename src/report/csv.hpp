// Lines and cells of the CSV files of a study, and cells of those that are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"

namespace ew::report {

struct CsvLine {
  core::Place place;
  std::vector<std::string> cells;
};

/// The lines of a text that are neither empty nor a comment ("# …"). A cell loses the blanks around it; one in double
/// quotes may hold commas, and "" for a quote. A quote that nothing closes is a core::UserError.
std::vector<CsvLine> csv_lines(std::string_view text, const std::string& file);

/// As a cell: quoted where RFC 4180 asks for it.
std::string csv_cell(std::string_view text);

}  // namespace ew::report
