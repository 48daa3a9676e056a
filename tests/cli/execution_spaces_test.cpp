// Declarations that differ in their execution space: what is read from clang's diagnostics, and what is written.
#include "cli/execution_spaces.hpp"

#include <gtest/gtest.h>

namespace ew::cli {
namespace {

TEST(ExecutionSpaces, TheDeclarationWithoutBothWordsIsNamed) {
  const auto earlier = incomplete_declarations(
      "a.cu:9:25: error: __host__ __device__ function 'f' cannot overload __host__ function 'f'\n"
      "    9 | __host__ __device__ int f(int a) {}\n"
      "      |                         ^\n"
      "./a.hpp:8:5: note: previous declaration is here\n");
  EXPECT_EQ(earlier, (std::vector<SourcePlace>{{"./a.hpp", 8, 5}}));
  const auto later = incomplete_declarations(
      "a.cu:9:5: error: __host__ function 'f' cannot overload __host__ __device__ function 'f'\n"
      "a.cu:8:25: note: previous declaration is here\n");
  EXPECT_EQ(later, (std::vector<SourcePlace>{{"a.cu", 9, 5}}));
}

TEST(ExecutionSpaces, AMemberThatMatchesNoneIsCompletedOnBothSides) {
  const auto places = incomplete_declarations(
      "a.cu:4:19: error: out-of-line definition of 'm' does not match any declaration in 'S'\n"
      "a.cu:1:16: note: member declaration nearly matches\n");
  EXPECT_EQ(places, (std::vector<SourcePlace>{{"a.cu", 4, 19}, {"a.cu", 1, 16}}));
}

TEST(ExecutionSpaces, AMemberThatDiffersInMoreIsLeftAsItIs) {
  EXPECT_TRUE(
      incomplete_declarations("a.cu:2:8: error: out-of-line definition of 'm' does not match any declaration in 'S'\n"
                              "a.cu:1:16: note: member declaration does not match because it is const qualified\n"
                              "a.cu:5:8: error: out-of-line definition of 'n' does not match any declaration in 'S'\n")
          .empty());
}

TEST(ExecutionSpaces, OtherMistakesNameNothing) {
  EXPECT_TRUE(
      incomplete_declarations("a.cu:3:1: error: unknown type name 'x'\na.cu:1:1: note: previous declaration is here\n"
                              "a.cu:5:1: error: __host__ function 'f' cannot overload __global__ function 'f'\n"
                              "a.cu:4:1: note: previous declaration is here\nno place: error: cannot overload")
          .empty());
  EXPECT_FALSE(may_name_execution_spaces("a.cu:3:1: error: unknown type name 'x'\n"));
}

TEST(ExecutionSpaces, TheWordsStandBeforeTheWholeName) {
  const auto completed = [](std::string_view text, std::size_t line, std::size_t column) {
    return for_host_and_device(text, {{"", line, column}}).value_or("unchanged");
  };
  EXPECT_EQ(completed("int f(int);\n", 1, 5), "int __attribute__((host, device)) f(int);\n");
  EXPECT_EQ(completed("x;\nint A<B<1>>::C ::f() {}", 2, 18),
            "x;\nint __attribute__((host, device)) A<B<1>>::C ::f() {}");
  EXPECT_EQ(completed("int __attribute__((host, device)) f(int);", 1, 35), "unchanged")
      << "else it would be tried for ever";
  EXPECT_EQ(completed("int f();", 3, 5), "unchanged") << "a place that is not there";
}

TEST(ExecutionSpaces, SeveralPlacesOfOneFile) {
  EXPECT_EQ(for_host_and_device("f();\ng();\ng();", {{"", 3, 1}, {"", 1, 1}, {"", 3, 1}}),
            "__attribute__((host, device)) f();\ng();\n__attribute__((host, device)) g();");
}

}  // namespace
}  // namespace ew::cli
