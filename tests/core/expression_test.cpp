// Formulas of derived figures and invariants, as text.
#include "core/expression.hpp"

#include <gtest/gtest.h>

#include <map>

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
