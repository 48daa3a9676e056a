// What a sweep shows of each run: one number of the whole run, by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/finished_run.hpp"

namespace ew::report {

class SweepMetric {
 public:
  /// "time" (simulated, in ns), "wall_seconds", any name that `ew explain statistics` has, or a sum of counted ones as
  /// studies write it (metric.hpp). Anything else is a core::UserError with the nearest valid name.
  static SweepMetric read(std::string_view text);
  /// What is shown when nothing was asked for.
  static std::vector<SweepMetric> usual();

  const std::string& name() const { return name_; }
  std::string_view unit() const { return unit_; }
  /// "time, ns".
  std::string label() const;
  /// Nothing where the run has no such number: a functional machine has no caches.
  std::optional<double> of(const FinishedRun&) const;

 private:
  std::string name_;
  std::string_view unit_;
  std::optional<Metric> sum_;
};

}  // namespace ew::report
