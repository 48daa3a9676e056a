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

#include <optional>
#include <span>
#include <string_view>
#include <vector>

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

/// Aborts at a text that is no expression, or that names what is not there: such texts are tables of this program.
std::optional<long double> evaluate(std::string_view expression, const Figures&);

struct Condition {
  std::optional<long double> left, right;  // without a value: nothing can be said
  bool holds = true;
};
Condition hold(std::string_view condition, const Figures&);

/// The names in an expression, with `prefix.*` as it stands.
std::vector<std::string_view> names_in(std::string_view expression);

}  // namespace ew::core
