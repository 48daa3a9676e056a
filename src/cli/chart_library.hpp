// Vega and Vega-Lite, which draw the report's charts. They are npm packages (src/report/package.json), installed once
// into the build folder; the report carries their text, so that it needs no network.
#pragma once

#include "report/html_report.hpp"

namespace ew::cli {

/// What is installed; installs it first where npm can be found. A library without text says what is missing.
report::ChartLibrary chart_library();

}  // namespace ew::cli
