#include "report/launch_figures.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/expression.hpp"
#include "runtime/derived_figures.hpp"

namespace ew::report {

namespace {

using Json = nlohmann::ordered_json;

/// Counted figures of one launch. What the machine file says is the same for each launch, so it counts 1.
class Counted final : public core::Figures {
 public:
  explicit Counted(const Json& timing) : timing_(timing) {}

  bool find(std::string_view name, std::optional<long double>& value) const override {
    value.reset();  // a file of another version may lack it
    if (name == "kernel.warp_instructions")
      value = sum("issued.");
    else if (name.starts_with("machine."))
      value = 1;
    else if (const auto found = timing_.find(name); found != timing_.end() && found->is_number())
      value = found->get<double>();
    return true;
  }
  std::optional<long double> sum(std::string_view prefix) const override {
    long double sum = 0;
    for (const auto& [name, value] : timing_.items())
      if (name.starts_with(prefix) && value.is_number()) sum += value.get<double>();
    return sum;
  }

 private:
  const Json& timing_;
};

/// What a formula divides by, outside of parentheses.
std::vector<std::string_view> divisors_of(std::string_view formula) {
  std::vector<std::string_view> divisors;
  std::size_t from = 0;  // of the divisor that is being read
  int deep = 0;
  for (std::size_t at = 0; at <= formula.size(); ++at) {
    const bool end = at == formula.size();
    const char c = end ? ' ' : formula[at];
    deep += (c == '(') - (c == ')');
    // A name may end in '*'; a sign stands between spaces.
    const bool sign = !end && deep == 0 && c == ' ' && at + 2 < formula.size() && formula[at + 2] == ' ' &&
                      std::string_view("+-*/").find(formula[at + 1]) != std::string_view::npos;
    if (!sign && !end) continue;
    if (from) divisors.push_back(formula.substr(from, at - from));
    from = sign && formula[at + 1] == '/' ? at + 3 : 0;
    at += sign ? 2 : 0;
  }
  return divisors;
}

bool any_counted(std::string_view expression) {
  return std::ranges::any_of(core::names_in(expression), [](auto name) { return !name.starts_with("machine."); });
}

/// How much of a figure of all launches is this launch's. nullopt: its time says so.
std::optional<double> weight_of(std::string_view formula, const Json& timing) {
  if (formula.empty() || formula.starts_with("percentile(") || formula.find("kernel.resident") != formula.npos ||
      !any_counted(formula))
    return std::nullopt;
  double weight = 1;
  for (const std::string_view divisor : divisors_of(formula)) {
    const auto value = core::evaluate(divisor, Counted(timing));
    if (!value || *value == 0) return std::nullopt;
    weight *= static_cast<double>(*value);
  }
  return weight;
}

/// Whether it divides by what is counted: then launches have a mean.
bool is_quotient(std::string_view formula) {
  return std::ranges::any_of(divisors_of(formula), any_counted);
}

}  // namespace

void LaunchFigures::add(const Json& row, double nanoseconds) {
  const Json timing = row.value("timing", Json::object());
  const auto derived = row.find("derived");
  if (derived == row.end()) return;
  for (const auto& [name, value] : derived->items()) {
    if (!value.is_number()) continue;
    const auto figure = std::ranges::find(runtime::derived_figures(), name, &runtime::DerivedFigure::name);
    const std::string_view formula =
        figure == runtime::derived_figures().end() ? std::string_view() : figure->expression;
    const std::optional<double> weight = weight_of(formula, timing);
    Sum& sum = sums_[name];
    sum.mean = !weight || is_quotient(formula);
    const double counts = !sum.mean ? 1 : weight.value_or(std::max(nanoseconds, 1.0));  // a time of 0 counts a little
    sum.weighted += counts * value.get<double>();
    sum.weights += counts;
    sum.last = value.get<double>();
    ++sum.launches;
  }
}

void LaunchFigures::write(std::map<std::string, double, std::less<>>& to) const {
  for (const auto& [name, sum] : sums_)
    // One launch keeps its figure to the last digit.
    to[name] = sum.launches == 1 ? sum.last : sum.mean ? sum.weighted / sum.weights : sum.weighted;
}

}  // namespace ew::report
