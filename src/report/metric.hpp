// What a study measures of a run: its time, the time of a range that the program names ("range.flush"), a number that
// the program prints ("printed.latency"), or a sum of counted figures, written as text: "l1.load_misses", "energy.* -
// energy.memory". Kernels of a run can be added up because it is nothing but a sum.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"

namespace ew::report {

class Metric {
 public:
  /// "time", "range.NAME", "printed.NAME", "operations" (that the suite says of the run's size), or names joined by +
  /// and
  /// -:
  /// statistics, figures that are sums of some (energy.total), and "prefix*" for all statistics whose names begin so.
  /// Anything else is a core::UserError with the nearest valid name.
  static Metric read(std::string_view text, const core::Place&);
  static Metric time() { return {}; }

  const std::string& text() const { return text_; }
  bool is_time() const { return factors_.empty() && !operations_ && printed_.empty(); }
  /// The range whose time this is; empty: it is none.
  const std::string& range() const { return range_; }
  bool is_operations() const { return operations_; }
  /// The number that the program prints as "figure NAME VALUE": its name; empty: it is none.
  const std::string& printed() const { return printed_; }
  /// The sum of what `value` says of each name; nothing when it has none of one.
  std::optional<double> of(const std::function<std::optional<double>(const std::string& name)>& value) const;

  const std::map<std::string, int, std::less<>>& factors() const { return factors_; }  // of each statistic

 private:
  std::string text_ = "time", range_, printed_;
  bool operations_ = false;
  std::map<std::string, int, std::less<>> factors_;
};

/// Statistics that parts leave out of a whole, or count twice; empty when they add up to it.
std::string what_parts_miss(const Metric& whole, const std::vector<Metric>& parts);

}  // namespace ew::report
