#include "core/expression.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/arithmetic_reader.hpp"

namespace ew::core {

namespace {

using Value = std::optional<long double>;
using Steps = std::vector<ReadCondition::Step>;

[[noreturn]] void mistake(std::string_view text, std::string_view expected, std::size_t at) {
  std::fprintf(stderr, "everwarp: internal error: the expression \"%s\": expected %s at character %zu\n",
               std::string(text).c_str(), std::string(expected).c_str(), at);
  std::abort();
}

/// The same language, read into steps. It has no functions.
class StepReader final : ArithmeticReader<StepReader, Steps> {
  friend class ArithmeticReader<StepReader, Steps>;

 public:
  using Numbers = std::function<std::vector<u32>(std::string_view name)>;
  StepReader(std::string_view text, const Numbers& numbers) : ArithmeticReader(text), numbers_(numbers) {}

  using ArithmeticReader::at_end;
  using ArithmeticReader::sign;
  using ArithmeticReader::sum;
  [[noreturn]] void wrong(std::string_view expected) const { mistake(text_, expected, at_); }

 private:
  static Steps number(double value) { return {{.number = value}}; }
  static Steps joined(Steps left, char sign, const Steps& right) {
    left.insert(left.end(), right.begin(), right.end());
    left.push_back({.sign = sign});
    return left;
  }
  Steps other() {
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (name.empty()) wrong("a value");
    if (name.ends_with('.') && at_ < text_.size() && text_[at_] == '*') ++at_;
    std::vector<ReadCondition::Run> runs;
    for (const u32 number : numbers_(text_.substr(begin, at_ - begin)))
      if (!runs.empty() && runs.back().first + runs.back().count == number)
        ++runs.back().count;
      else
        runs.push_back({number, 1});
    if (!runs.empty()) return {{.figures = std::move(runs)}};
    at_ = begin;
    wrong("a figure");
  }

  const Numbers& numbers_;
};

class Reader final : ArithmeticReader<Reader, Value> {
  friend class ArithmeticReader<Reader, Value>;

 public:
  Reader(std::string_view text, const Figures* figures) : ArithmeticReader(text), figures_(figures) {}

  using ArithmeticReader::at_end;
  using ArithmeticReader::sign;
  using ArithmeticReader::sum;
  [[noreturn]] void wrong(std::string_view expected) const { mistake(text_, expected, at_); }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  static Value number(double value) { return value; }
  static Value joined(Value left, char sign, Value right) { return core::joined(left, sign, right); }
  Value other() {
    const std::size_t begin = at_;
    const std::string_view name = word();
    if (name.empty()) wrong("a value");
    if (name.ends_with('.') && at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      names_.push_back(text_.substr(begin, at_ - begin));
      const Value sum = figures_ ? figures_->sum(name) : Value(0);
      if (!sum) unknown(begin);
      return sum;
    }
    if (at_ < text_.size() && text_[at_] == '(') return call(name);
    names_.push_back(name);
    Value value = 0;
    if (figures_ && !figures_->find(name, value)) unknown(begin);
    return value;
  }
  [[noreturn]] void unknown(std::size_t begin) {
    at_ = begin;
    wrong("a figure");
  }
  Value call(std::string_view function) {
    ++at_;
    const std::size_t end = text_.find(')', at_);
    if (end == text_.npos) wrong("\")\"");
    std::vector<std::string_view> arguments;
    while (at_ < end) {
      skip_spaces();
      const std::size_t stop = std::min(text_.find(',', at_), end);
      arguments.push_back(text_.substr(at_, stop - at_));
      at_ = stop + 1;
    }
    at_ = end + 1;
    return figures_ ? figures_->call(function, arguments) : Value(0);
  }

  const Figures* figures_;
  std::vector<std::string_view> names_;
};

}  // namespace

Value Figures::call(std::string_view function, std::span<const std::string_view>) const {
  std::fprintf(stderr, "everwarp: internal error: an expression calls %s, which is no function here\n",
               std::string(function).c_str());
  std::abort();
}

ReadCondition::ReadCondition(std::string_view text, const StepReader::Numbers& numbers) {
  StepReader reader(text, numbers);
  left_ = reader.sum();
  equal_ = reader.sign("==");
  if (!equal_ && !reader.sign("<=")) reader.wrong("== or <=");
  right_ = reader.sum();
  if (!reader.at_end()) reader.wrong("the end");
  const auto deepest = [](const Steps& steps) {
    u32 deep = 0, most = 0;
    for (const Step& step : steps) most = std::max(most, step.sign ? --deep : ++deep);
    return most;
  };
  if (deepest(left_) > most_deep || deepest(right_) > most_deep) reader.wrong("fewer brackets");
}

Value evaluate(std::string_view expression, const Figures& figures) {
  Reader reader(expression, &figures);
  const Value value = reader.sum();
  if (!reader.at_end()) reader.wrong("the end");
  return value;
}

Condition hold(std::string_view text, const Figures& figures) {
  Reader reader(text, &figures);
  Condition condition;
  condition.left = reader.sum();
  const bool equal = reader.sign("==");
  if (!equal && !reader.sign("<=")) reader.wrong("== or <=");
  condition.right = reader.sum();
  if (!reader.at_end()) reader.wrong("the end");
  if (condition.left && condition.right)
    condition.holds = equal ? *condition.left == *condition.right : *condition.left <= *condition.right;
  return condition;
}

std::vector<std::string_view> names_in(std::string_view expression) {
  Reader reader(expression, nullptr);
  reader.sum();
  if (reader.sign("==") || reader.sign("<=")) reader.sum();
  return reader.names();
}

}  // namespace ew::core
