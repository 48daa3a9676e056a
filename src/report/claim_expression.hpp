// Arithmetic over the measurements of a figure, as its claims write it:
//
//   sum        product { + product | - product }
//   product    value { * value | / value }
//   value      number | (sum) | measurement | aggregate
//   measured   METRIC(PROGRAM, MACHINE [, AXIS=VALUE] [, recovery])
//   aggregate  FUNCTION(VARIABLE in SET, sum)        mean, geomean, min, max, sum or crossing
//   set        programs | bars | AXIS | [NAME, NAME, …]
//
// METRIC is what a study may measure (time, range.flush, energy.total, slots.data_*), or `value`: what this figure's
// bars measure. MACHINE is the name of a bar or of a configuration. AXIS is the name of the figure's x-axis.
// `programs`, `bars` and AXIS are the figure's. A name with other characters than letters, digits, points and
// underlines stands in single quotes. `recovery`: of the program's recovery and not of its run.
//
//   mean(p in programs, time(p, gh) / time(p, gd))
//   crossing(b in bandwidths, time(A1, strict, bandwidths=b) / time(A1, helper, bandwidths=b))
//   max(n in cus, time(SPM_L, dd, cus=n) / time(SPM_L, dd, cus=1))
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/metric.hpp"

namespace ew::report {

/// What an expression may name. Values that outlive its reading.
struct ClaimNames {
  std::vector<std::string> programs, bars, configurations;
  Metric value;      // what the word `value` measures
  std::string axis;  // empty: the figure has none
  std::vector<std::string> axis_values;
  bool of_a_bar = false;  // `program` stands for the program whose bar it is
  std::string axis_over;  // the axis's value that bars are measured over, where that is none of the others
};

/// One measurement: of a program on a bar's machine, or on a configuration; `x` is empty where there is no axis.
/// `recovery`: asked for by its word; else the figure says which phase it measures.
struct Measurement {
  const Metric* metric = nullptr;
  std::string program, machine, x;
  bool recovery = false;
};
using Measure = std::function<std::optional<double>(const Measurement&)>;

class ClaimExpression {
 public:
  /// A mistake is a core::UserError with the place, the column and the nearest valid name.
  static ClaimExpression read(std::string_view text, const ClaimNames&, const core::Place&);

  const std::string& text() const { return text_; }
  /// Nothing when a measurement is missing, or something is divided by 0. `program`: what the word stands for, of a
  /// bar.
  std::optional<double> value(const Measure&, const std::string& program = {}) const;

  struct Member {
    std::string name;  // of the program, bar or value of the axis
    double value = 0;
  };
  /// What a minimum or maximum was taken of, when the whole expression is one; otherwise nothing.
  std::vector<Member> members(const Measure&) const;

  struct Node {
    enum class Kind { number, measured, sum, difference, product, quotient, aggregate } kind = Kind::number;
    double number = 0;
    Metric metric;
    std::string program, machine, x;  // names, or variables
    bool recovery = false;
    std::string function, variable;
    std::vector<std::string> set;
    std::vector<Node> parts;
  };

 private:
  std::string text_;
  Node root_;
};

}  // namespace ew::report
