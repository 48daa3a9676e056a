// What a reproduction is made of, as studies/ says it: a suite (programs, and the machines that they run on, as named
// configurations) and its figures, each a folder with study.toml (what is run, measured and normalised), and
// published.csv (the bars of the paper), claims.csv (what its text says), or both. Plain values, read once and never
// changed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"
#include "core/types.hpp"
#include "report/claim.hpp"
#include "report/metric.hpp"

namespace ew::report {

/// Whether a program's run is measured, or its recovery from the worst crash state.
enum class Phase { run, recovery };

/// A CUDA program and how it is called. In a call "{size}" stands for the words of the chosen size.
struct Program {
  std::string name;
  std::string run_name;  // runs stand under it: that of another program whose runs these are too, else its own
  core::Place place;
  std::filesystem::path source;       // absolute; in the file, relative to the folder that holds workloads/
  std::vector<std::string> options;   // of `ew build`, besides -O2
  std::string run, prepare, recover;  // calls; prepare leaves the worst crash state, recover is measured on it
  std::vector<std::string> kernels, recovery_kernels;  // those that are measured; empty: all
  std::string range, recovery_range;                   // that a figure measures where it names none
  std::map<std::string, std::string> sizes;
  /// Of a size: its part of the paper's data, as the bars show it ("1/8"), and of the work, where that is another; and
  /// how long a run of it took, in seconds of one core, and its memory, in MiB. For those sizes where the suite says
  /// so.
  std::map<std::string, std::string> parts, works;
  std::map<std::string, double> seconds, mib;
  std::map<std::string, double> operations;  // that a run of the size carries out, for throughputs
  /// Changes of a machine on which it runs at a size, as --set takes them. Those of the configuration come behind them.
  std::map<std::string, std::vector<std::string>> settings_at;

  /// The part as a number.
  static double part_of(const std::string& text);
  const std::string& measured_range(Phase phase) const { return phase == Phase::run ? range : recovery_range; }
  const std::vector<std::string>& measured_kernels(Phase phase) const {
    return phase == Phase::run ? kernels : recovery_kernels;
  }
};

/// A machine and what is changed of it, and of the programs that run on it.
struct Configuration {
  std::string name, machine;
  core::Place place;
  std::vector<std::string> settings;  // as --set takes them
  std::string source_prefix;          // of the file's name: another version of the program stands beside its source
  std::vector<std::string> options;   // of `ew build`, behind the program's
  std::string words;                  // behind the program's call: those of a bar, or of a place on the x-axis
  std::string size;             // of the programs, where nobody asks for another than the suite's; empty: that one
  bool count_launches = false;  // a kernel's time has the machine's launch.latency on top
};

/// How a bar's height follows from what was measured.
enum class Quantity {
  speedup,  // `over` divided by `run`
  ratio,    // `run` divided by `over`
  share,    // per cent that one of two steps, `over` to `via` and `via` to `run`, has of what both save
  absolute  // `run`, in the metric's own unit
};

/// What of a run is measured.
enum class Span {
  kernels,  // those that the program names, added up
  copies,   // what copy engines did, whatever kernels did meanwhile
  program,  // from the first call to the end
  range     // the time of a range of the host's work that the program names (NVTX); all of that name, added up
};

enum class Mean { none, geometric, arithmetic };

enum class Step { first, second };

/// One bar of every program. `run`, `over` and `via` are names of configurations; `over` is empty where a figure shows
/// absolute values. A computed bar has none of them, and an expression.
struct Bar {
  std::string name, label, run, over, via;
  Step step = Step::first;
  ClaimExpression value;

  bool is_computed() const { return run.empty(); }
  /// All that others are normalised to.
  bool is_normal() const { return !is_computed() && run == over; }
};

/// A part of a stacked bar.
struct Part {
  std::string label;
  Metric metric;
};

/// The x-axis of a figure that shows series: each program is run with further words, or settings, for each value.
struct Axis {
  std::string name, label;          // name: what claims and published.csv call it; empty: there is no such axis
  std::vector<std::string> values;  // as they stand in the file
  std::string over;                 // the value that `over` is measured at, shown or not; empty: the same as `run`
  bool numeric = true;              // all values are numbers: drawn to scale
  std::vector<std::string> points() const { return name.empty() ? std::vector<std::string>{""} : values; }
};

/// "ring_{x}" at a value of the axis. Behind the x a number may be multiplied or divided by: "{x/14}", "{x*1.5}".
std::string with_value(std::string text, const std::string& value);

struct Figure {
  std::string id;  // of its folder: "10a" in figure-10a, "table-4" in table-4
  std::string title, source, axis, note;
  Metric metric;
  std::vector<Part> parts;  // of a stacked bar, from below; empty: bars are not stacked. They add up to the metric
  Axis x;
  Quantity quantity = Quantity::speedup;
  Span span = Span::kernels;
  std::string range;  // of Span::range: its name; empty: each program's own
  Phase phase = Phase::run;
  Mean mean = Mean::geometric;
  bool shows_part = true;  // of the paper's data, beside each program; not where words of the figure change the size
  std::vector<std::string> programs;
  std::map<std::string, Configuration> configurations;  // the suite's and its own, and those at each value of the axis
  std::vector<Bar> bars;
  std::map<std::string, std::map<std::string, double>> published;  // row_name, bar
  std::vector<Claim> claims;

  static std::string folder_of(const std::string& id);
  std::string heading() const;  // "Figure 10a", "Table 4"
  /// `x`: a value of the axis; empty where there is none.
  std::optional<double> paper(const std::string& program, const std::string& bar, const std::string& x = "") const;
  const Configuration& configuration(const std::string& name, const std::string& x = "") const {
    return configurations.at(configuration_at(name, x));
  }
  std::vector<std::string> bars_with_a_machine() const;  // the names of those that are not computed
  /// The machine of a bar, or the configuration of this name.
  const Configuration& machine(const std::string& bar_or_configuration, const std::string& x) const;
  static std::string configuration_at(const std::string& name, const std::string& x) {
    return x.empty() ? name : name + " at " + x;
  }
  static std::string row_name(const std::string& program, const std::string& x) {
    return x.empty() ? program : program + " at " + x;
  }
};

struct Suite {
  std::string name, title;
  std::string size = "paper";  // at which programs run where nobody says another
  std::string full;            // the suite that has the paper's sizes, where they need other machines; "": this one
  u64 most_memory = 0;         // bytes that a run may take where nobody asks for another `size`; 0: all
  std::map<std::string, Program> programs;
  std::vector<Figure> figures;  // in the order that suite.toml says

  /// At which programs run on a machine, where `asked` is the size of the reproduction.
  const std::string& size_on(const Configuration& configuration, const std::string& asked) const {
    return asked == size && !configuration.size.empty() ? configuration.size : asked;
  }
};

/// Names of the suites in a folder of studies, sorted.
std::vector<std::string> suite_names(const std::filesystem::path& studies);

/// Reads a suite and all its figures. A mistake in a file is a core::UserError with file, line and the nearest valid
/// name; so is a machine, a setting or a statistic that does not exist.
Suite read_suite(const std::filesystem::path& studies, std::string_view name);

/// Texts that stand in files, for tests.
struct PublishedTable {
  std::vector<std::string> bars;
  std::map<std::string, std::map<std::string, double>> values;  // by Figure::row_name, program "mean" among them
  std::map<std::string, core::Place> places;                    // of the rows
};
/// Lines "# comment", one heading "program,bar,...", then rows; an empty cell is a value that was not published. With
/// an x-axis its name and values stand in the second column.
PublishedTable read_published(std::string_view text, const std::string& file, const std::string& axis = "");

}  // namespace ew::report
