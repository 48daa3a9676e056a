// Silicon beside the simulated machine: units are made alike, differences taken, and told as a table, a page, a plot.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/silicon.hpp"
#include "runtime/machine_config.hpp"

namespace ew::report {

/// What units are converted with.
struct MachineScale {
  double gigahertz = 1;  // of the SMs
  double peak = 1;       // of the memory, GB/s
  double sms = 1;
  double slices = 1;  // of the L2

  static MachineScale of(const runtime::MachineConfig&);
};

/// All units that readings can have.
std::vector<std::string_view> unit_names();
/// A reading in another unit; nothing when there is no way from one to the other.
std::optional<double> converted(const Reading&, const std::string& unit, double gigahertz);

struct CorrelatedRow {
  SiliconRow row;
  double silicon = 0, ours = 0;  // in `unit`
  std::string unit;

  /// Percent of the silicon's.
  double difference() const { return 100 * (ours / silicon - 1); }
};

struct Correlation {
  std::string machine, device, origin;  // origin: what was compared with
  std::vector<CorrelatedRow> rows;
  std::vector<SiliconRow> left_out;
  std::vector<std::string> missing;  // figures that one of both sides has not
  std::string board;                 // of a measured device: its driver and clocks, in a sentence

  /// The mean of the differences' sizes, in percent; `only`: over rows of this use. Nothing without a row.
  std::optional<double> mean_error(std::optional<Use> only = std::nullopt) const;
  std::size_t count(std::optional<Use> only = std::nullopt) const;

  /// Rows of use test of whose figure, and of its family (syncthreads_1, syncthreads_32), no row has use set.
  Correlation only_untold() const;
};

using Figures = std::map<std::string, Reading>;

/// The rows of one machine beside its figures. A unit that cannot be converted is a core::UserError, and so is a figure
/// that is not among them.
Correlation correlate(const std::string& machine, const std::vector<SiliconRow>&, const Figures&, const MachineScale&);
/// A measured device, with times of programs, beside the same of the machine.
Correlation correlate(const std::string& machine, const SiliconMeasurement&, const std::string& file, const Figures&,
                      const std::map<std::string, KernelTime>& programs);

/// Four significant digits.
std::string number_text(double);
std::string mean_sentence(const Correlation&);
nlohmann::ordered_json to_json(const std::vector<Correlation>&);
/// The document: docs/correlation.md. `plot`: the name of the plot's file beside it.
std::string markdown_of(const std::vector<Correlation>&, const std::string& plot);
/// A point a row, silicon to the right and ours upward, both logarithmic: an SVG.
std::string scatter_plot(const std::vector<Correlation>&);

}  // namespace ew::report
