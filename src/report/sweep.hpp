// A sweep as a whole: a program run at every point of a product of axes, and what is written of it. Functions of
// finished runs; plain values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/html_text.hpp"
#include "report/sweep_metric.hpp"

namespace ew::report {

struct SweepAxis {
  std::string name;                 // "machine", "l1.bytes", a name of --arg, "seed"
  std::vector<std::string> values;  // as they were typed
  bool varies() const { return values.size() > 1; }
  /// All values are numbers, or sizes ("64 KiB").
  bool is_numeric() const;
};

struct FailedSweepRun {
  int status = 0;
  std::string how, output;  // output: its last lines
  std::string all_output;   // the file that has all of it
};

/// One point: a run, or why there is none.
struct SweepRow {
  std::vector<std::size_t> at;  // the place on each axis
  std::string run, command;
  std::vector<std::optional<double>> values;            // of each metric
  std::vector<std::pair<std::string, double>> figures;  // every number of the run
  double wall_seconds = 0;
  std::optional<FailedSweepRun> failure;
};

struct Sweep {
  std::string program, command, commit, version, host;
  unsigned jobs = 1;
  double wall_seconds = 0;  // of this call
  std::size_t taken = 0;    // runs that were there before
  std::vector<SweepAxis> axes;
  std::vector<SweepMetric> metrics;
  std::vector<SweepRow> rows;
  std::size_t x = 0;                 // the axis along which values are drawn
  std::optional<std::size_t> lines;  // the axis that has a line for each value

  std::size_t failures() const;
  const std::string& value(const SweepRow& row, std::size_t axis) const { return axes[axis].values[row.at[axis]]; }
  /// "titan-rtx, l1.bytes=16KiB": the axes that vary.
  std::string point(const SweepRow&) const;
  std::size_t seed_axis() const { return axes.size() - 1; }
};

/// Chooses what is drawn along what: the first axis of numbers that varies, and lines for the next one. A name that is
/// no axis is a core::UserError; an empty one stands for no choice.
void choose_plot(Sweep&, const std::string& x, const std::string& lines);

/// 1,234,567, or four digits; "-" for nothing.
std::string figure_text(std::optional<double>);
/// One line a run: its axes (sizes in bytes), status, time, wall time, and every number that it counted.
std::string sweep_csv(const Sweep&);
nlohmann::ordered_json sweep_json(const Sweep&);
/// A page with a chart a metric, the runs as a table, failures, and commands.
std::string sweep_page(const Sweep&, const ChartLibrary&);

}  // namespace ew::report
