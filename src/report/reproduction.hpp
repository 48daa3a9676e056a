// A reproduction as a whole, and what is written of it: tables as CSV, everything as JSON. Functions of finished runs;
// the HTML page is html_report.hpp's.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/comparison.hpp"

namespace ew::report {

struct FailedRun {
  std::string program, configuration, command, how, output;  // output: its last lines
};

/// The size at which the papers have measured.
inline constexpr std::string_view full_size = "paper";

/// Where the runs came from.
struct Provenance {
  std::string size{full_size};
  std::string commit, version, command, host;
  std::vector<u64> seeds{0};
  unsigned jobs = 1;
  double wall_seconds = 0;  // of this call, runs that were there before not counted
};

struct Reproduction {
  const Suite* suite = nullptr;
  Provenance provenance;
  std::vector<ComparedFigure> figures;
  std::vector<FinishedRun> runs;
  std::vector<FailedRun> failures;

  /// Whether claims are counted: not of small runs, whose numbers are not the paper's. Scaled ones keep its ratios.
  bool scored() const { return provenance.size == full_size || provenance.size == "scaled"; }
  u64 warp_instructions() const;
  double run_seconds() const;  // wall time of the runs added up
};

/// Runs that took more memory than the suite allows: a sentence each.
std::vector<std::string> too_large(const Reproduction&);
/// Kernels, ranges and printed numbers that no run of their program has, though a figure measures them: a sentence
/// each.
std::vector<std::string> unknown_names(const Reproduction&);
/// Figure, program, value of the axis, bar, paper, ours, least and greatest of the seeds, difference, runs: one line a
/// bar.
std::string figures_csv(const Reproduction&);
/// The parts of stacked bars: one line a part.
std::string parts_csv(const Reproduction&);
/// One line a claim of the text: verdict, ours, published, and why it does not hold or is not judged.
std::string claims_csv(const Reproduction&);
/// A table a figure, "here (paper)" for every bar, and one of its claims, as documents have them (Markdown).
std::string figures_markdown(const Reproduction&);
/// One line a run: what ran, on what, instructions, wall time.
std::string runs_csv(const Reproduction&);
nlohmann::ordered_json to_json(const Reproduction&);

/// What the difference of a figure's bars is in: "%" or "points".
std::string_view difference_unit(const Figure&);
/// The axis's numbers: three digits behind the point, one for shares; "-" for none.
std::string value_text(const Figure&, std::optional<double>);
/// "0.612 (0.640)", with the range of the seeds; without the paper's where a figure has none.
std::string here_and_paper(const Figure&, const ComparedBar&);
/// "geometric mean" or "arithmetic mean".
std::string mean_name(const Figure&);
/// "0.61 ± 0.05".
std::string published_text(const Claim&);
/// "claims: 12 of 20 held, 6 not held, 2 not judged"; empty when there are none.
std::string claims_sentence(const std::vector<const ComparedFigure*>&);
/// From the least to the greatest of the seeds; empty where there is one seed, or no number.
std::string range_text(const Figure&, const ComparedBar&);
/// "0", or "0 to 4".
std::string seeds_text(const Provenance&);
std::string difference_text(const ComparedBar&);

/// How fast the runs were simulated.
std::string speed_sentence(const Reproduction&);
/// Why nothing is scored. REQUIRES: !scored().
std::string unscored_sentence(const Reproduction&);

}  // namespace ew::report
