// A figure from finished runs: every bar as published and as measured here, and how far the two agree. A pure function
// of the study and of the runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/finished_run.hpp"
#include "report/sought_names.hpp"
#include "report/study.hpp"

namespace ew::report {

/// The run of a program on a machine with a seed, or nothing when it failed or was not asked for.
using FindRun = std::function<const FinishedRun*(const Program&, const Configuration&, Phase, u64 seed)>;

struct ComparedBar {
  std::string program, bar;           // program "mean": over all programs of the figure
  std::string x;                      // the value of the axis; empty where there is none
  std::optional<double> paper, ours;  // ours: mean over the seeds, geometric; of shares and absolute values, arithmetic
  std::vector<double> by_seed;        // in the seeds' order; empty without `ours`
  std::vector<double> parts;          // of a stacked bar: what each is of `ours`, which they add up to
  double low() const;                 // least and greatest of the seeds'. REQUIRES: ours
  double high() const;
  /// Ours against the paper's: per cent of its value; of shares, percentage points.
  std::optional<double> difference;
  std::vector<std::string> runs;            // names of the directories it came from
  std::vector<std::string> configurations;  // that of each
};

/// What the published bars say, of each and of pairs, that the runs were held to. With several seeds a claim holds when
/// it does under each of them, is broken when it does under none, and is undecided otherwise: it is within what seeds
/// change.
struct Agreement {
  struct Count {
    unsigned held = 0, claims = 0;
  };
  unsigned held = 0, claims = 0;
  std::vector<std::string> broken, undecided;  // one sentence each
  std::map<std::string, Count> by_row;         // by Figure::row_name
};

/// A line of a figure's table.
struct ComparedRow {
  std::string program, x;
};

struct ComparedFigure {
  const Figure* figure = nullptr;
  std::vector<std::string> programs;         // those that were asked for, in the figure's order
  std::map<std::string, std::string> parts;  // by Figure::row_name: which part of the paper's size was run, if known
  std::vector<ComparedBar> bars;             // by program, value of the axis, bar; the mean's last
  std::vector<JudgedClaim> claims;           // of the paper's text
  SoughtNames sought;                        // of kernels, ranges and printed numbers, in the runs that there are
  Agreement direction;                       // bars more than 5 % from the normal one: on the same side of it
  Agreement order;                           // pairs of a program's bars more than 5 % apart: in the same order
  const ComparedBar* find(const std::string& program, const std::string& bar, const std::string& x = "") const;
  bool has_ranges() const;           // there are several seeds
  std::size_t count(Verdict) const;  // of the claims
  /// "gpKVS, 1/8": the program and the part of the paper's size, at a value of the axis. `x` empty: of all its values.
  std::string label(const std::string& program, const std::string& x = "") const;
  /// Programs by values of the axis, then the means, if there are any.
  std::vector<ComparedRow> rows() const;
};

/// Published values that differ by no more than this are taken for equal.
inline constexpr double telling_difference = 0.05;

/// `programs`: those that were run; the mean is given only when they are all of the figure's. `seeds`: of the runs, not
/// empty; a bar's runs are compared seed by seed.
ComparedFigure compare(const Suite&, const Figure&, const std::vector<std::string>& programs,
                       const std::vector<u64>& seeds, const FindRun&);

}  // namespace ew::report
