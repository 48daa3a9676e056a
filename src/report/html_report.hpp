// A reproduction as one HTML page that needs nothing beside it: for each figure the paper's bars and ours side by side,
// a table with the difference of every bar, the claims that hold and those that do not, and what made each number.
#pragma once

#include <string>

#include "report/reproduction.hpp"

namespace ew::report {

/// Sources of vega and vega-lite, as text for the page. Without them the page says how to get them, and the tables
/// stand alone.
struct ChartLibrary {
  std::string vega, vega_lite;
  std::string missing;  // what to do, when they are not there
  bool found() const { return !vega.empty() && !vega_lite.empty(); }
};

std::string html_report(const Reproduction&, const ChartLibrary&);

/// The figure's bars as a specification that Vega-Lite draws: a group of bars a program, the paper's beside ours.
nlohmann::ordered_json chart_of(const ComparedFigure&);

}  // namespace ew::report
