// The filter that mends nvcc's old dialect: what it changes, and what it must leave alone.
#include "cli/dialect.hpp"

#include <gtest/gtest.h>

#include "core/files.hpp"

namespace ew::cli {
namespace {

std::string mended(std::string_view text) {
  return to_clang_dialect(text).value_or("unchanged");
}

TEST(Dialect, LaunchBrackets) {
  EXPECT_EQ(mended("k<< <1, 2>> >(x);"), "k<<< 1, 2>>> (x);");
  EXPECT_EQ(mended("k< <<1, 2> >>\n(x);"), "k<<< 1, 2>>> \n(x);");
  EXPECT_EQ(mended("k<<<1, 2>>>(x);"), "unchanged");
}

TEST(Dialect, TemplatesKeepTheirBrackets) {
  EXPECT_EQ(mended("A<B<C<int>> > x;"), "unchanged");
  EXPECT_EQ(mended("vector<vector<vector<int> >> x;"), "unchanged");
}

TEST(Dialect, StringsAndCommentsAreLeftAlone) {
  EXPECT_EQ(mended("// k<< <1>> >(x)\n"), "unchanged");
  EXPECT_EQ(mended("/* k<< <1>> >(x) */"), "unchanged");
  EXPECT_EQ(mended("/* never closed << <"), "unchanged");
  EXPECT_EQ(mended("puts(\"<< < \\\" >> >(\");"), "unchanged");
  EXPECT_EQ(mended("auto s = R\"x(<< < \" )\" )x\";"), "unchanged");
  EXPECT_EQ(mended("int n = 1'000'000; char c = '\"'; f<< <n>> >();"),
            "int n = 1'000'000; char c = '\"'; f<<< n>>> ();");
}

TEST(Dialect, SpecialRegistersInExtendedAssembly) {
  EXPECT_EQ(mended("asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));"), "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));");
  EXPECT_EQ(mended("asm volatile (\"mov.u32 %0, %%clock;\" : \"=r\"(x));"), "unchanged");
  EXPECT_EQ(mended("asm(\"mov.u32 r, %laneid;\");"), "unchanged") << "basic asm is verbatim";
  EXPECT_EQ(mended("int asmx(int a) { return a %b; }"), "unchanged");
}

TEST(Dialect, AlignmentBehindASpace) {
  EXPECT_EQ(mended("__shared__ alignas(16) int x[4];"), "__shared__ __align__(16) int x[4];");
  EXPECT_EQ(mended("__device__\n  alignas (N) int x;"), "__device__\n  __align__ ((everwarp_alignment<N>())) int x;");
  EXPECT_EQ(mended("__shared__ alignas(typename A<int, 2>::B) char x[4];"),
            "__shared__ __align__((everwarp_alignment<typename A<int, 2>::B>())) char x[4];");
  EXPECT_EQ(mended("__shared__ alignas(sizeof(T)) char x[4];"), "__shared__ __align__(sizeof(T)) char x[4];");
  EXPECT_EQ(mended("alignas(16) __shared__ int x[4];"), "unchanged");
  EXPECT_EQ(mended("__shared__ alignas_t x;"), "unchanged");
}

TEST(Dialect, AtomicReferencesHoldTheirAddressInARegister) {
  const std::string_view head = "f(__cxx_atomic_ref_base_impl<_Tp, _Sco> volatile* __a) _NOEXCEPT {\n  return ";
  EXPECT_EQ(mended(std::string(head) + "__a->__a_value;\n}"),
            std::string(head) + "const_cast<__cxx_atomic_ref_base_impl<_Tp, _Sco> const*>(__a)->__a_value;\n}");
  EXPECT_EQ(mended(std::string(head) + "__cxx_get_underlying_atomic(__a);\n}"), "unchanged");
  for (const std::string& file : library_files_to_mend())
    EXPECT_NE(mended(core::content_of(file)), "unchanged") << file;
}

TEST(Dialect, KeepsEveryLine) {
  const std::string text = "a\nk<< <\n1>> >\n(x);\nasm(\"mov %0,\\n\"\n\"%laneid;\" : \"=r\"(x));\nb\n";
  const std::string result = mended(text);
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
}

}  // namespace
}  // namespace ew::cli
