// Formulas of derived figures and invariants, as text.
#include "core/expression.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace ew::core {
namespace {

class Named final : public Figures {
 public:
  bool find(std::string_view name, std::optional<long double>& value) const override {
    const auto found = figures_.find(name);
    if (found == figures_.end()) return false;
    value = found->second;
    return true;
  }
  std::optional<long double> sum(std::string_view prefix) const override {
    std::optional<long double> sum;
    for (const auto& [name, value] : figures_)
      if (name.starts_with(prefix)) sum = sum.value_or(0) + value;
    return sum;
  }

 private:
  std::map<std::string_view, long double, std::less<>> figures_{{"a", 6}, {"b.x", 2}, {"b.y", 3}, {"zero", 0}};
};

TEST(Expression, KnowsSumsProductsAndBrackets) {
  EXPECT_EQ(*evaluate("a + b.x * b.y - 1", Named()), 11);
  EXPECT_EQ(*evaluate("(a + b.x) * b.y / 4", Named()), 6);
  EXPECT_EQ(*evaluate("100 * b.* / a", Named()), 500.0L / 6);
  EXPECT_EQ(*evaluate("a - b.x - b.y", Named()), 1);
}

TEST(Expression, HasNoValueOverZero) {
  EXPECT_FALSE(evaluate("a / zero", Named()));
  EXPECT_FALSE(evaluate("1 + a / (zero * 2)", Named()));
}

TEST(Expression, HoldsConditions) {
  EXPECT_TRUE(hold("b.* <= a", Named()).holds);
  EXPECT_FALSE(hold("a <= b.*", Named()).holds);
  EXPECT_TRUE(hold("b.x * b.y == a", Named()).holds);
  EXPECT_FALSE(hold("b.x == b.y", Named()).holds);
  EXPECT_TRUE(hold("a / zero == 1", Named()).holds) << "nothing can be said";
}

/// A condition that was read says what it says when it is read anew.
TEST(Expression, IsReadOnceAndAskedOften) {
  const std::map<std::string_view, std::vector<u32>> numbers{
      {"a", {0}}, {"b.x", {1}}, {"b.y", {2}}, {"zero", {3}}, {"b.*", {1, 2}}};
  constexpr long double values[] = {6, 2, 3, 0};
  for (const char* text : {"b.* <= a", "a <= b.*", "b.x * b.y == a", "b.x == b.y", "a / zero == 1",
                           "(a - (b.x + 1)) * 2 == a", "100 * b.* / a <= 83", "a - b.x - b.y == 1"}) {
    const ReadCondition read(text, [&](std::string_view name) { return numbers.at(name); });
    const Condition once =
        read.hold([&](u32 first, u32 count) { return std::accumulate(values + first, values + first + count, 0.0L); });
    const Condition anew = hold(text, Named());
    EXPECT_EQ(once.holds, anew.holds) << text;
    if (once.holds) continue;
    EXPECT_EQ(once.left, anew.left) << text;
    EXPECT_EQ(once.right, anew.right) << text;
  }
}

/// Figures whose numbers follow each other are asked for together.
TEST(Expression, AsksForRunsOfFigures) {
  const ReadCondition read("b.* <= 1", [](std::string_view) { return std::vector<u32>{2, 3, 4, 7, 9, 10}; });
  std::vector<std::pair<u32, u32>> asked;
  const Condition condition = read.hold([&](u32 first, u32 count) {
    asked.emplace_back(first, count);
    return static_cast<long double>(count);
  });
  EXPECT_EQ(asked, (std::vector<std::pair<u32, u32>>{{2, 3}, {7, 1}, {9, 2}}));
  EXPECT_EQ(condition.left, 6);
}

TEST(Expression, ListsItsNames) {
  EXPECT_EQ(names_in("100 * slots.* / (cycles * 4) == l1.loads"),
            (std::vector<std::string_view>{"slots.*", "cycles", "l1.loads"}));
}

TEST(ExpressionDeath, UnknownNamesAreErrorsOfTheTable) {
  EXPECT_DEATH(evaluate("a + nothing", Named()), "expected a figure at character 4");
  EXPECT_DEATH(evaluate("a +", Named()), "expected a value at character 3");
}

}  // namespace
}  // namespace ew::core
