// Device variables that point at each other, on their way through LLVM's PTX printer.
#include "cli/circular_variables.hpp"

#include <gtest/gtest.h>

namespace ew::cli {
namespace {

TEST(CircularVariables, OnlyNamesThatCloseACircleGetAStandIn) {
  EXPECT_EQ(break_circles("@a = addrspace(1) global ptr @b, align 8\n"
                          "@b = addrspace(1) global ptr @a, align 8\n"
                          "@\"odd name\" = internal constant ptr @\"odd name\"\n"
                          "@first = addrspace(1) global ptr @a\n"
                          "define void @f() { store ptr @a, ptr @b }\n"),
            "@a = addrspace(1) global ptr @__everwarp_stands_for_b, align 8\n"
            "@b = addrspace(1) global ptr @__everwarp_stands_for_a, align 8\n"
            "@\"odd name\" = internal constant ptr @\"__everwarp_stands_for_odd name\"\n"
            "@first = addrspace(1) global ptr @a\n"
            "define void @f() { store ptr @a, ptr @b }\n"
            "\n@\"__everwarp_stands_for_odd name\" = external global i8\n"
            "\n@__everwarp_stands_for_a = external addrspace(1) global i8\n"
            "\n@__everwarp_stands_for_b = external addrspace(1) global i8\n");
}

TEST(CircularVariables, TextWithoutCirclesStays) {
  const char* const text =
      "@a = addrspace(1) global ptr @b\n@b = addrspace(1) global i32 1\n@c = external global ptr\n@d = alias ptr, ptr "
      "@a";
  EXPECT_EQ(break_circles(text), text);
  EXPECT_EQ(break_circles(""), "");
}

TEST(CircularVariables, AStandInBecomesADeclarationOfItsVariable) {
  EXPECT_EQ(join_circles(".extern .global .align 1 .u8 __everwarp_stands_for_a;\n"
                         ".visible .global .align 8 .u64 b[2] = {2, generic(__everwarp_stands_for_a)};\n"
                         ".extern .global .align 1 .u8 __everwarp_stands_for_b;\n"
                         ".visible .global .align 8 .u64 a[2] = {1, generic(__everwarp_stands_for_b)};\n"),
            ".extern .global .align 8 .u64 a[2] ;\n"
            ".visible .global .align 8 .u64 b[2] = {2, generic(a)};\n"
            "\n"
            ".visible .global .align 8 .u64 a[2] = {1, generic(b)};\n");
}

}  // namespace
}  // namespace ew::cli
