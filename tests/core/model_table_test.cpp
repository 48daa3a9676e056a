#include "core/model_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace ew::core {
namespace {

struct Model {
  std::string_view name, sentence;
};

TEST(ModelTable, finds_by_name_and_lists_in_the_order_of_the_table) {
  const std::array table{Model{"b", "B."}, Model{"a", "A."}};
  EXPECT_EQ(find_named(table, "a"), &table[1]);
  EXPECT_EQ(find_named(table, "c"), nullptr);
  EXPECT_EQ(names_of(table), (std::vector<std::string_view>{"b", "a"}));
}

TEST(ModelTable, a_name_that_stands_twice_is_told_and_not_the_first_taken) {
  const std::array table{Model{"a", "A."}, Model{"b", "B."}, Model{"a", "Another."}};
  const std::string sentence =
      "two lines of one table are called \"a\", and each needs a name of its own: \"A.\" and \"Another.\"";
  const auto told = [](auto&& ask) -> std::string {
    try {
      ask();
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(told([&] { find_named(table, "a"); }), sentence);
  EXPECT_EQ(told([&] { names_of(table); }), sentence);
  EXPECT_EQ(find_named(table, "b"), &table[1]);
}

}  // namespace
}  // namespace ew::core
