// One run as an HTML page: time, kernels, what issue slots were lost to, the roofline, latencies, traffic over time.
// What `ew run --html` writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html_text.hpp"
#include "report/measured_run.hpp"

namespace ew::report {

/// What went on between two moments of simulated time.
struct ActivitySample {
  double begin = 0, end = 0;  // us
  double memory_bytes = 0;    // read from and written to the GPU's memory
  double host_bytes = 0;      // over the host's link, both ways
  double l2_requests = 0;
  double issued = 0;  // per cent of the issue slots
};
/// Of the counters of a timeline (`ew run --timeline`), at most so many, neighbours added up. Empty: it has none.
std::vector<ActivitySample> activity_of(const std::string& timeline, std::size_t most = 400);

struct RunPageFacts {
  std::string program;
  std::string command;           // as it can be typed again
  std::string resolved_machine;  // TOML
  std::string no_activity;       // why there is no plot over time; empty where there is one
};
std::string run_page(const MeasuredRun&, const std::vector<ActivitySample>&, const RunPageFacts&, const ChartLibrary&);

}  // namespace ew::report
