// A reproduction as one HTML page that needs nothing beside it: for each figure the paper's bars and ours side by side,
// a table of every bar, and what made each number. At the paper's size also the difference of every bar, and the claims
// that hold and those that do not.
#pragma once

#include <string>

#include "report/html_text.hpp"
#include "report/reproduction.hpp"

namespace ew::report {

std::string html_report(const Reproduction&, const ChartLibrary&);

/// What the page's script draws: {y, normalised, panels: [{type, labels, sets: [{label, source, values}]}]}. Bars of a
/// program stand beside each other, the paper's beside ours; a figure with an x-axis has a panel of lines a program.
nlohmann::ordered_json chart_of(const ComparedFigure&);

}  // namespace ew::report
