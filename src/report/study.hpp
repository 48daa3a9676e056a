// What a reproduction is made of, as studies/ says it: a suite (programs, and the machines that they run on, as named
// configurations) and its figures, each a folder with study.toml (what is run, measured and normalised) and
// published.csv (the paper's numbers). Plain values, read once and never changed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"

namespace ew::report {

/// Whether a program's run is measured, or its recovery from the worst crash state.
enum class Phase { run, recovery };

/// A CUDA program and how it is called. In a call "{size}" stands for the words of the chosen size.
struct Program {
  std::string name;
  core::Place place;
  std::filesystem::path source;       // absolute; in the file, relative to the folder that holds workloads/
  std::vector<std::string> options;   // of `ew build`, besides -O2
  std::string run, prepare, recover;  // calls; prepare leaves the worst crash state, recover is measured on it
  std::vector<std::string> kernels, recovery_kernels;  // those that are measured; empty: all
  std::map<std::string, std::string> sizes;

  const std::vector<std::string>& measured_kernels(Phase phase) const {
    return phase == Phase::run ? kernels : recovery_kernels;
  }
};

/// A machine and what is changed of it, and of the programs that run on it.
struct Configuration {
  std::string name, machine;
  core::Place place;
  std::vector<std::string> settings;  // as --set takes them
  std::vector<std::string> options;   // of `ew build`, behind the program's
  bool count_launches = false;        // a kernel's time has the machine's launch.latency on top
};

/// How a bar's height follows from what was measured.
enum class Quantity {
  speedup,  // `over` divided by `run`
  ratio,    // `run` divided by `over`
  share,    // per cent that one of two steps, `over` to `via` and `via` to `run`, has of what both save
};

enum class Step { first, second };

/// One bar of every program. Names are those of configurations.
struct Bar {
  std::string name, label, run, over, via;
  Step step = Step::first;
};

struct Figure {
  std::string id;  // of its folder: "10a" in figure-10a
  std::string title, source, axis, note;
  std::string metric;  // "time", a statistic of `ew explain statistics`, or a derived figure that is a sum of some
  Quantity quantity = Quantity::speedup;
  Phase phase = Phase::run;
  std::vector<std::string> programs;
  std::map<std::string, Configuration> configurations;  // the suite's and its own
  std::vector<Bar> bars;
  bool has_mean = true;                                            // a geometric mean is part of the figure
  std::map<std::string, std::map<std::string, double>> published;  // program or "mean", bar

  std::optional<double> paper(const std::string& program, const std::string& bar) const;
  const Configuration& configuration(const std::string& name) const { return configurations.at(name); }
};

struct Suite {
  std::string name, title;
  std::map<std::string, Program> programs;
  std::vector<Figure> figures;  // in the order that suite.toml says
};

/// Names of the suites in a folder of studies, sorted.
std::vector<std::string> suite_names(const std::filesystem::path& studies);

/// Reads a suite and all its figures. A mistake in a file is a core::UserError with file, line and the nearest valid
/// name; so is a machine, a setting or a statistic that does not exist.
Suite read_suite(const std::filesystem::path& studies, std::string_view name);

/// Texts that stand in files, for tests.
struct PublishedTable {
  std::vector<std::string> bars;
  std::map<std::string, std::map<std::string, double>> values;  // by program, "mean" among them
};
/// Lines "# comment", one heading "program,bar,...", then rows; an empty cell is a value that was not published.
PublishedTable read_published(std::string_view text, const std::string& file);

}  // namespace ew::report
