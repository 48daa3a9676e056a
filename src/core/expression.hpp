// Arithmetic over named figures, written as text, so that what is printed as a formula is what is computed.
//
//   sum       product { + product | - product }
//   product   value { * value | / value }
//   value     number | name | prefix.* | function(argument, …) | (sum)
//   condition sum == sum | sum <= sum
//
// prefix.* is the sum of every figure whose name begins so. What functions there are is the figures' business. A
// quotient by 0 has no value, and nothing that needs it has one.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::core {

/// Where an expression finds what it names.
class Figures {
 public:
  virtual ~Figures() = default;
  /// False: there is no such figure. One that there is may have no value.
  virtual bool find(std::string_view name, std::optional<long double>& value) const = 0;
  /// Of every figure whose name begins so; nullopt: there is none.
  virtual std::optional<long double> sum(std::string_view prefix) const = 0;
  /// Arguments as they stand in the text. nullopt: it has no value here.
  virtual std::optional<long double> call(std::string_view function, std::span<const std::string_view> arguments) const;
};

/// Two values and the sign between them.
inline std::optional<long double> joined(std::optional<long double> left, char sign, std::optional<long double> right) {
  if (!left || !right || (sign == '/' && *right == 0)) return std::nullopt;
  if (sign == '+') return *left + *right;
  if (sign == '-') return *left - *right;
  return sign == '*' ? *left * *right : *left / *right;
}

/// Aborts at a text that is no expression, or that names what is not there: such texts are tables of this program.
std::optional<long double> evaluate(std::string_view expression, const Figures&);

struct Condition {
  std::optional<long double> left, right;  // without a value: nothing can be said
  bool holds = true;
};
Condition hold(std::string_view condition, const Figures&);

/// A condition that is read once and asked often. Each figure has a number. There are no functions. It is evaluated
/// without branches: what has no value is not a number, and so is what comes of it.
class ReadCondition {
 public:
  /// `numbers(name)`: the numbers of this figure, or of all that `prefix.*` means. None: there is no such figure.
  ReadCondition(std::string_view text, const std::function<std::vector<u32>(std::string_view name)>& numbers);
  static constexpr long double no_value = std::numeric_limits<long double>::quiet_NaN();

  /// `sum_of(first, count)`: the sum of so many figures from that number on; a long double, perhaps no_value.
  template <class SumOf>
  Condition hold(SumOf&& sum_of) const {
    const long double left = value(left_, sum_of), right = value(right_, sum_of);
    const bool known = !std::isnan(left) && !std::isnan(right);
    const bool holds = !known || (equal_ ? left == right : left <= right);
    if (holds) return {};
    return {.left = left, .right = right, .holds = false};
  }

  /// Figures whose numbers follow each other.
  struct Run {
    u32 first = 0, count = 0;
  };
  /// A step leaves a value on a stack: a number, the sum of figures, or two values joined.
  struct Step {
    char sign = 0;  // 0: no joining
    long double number = 0;
    std::vector<Run> figures;
  };

 private:
  static long double joined(long double left, char sign, long double right) {
    if (sign == '+') return left + right;
    if (sign == '-') return left - right;
    if (sign == '*') return left * right;
    return right == 0 ? no_value : left / right;
  }
  template <class SumOf>
  static long double value(const std::vector<Step>& steps, SumOf&& sum_of) {
    long double stack[most_deep];
    u32 deep = 0;
    for (const Step& step : steps) {
      if (step.sign) {
        --deep;
        stack[deep - 1] = joined(stack[deep - 1], step.sign, stack[deep]);
        continue;
      }
      long double sum = step.number;
      for (const Run& run : step.figures) sum += sum_of(run.first, run.count);
      stack[deep++] = sum;
    }
    return stack[0];
  }

  static constexpr u32 most_deep = 16;
  std::vector<Step> left_, right_;
  bool equal_ = false;
};

/// The names in an expression, with `prefix.*` as it stands.
std::vector<std::string_view> names_in(std::string_view expression);

}  // namespace ew::core
