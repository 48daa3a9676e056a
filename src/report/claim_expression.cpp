#include "report/claim_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/arithmetic_reader.hpp"
#include "report/study_table.hpp"

namespace ew::report {

namespace {

using core::UserError;
using Node = ClaimExpression::Node;
using Kind = Node::Kind;

enum class Sort { program, machine, x };
constexpr std::string_view sort_names[] = {"program", "bar or configuration", "value of the axis"};
constexpr std::string_view aggregates[] = {"mean", "geomean", "min", "max", "sum", "crossing"};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Reader final : core::ArithmeticReader<Reader, Node> {
  friend class core::ArithmeticReader<Reader, Node>;

 public:
  Reader(std::string_view text, const ClaimNames& names, const core::Place& place)
      : ArithmeticReader(text), names_(names), place_(place) {
    if (names.of_a_bar) variables_.push_back({"program", Sort::program});
  }

  Node whole() {
    Node root = sum();
    if (!at_end()) wrong("an operator or the end");
    return root;
  }

 private:
  struct Variable {
    std::string name;
    Sort sort;
  };

  [[noreturn]] void wrong(std::string_view expected) const {
    const std::string found = at_ < text_.size() ? fmt::format("\"{}\"", text_.substr(at_, 12)) : "the end";
    throw UserError(place_, fmt::format("{}, column {}: expected {}, found {}", text_, at_ + 1, expected, found));
  }
  void expect(char character) {
    if (!one_of({&character, 1})) wrong(fmt::format("\"{}\"", character));
  }
  std::string name(std::string_view expected) {
    if (one_of("'")) {
      const std::size_t end = text_.find('\'', at_);
      if (end == text_.npos) wrong("a name, and ' behind it");
      std::string quoted(text_.substr(at_, end - at_));
      at_ = end + 1;
      return quoted;
    }
    const std::string_view found = word();
    if (found.empty()) wrong(expected);
    return std::string(found);
  }

  static Node joined(Node left, char sign, Node right) {
    Node node;
    node.kind = sign == '+' ? Kind::sum : sign == '-' ? Kind::difference : sign == '*' ? Kind::product : Kind::quotient;
    node.parts.push_back(std::move(left));
    node.parts.push_back(std::move(right));
    return node;
  }
  static Node number(double value) {
    Node node;
    node.number = value;
    return node;
  }
  Node other() {
    std::string word = name("a number, a measurement or an aggregate");
    if (text_.substr(at_).starts_with("*(")) word += '*', ++at_;
    if (!one_of("(")) wrong(fmt::format("\"(\" behind {}", word));
    return std::ranges::find(aggregates, word) != std::end(aggregates) ? aggregate(word) : measured(word);
  }

  Node measured(const std::string& metric) {
    Node node;
    node.kind = Kind::measured;
    node.metric = metric == "value" ? names_.value : Metric::read(metric, place_);
    node.program = known(name("a program"), Sort::program);
    expect(',');
    node.machine = known(name("a bar or a configuration"), Sort::machine);
    while (one_of(",")) further(node);
    if (!names_.axis.empty() && node.x.empty())
      wrong(fmt::format("\", {}=VALUE\", since the figure has an axis", names_.axis));
    expect(')');
    return node;
  }
  /// What may stand behind the machine: the place on the axis, or the word for the recovery.
  void further(Node& node) {
    const std::string word = name("the name of the axis, or \"recovery\"");
    if (word == "recovery") {
      node.recovery = true;
      return;
    }
    if (names_.axis.empty()) throw UserError(place_, fmt::format("this figure has no axis \"{}\"", word));
    const std::string_view valid[] = {names_.axis};
    expect_name(place_, "axis", word, valid);
    expect('=');
    node.x = known(name("a value of the axis"), Sort::x);
  }
  /// The name as one of this sort, or a variable that stands for one.
  std::string known(std::string name, Sort sort) {
    for (const Variable& variable : variables_) {
      if (variable.name != name) continue;
      if (variable.sort == sort) return name;
      throw UserError(place_,
                      fmt::format("{} is a {} here, and a {} is expected", name,
                                  sort_names[static_cast<int>(variable.sort)], sort_names[static_cast<int>(sort)]));
    }
    std::vector<std::string_view> valid = views_of(sort == Sort::program ? names_.programs
                                                   : sort == Sort::x     ? names_.axis_values
                                                                         : names_.bars);
    if (sort == Sort::machine)
      for (const std::string& one : names_.configurations)
        if (!contains(names_.bars, one)) valid.push_back(one);
    if (sort == Sort::x && !names_.axis_over.empty()) valid.push_back(names_.axis_over);
    for (const Variable& variable : variables_)
      if (variable.sort == sort) valid.push_back(variable.name);
    expect_name(place_, sort_names[static_cast<int>(sort)], name, valid);
    return name;
  }

  Node aggregate(const std::string& function) {
    Node node;
    node.kind = Kind::aggregate;
    node.function = function;
    node.variable = name("a variable");
    if (name("\"in\"") != "in") {
      at_ -= 2;
      wrong("\"in\"");
    }
    const Sort sort = set(node.set);
    if (function == "crossing" && (sort != Sort::x || !std::ranges::all_of(node.set, is_above_zero)))
      throw UserError(place_, "a crossing is looked for along an axis of numbers above 0");
    expect(',');
    variables_.push_back({node.variable, sort});
    node.parts.push_back(sum());
    variables_.pop_back();
    expect(')');
    return node;
  }
  static bool is_above_zero(const std::string& text) { return std::strtod(text.c_str(), nullptr) > 0; }
  Sort set(std::vector<std::string>& members) {
    if (!one_of("[")) {
      const std::string word = name("a set");
      if (word == "programs") return members = names_.programs, Sort::program;
      if (word == "bars") return members = names_.bars, Sort::machine;
      if (!names_.axis.empty() && word == names_.axis) return members = names_.axis_values, Sort::x;
      std::vector<std::string_view> valid{"programs", "bars"};
      if (!names_.axis.empty()) valid.push_back(names_.axis);
      expect_name(place_, "set", word, valid);
    }
    do members.push_back(name("a name"));
    while (one_of(","));
    expect(']');
    const Sort sort = contains(names_.programs, members[0])      ? Sort::program
                      : contains(names_.axis_values, members[0]) ? Sort::x
                      : contains(names_.bars, members[0]) || contains(names_.configurations, members[0])
                          ? Sort::machine
                          : Sort::program;
    for (const std::string& member : members) known(member, sort);
    return sort;
  }

  const ClaimNames& names_;
  const core::Place& place_;
  std::vector<Variable> variables_;
};

/// What the variables stand for, and where measurements come from.
class Evaluation {
 public:
  Evaluation(const Measure& measure, const std::string& program) : measure_(measure) {
    if (!program.empty()) meanings_["program"] = program;
  }

  std::optional<double> of(const Node& node) {
    switch (node.kind) {
      case Kind::number:
        return node.number;
      case Kind::measured:
        return measure_({&node.metric, meaning(node.program), meaning(node.machine), meaning(node.x), node.recovery});
      case Kind::aggregate:
        return aggregated(node);
      default:
        const std::optional<double> left = of(node.parts[0]);  // runs are named in the order of the text
        return joined(node.kind, left, of(node.parts[1]));
    }
  }
  std::vector<std::optional<double>> members(const Node& node) {
    std::vector<std::optional<double>> values;
    for (const std::string& member : node.set) {
      meanings_[node.variable] = member;
      values.push_back(of(node.parts[0]));
    }
    meanings_.erase(node.variable);
    return values;
  }

 private:
  std::string meaning(const std::string& name) const {
    const auto found = meanings_.find(name);
    return found == meanings_.end() ? name : found->second;
  }
  static std::optional<double> joined(Kind kind, std::optional<double> left, std::optional<double> right) {
    if (!left || !right || (kind == Kind::quotient && *right == 0)) return std::nullopt;
    if (kind == Kind::sum) return *left + *right;
    if (kind == Kind::difference) return *left - *right;
    return kind == Kind::product ? *left * *right : *left / *right;
  }
  std::optional<double> aggregated(const Node& node) {
    std::vector<double> values;
    for (const std::optional<double>& one : members(node)) {
      if (!one) return std::nullopt;
      values.push_back(*one);
    }
    if (node.function == "crossing") return crossing(node.set, values);
    if (node.function == "min") return std::ranges::min(values);
    if (node.function == "max") return std::ranges::max(values);
    double sum = 0;
    for (const double value : values) sum += node.function == "geomean" ? std::log(value) : value;
    if (node.function == "sum") return sum;
    sum /= static_cast<double>(values.size());
    return node.function == "mean" ? sum : std::exp(sum);
  }

  /// Where the values are no longer above 1, for the first time: between two places as a straight line of the
  /// logarithms. At once: the first place; never: the last. A value that is above 1 behind that place, by chance,
  /// changes nothing.
  static std::optional<double> crossing(const std::vector<std::string>& places, const std::vector<double>& values) {
    if (std::ranges::any_of(values, [](double value) { return value <= 0; })) return std::nullopt;
    const auto at = [&](std::size_t i) { return std::strtod(places[i].c_str(), nullptr); };
    const auto below = std::ranges::find_if(values, [](double value) { return value <= 1; });
    if (below == values.begin()) return at(0);
    const auto above = static_cast<std::size_t>(below - values.begin() - 1);
    if (below == values.end()) return at(above);
    const double top = std::log(values[above]), bottom = std::log(*below);
    return at(above) * std::pow(at(above + 1) / at(above), top / (top - bottom));
  }

  const Measure& measure_;
  std::map<std::string, std::string> meanings_;
};

}  // namespace

ClaimExpression ClaimExpression::read(std::string_view text, const ClaimNames& names, const core::Place& place) {
  ClaimExpression expression;
  expression.text_ = text;
  expression.root_ = Reader(expression.text_, names, place).whole();
  return expression;
}

std::optional<double> ClaimExpression::value(const Measure& measure, const std::string& program) const {
  const auto value = Evaluation(measure, program).of(root_);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::vector<ClaimExpression::Member> ClaimExpression::members(const Measure& measure) const {
  if (root_.kind != Kind::aggregate || (root_.function != "min" && root_.function != "max")) return {};
  std::vector<Member> list;
  const auto values = Evaluation(measure, {}).members(root_);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) list.push_back({root_.set[i], *values[i]});
  return list;
}

}  // namespace ew::report
