// Chart.js, which draws the report's charts: Debian's package libjs-chart.js. The report carries its text, so that it
// needs nothing beside it and no network.
#pragma once

#include "report/html_text.hpp"

namespace ew::cli {

/// A library without text says what is missing.
report::ChartLibrary chart_library();

}  // namespace ew::cli
