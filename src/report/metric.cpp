#include "report/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/nearest.hpp"
#include "core/statistics.hpp"
#include "runtime/derived_figures.hpp"
#include "runtime/run_results.hpp"

namespace ew::report {

namespace {

struct Term {
  std::string_view name;
  int sign = 1;
};

/// "a + b.* - c" as terms; nothing when the text is not of this form.
std::optional<std::vector<Term>> terms_of(std::string_view text) {
  std::vector<Term> terms;
  int sign = 1;
  bool want_name = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (want_name == (word == "+" || word == "-")) return std::nullopt;
    if (want_name)
      terms.push_back({word, sign});
    else
      sign = word == "+" ? 1 : -1;
    want_name = !want_name;
  }
  return want_name ? std::nullopt : std::optional(terms);
}

bool is_sum(const runtime::DerivedFigure& figure) {
  return figure.of_launches && figure.expression.find_first_of("/(") == figure.expression.npos &&
         figure.expression.find(" * ") == figure.expression.npos && terms_of(figure.expression);
}

std::vector<std::string_view> statistics() {
  std::vector<std::string_view> names;
  for (const core::Statistic& statistic : core::statistics_of(runtime::TimingFigures{}))
    names.push_back(statistic.name);
  return names;
}

using Factors = std::map<std::string, int, std::less<>>;

void add(Factors& factors, const Term& term, const core::Place& place) {
  const std::vector<std::string_view> counted = statistics();
  if (term.name.size() > 1 && term.name.ends_with('*')) {
    const std::string_view prefix = term.name.substr(0, term.name.size() - 1);
    std::size_t found = 0;
    for (const std::string_view name : counted)
      if (name.starts_with(prefix)) factors[std::string(name)] += term.sign, ++found;
    if (!found) throw core::UserError(place, fmt::format("no statistic begins with \"{}\"", prefix));
    return;
  }
  if (std::ranges::find(counted, term.name) != counted.end()) {
    factors[std::string(term.name)] += term.sign;
    return;
  }
  std::vector<std::string_view> names = counted;
  names.push_back("time");
  for (const runtime::DerivedFigure& one : runtime::derived_figures()) {
    if (!is_sum(one)) continue;
    names.push_back(one.name);
    if (one.name != term.name) continue;
    const std::vector<Term> inner = *terms_of(one.expression);
    for (const Term& part : inner) add(factors, {part.name, part.sign * term.sign}, place);
    return;
  }
  if (term.name == "time") throw core::UserError(place, "\"time\" stands alone: it cannot be added to counted figures");
  for (const runtime::DerivedFigure& one : runtime::derived_figures())
    if (one.name == term.name)
      throw core::UserError(place, fmt::format("{} is no sum ({}): it cannot be added up over the kernels of a run",
                                               term.name, one.expression));
  const std::string hint = core::did_you_mean(term.name, names);
  throw core::UserError(place, fmt::format("unknown metric \"{}\"{}", term.name,
                                           hint.empty() ? "; `ew explain statistics` lists them" : hint));
}

}  // namespace

Metric Metric::read(std::string_view text, const core::Place& place) {
  Metric metric;
  if (text == "time") return metric;
  if (constexpr std::string_view prefix = "range."; text.starts_with(prefix) && text.size() > prefix.size()) {
    metric.text_ = text;
    metric.range_ = text.substr(prefix.size());
    return metric;
  }
  if (constexpr std::string_view prefix = "printed."; text.starts_with(prefix) && text.size() > prefix.size()) {
    metric.text_ = text;
    metric.printed_ = text.substr(prefix.size());
    return metric;
  }
  if (text == "operations") {
    metric.text_ = text;
    metric.operations_ = true;
    return metric;
  }
  const auto terms = terms_of(text);
  if (!terms)
    throw core::UserError(place, fmt::format("a metric is names joined by \" + \" and \" - \", not \"{}\"", text));
  metric.text_ = text;
  for (const Term& term : *terms) add(metric.factors_, term, place);
  std::erase_if(metric.factors_, [](const auto& factor) { return factor.second == 0; });
  if (metric.factors_.empty()) throw core::UserError(place, fmt::format("\"{}\" is always 0", text));
  return metric;
}

std::optional<double> Metric::of(const std::function<std::optional<double>(const std::string&)>& value) const {
  double sum = 0;
  for (const auto& [name, factor] : factors_) {
    const std::optional<double> one = value(name);
    if (!one) return std::nullopt;
    sum += factor * *one;
  }
  return sum;
}

std::string what_parts_miss(const Metric& whole, const std::vector<Metric>& parts) {
  Factors left = whole.factors();
  for (const Metric& part : parts)
    for (const auto& [name, factor] : part.factors()) left[name] -= factor;
  std::string names;
  for (const auto& [name, factor] : left)
    if (factor != 0) names += fmt::format("{}{}{}", names.empty() ? "" : ", ", name, factor < 0 ? " (too often)" : "");
  return names;
}

}  // namespace ew::report
