#include "core/expression.hpp"

#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ew::core {

namespace {

using Value = std::optional<long double>;

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

class Reader {
 public:
  Reader(std::string_view text, const Figures* figures) : text_(text), figures_(figures) {}

  Value sum() {
    Value left = product();
    while (const char sign = one_of("+-")) {
      const Value right = product();
      left = left && right ? Value(sign == '+' ? *left + *right : *left - *right) : std::nullopt;
    }
    return left;
  }
  bool at_end() { return skip_spaces() == text_.size(); }
  bool word(std::string_view expected) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  [[noreturn]] void wrong(const char* what) const {
    std::fprintf(stderr, "everwarp: internal error: the expression \"%s\": %s at character %zu\n",
                 std::string(text_).c_str(), what, at_);
    std::abort();
  }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  std::size_t skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }
  char one_of(std::string_view characters) {
    skip_spaces();
    if (at_ == text_.size() || characters.find(text_[at_]) == characters.npos) return 0;
    return text_[at_++];
  }
  Value product() {
    Value left = value();
    while (const char sign = one_of("*/")) {
      const Value right = value();
      if (!left || !right || (sign == '/' && *right == 0)) {
        left.reset();
        continue;
      }
      left = sign == '*' ? *left * *right : *left / *right;
    }
    return left;
  }
  Value value() {
    if (one_of("(")) {
      const Value inside = sum();
      if (!one_of(")")) wrong("a ) is missing");
      return inside;
    }
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) wrong("a value is missing");
    if (std::isdigit(static_cast<unsigned char>(name[0]))) return number(name);
    if (name.ends_with('.') && at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      names_.push_back(text_.substr(begin, at_ - begin));
      const Value sum = figures_ ? figures_->sum(name) : Value(0);
      if (!sum) wrong("there is no such figure");
      return sum;
    }
    if (at_ < text_.size() && text_[at_] == '(') return call(name);
    names_.push_back(name);
    Value value = 0;
    if (figures_ && !figures_->find(name, value)) wrong("there is no such figure");
    return value;
  }
  Value number(std::string_view digits) {
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) wrong("this is no number");
    return value;
  }
  Value call(std::string_view function) {
    ++at_;
    const std::size_t end = text_.find(')', at_);
    if (end == text_.npos) wrong("a ) is missing");
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

  std::string_view text_;
  const Figures* figures_;
  std::size_t at_ = 0;
  std::vector<std::string_view> names_;
};

}  // namespace

Value Figures::call(std::string_view function, std::span<const std::string_view>) const {
  std::fprintf(stderr, "everwarp: internal error: an expression calls %s, which is no function here\n",
               std::string(function).c_str());
  std::abort();
}

Value evaluate(std::string_view expression, const Figures& figures) {
  Reader reader(expression, &figures);
  const Value value = reader.sum();
  if (!reader.at_end()) reader.wrong("more than one expression");
  return value;
}

Condition hold(std::string_view text, const Figures& figures) {
  Reader reader(text, &figures);
  Condition condition;
  condition.left = reader.sum();
  const bool equal = reader.word("==");
  if (!equal && !reader.word("<=")) reader.wrong("== or <= is missing");
  condition.right = reader.sum();
  if (!reader.at_end()) reader.wrong("more than one condition");
  if (condition.left && condition.right)
    condition.holds = equal ? *condition.left == *condition.right : *condition.left <= *condition.right;
  return condition;
}

std::vector<std::string_view> names_in(std::string_view expression) {
  Reader reader(expression, nullptr);
  reader.sum();
  if (reader.word("==") || reader.word("<=")) reader.sum();
  return reader.names();
}

}  // namespace ew::core
