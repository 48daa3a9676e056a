// Figures that are made from counted ones: each is one expression, which `ew explain statistics` prints and which is
// evaluated, as text, when results are written. One that has no value (nothing was counted) is left out.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/named_figures.hpp"

namespace ew::runtime {

struct DerivedFigure {
  std::string_view name, expression, unit, sentence;
  /// The metric of Nsight Compute that says nearly the same; empty: there is none.
  std::string_view nsight;
  bool of_launches = true;  // also of one launch: everything that it needs is kept apart by launch
};
std::span<const DerivedFigure> derived_figures();

std::vector<std::pair<const DerivedFigure*, double>> derive(const NamedFigures&, bool of_launch);

/// What Nsight Compute calls a cause of stalls, for docs/statistics.md. Counted figures, too.
struct NsightName {
  std::string_view figure, nsight;
};
std::span<const NsightName> nsight_names();

}  // namespace ew::runtime
