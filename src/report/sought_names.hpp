// Names of kernels, of ranges and of printed numbers that a figure measures. Only a finished run tells which there are.
// So they are noted while a figure is compared, and afterwards it is told which of them no run has. Plain values.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/finished_run.hpp"
#include "report/study.hpp"

namespace ew::report {

class SoughtNames {
 public:
  /// The run was asked for these. `found`: it has them all.
  void note(const FinishedRun&, const Program&, Phase, MeasuredName, std::span<const std::string> names, bool found);
  void add(const SoughtNames&);
  /// A sentence for each name that no run of its program has. Of programs whose runs stand under one of `failed`
  /// nothing is told: a run that failed might have had the name.
  std::vector<std::string> unknown(const std::set<std::string>& failed) const;

 private:
  struct Name {
    std::string program, run_name;
    Phase phase = Phase::run;
    MeasuredName kind = MeasuredName::kernel;
    std::string text;
    auto operator<=>(const Name&) const = default;
  };
  struct Runs {
    bool have_it = false;           // one of them, or one that has left out rows
    std::set<std::string> instead;  // what they have of this kind
  };
  static std::string sentence(const Name&, const Runs&);

  std::map<Name, Runs> names_;
};

}  // namespace ew::report
