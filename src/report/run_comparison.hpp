// Two or more runs, or two or more machines, beside each other: what differs, the largest difference first.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/html_text.hpp"
#include "report/measured_run.hpp"

namespace ew::report {

/// A figure of each of the runs; nothing where a run does not have it.
struct FigureRow {
  std::string name;
  std::string_view unit;
  std::vector<std::optional<double>> values;

  bool differs() const;
  /// How large the largest difference from the first run is. Of a share (unit %): in parts of the whole. Else: the
  /// logarithm of the ratio; of a figure that is 0 on one side only, that of the largest ratio there is.
  double size() const;
};

struct KernelComparison {
  std::string name;
  std::vector<u64> launches;  // 0: the run did not have it
  FigureRow time;             // ns, of all its launches
};

struct RunComparison {
  std::vector<MeasuredRun> runs;
  std::string kernel;                     // figures are of this kernel alone; empty: of the whole runs
  std::vector<FigureRow> times;           // simulated time: all, kernels, copies, gaps
  std::vector<KernelComparison> kernels;  // of the runs; by the difference of their times
  std::vector<FigureRow> figures;         // that differ, the largest difference first
  u32 equal = 0;                          // so many do not differ
};

/// What to look at. `figures`: only those of these names; a name may end in `*`. `all`: counted figures as well, else
/// those that are derived, shares of issue slots and energy. core::UserError: a kernel or figure that no run has.
struct ComparisonChoice {
  std::string kernel;
  std::vector<std::string> figures;
  bool all = false;
};
RunComparison compare(std::vector<MeasuredRun> runs, const ComparisonChoice&);

/// "+12.3 %"; of a share "+3.1 points"; "3.40 times" from twice on; "from 0".
std::string change_text(const FigureRow&, std::size_t run);
/// What a run is called beside others: A, B, … Z, then 27, 28, ….
std::string letter_of(std::size_t run);
/// Five significant digits, with separators: "1,234.5".
std::string value_text(double);

nlohmann::ordered_json to_json(const RunComparison&);
/// `rows`: so many of the figures; 0: all.
std::string comparison_page(const RunComparison&, std::size_t rows, const ChartLibrary&);

}  // namespace ew::report
