#include "core/symbol_name.hpp"

#include <gtest/gtest.h>

namespace ew::core {
namespace {

TEST(SymbolName, MangledNamesReadAsInTheSource) {
  EXPECT_EQ(readable_name("_Z3addPfi"), "add(float*, int)");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14walkEPKNS_4NodeEPi"), "walk(Node const*, int*)");
  EXPECT_EQ(readable_name("_Z5scaleIdEvPT_S0_"), "scale<double>(double*, double)");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_18countersE"), "counters");
}

TEST(SymbolName, OtherNamesStay) {
  EXPECT_EQ(readable_name("vector_add"), "vector_add");
  EXPECT_EQ(readable_name("i"), "i");  // a type to the demangler, a kernel here
  EXPECT_EQ(readable_name("_Zzz"), "_Zzz");
  EXPECT_EQ(readable_name(""), "");
}

TEST(SymbolName, LongNamesLoseTheirArguments) {
  const std::string piece = "N1a1bI1c1dEE";  // a::b<c, d>
  std::string symbol = "_Z6reduceI" + piece + piece + piece + piece + piece + piece + piece + piece + piece + piece;
  for (int i = 0; i < 12; ++i) symbol += piece;
  symbol += "Evi";
  EXPECT_EQ(readable_name(symbol), "reduce<...>(...)");
}

TEST(SymbolName, SymbolsInsideATextAreFound) {
  EXPECT_EQ(readable_text("call.uni (retval0), _Z7descendi, ( param0 )"),
            "call.uni (retval0), descend(int), ( param0 )");
  EXPECT_EQ(readable_text("st.global.u32 [%rd7], %r2"), "st.global.u32 [%rd7], %r2");
}

}  // namespace
}  // namespace ew::core
