// What a run measured, as a file says it: the statistics of `ew run --stats FILE` or `ew run --json`, or the folder of
// a run (stats.json in it). Kernels of one name are one row.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::report {

/// Unit and sentence of a figure, by the name that `ew explain statistics` has for it; empty for one that it does not
/// have.
struct FigureText {
  std::string_view unit, sentence;
};
FigureText text_of_figure(std::string_view name);

/// Figures by name. Those of the whole run: counted, derived, and what `time` says.
using MeasuredFigures = std::map<std::string, double, std::less<>>;

struct MeasuredKernel {
  std::string name;  // readable, without parameters
  u64 launches = 0;
  double nanoseconds = 0;
  /// Counted figures are sums over the launches; derived ones as launch_figures.hpp says.
  MeasuredFigures figures;
};

class MeasuredRun {
 public:
  /// core::UserError: there is no such file, or it holds no statistics.
  static MeasuredRun read(const std::filesystem::path&);

  const std::string& label() const { return label_; }
  const std::string& machine() const { return machine_; }
  const nlohmann::ordered_json& statistics() const { return statistics_; }
  /// Had the run simulated time?
  bool timed() const { return statistics_.contains("timing"); }
  const MeasuredFigures& figures() const { return figures_; }
  /// By their times, the longest first.
  const std::vector<MeasuredKernel>& kernels() const { return kernels_; }
  const MeasuredKernel* kernel(std::string_view name) const;

 private:
  std::string label_, machine_;
  nlohmann::ordered_json statistics_;
  MeasuredFigures figures_;
  std::vector<MeasuredKernel> kernels_;
};

}  // namespace ew::report
