#include "cli/chart_library.hpp"

#include "core/files.hpp"

namespace ew::cli {

report::ChartLibrary chart_library() {
  static constexpr const char* path = "/usr/share/javascript/chart.js/chart.min.js";
  core::FileText file = core::read_file(path);
  if (file.why.empty()) return {std::move(file.text), ""};
  return {"", "Chart.js is missing; install it (Debian: apt-get install libjs-chart.js) and make the report again."};
}

}  // namespace ew::cli
