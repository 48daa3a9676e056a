// Every mistake that the parser reports, as text: tests/ptx/errors/*.ptx.
#include <gtest/gtest.h>

#include "ptx/program.hpp"
#include "sections.hpp"

namespace ew::ptx {
namespace {

class ParserError : public testing::TestWithParam<Section> {};

TEST_P(ParserError, SaysWhatWasExpected) {
  const Section& section = GetParam();
  ASSERT_FALSE(section.expectations.empty()) << "a section of errors/ needs a line '// error: …'";
  std::string message = "no error";
  try {
    parse(section.text, "case");
  } catch (const Error& error) {
    message = error.what();
  }
  for (const auto& [key, value] : section.expectations) {
    ASSERT_EQ(key, "error");
    EXPECT_NE(message.find(value), std::string::npos) << "expected: " << value << "\nfound:    " << message;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ParserError, testing::ValuesIn(read_sections(EW_TEST_DATA "/errors")),
                         [](const auto& info) { return test_name(info.param) + "_" + std::to_string(info.index); });

TEST(ParserErrors, ShowTheLineWithACaret) {
  try {
    parse(".version 8.3\n.target sm_80\n.entry k() {\n\t.reg .b32 %r<4>;\n\tadd.u32 \t%r1, %x2, 1;\n}\n", "a.ptx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a.ptx:5:16: register '%x2' is not declared (did you mean \"%r2\"?)\n"
                 "   add.u32  %r1, %x2, 1;\n"
                 "                 ^");
  }
}

TEST(ParserErrors, CutLongLinesAroundTheCaret) {
  const std::string filler(5000, ' ');
  try {
    parse(".version 8.3\n.target sm_80\n" + filler + "oops" + filler, "a.ptx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 500u);
    EXPECT_NE(std::string(error.what()).find("oops"), std::string::npos);
  }
}

TEST(HostileText, NestedBracesEndInAnErrorNotInACrash) {
  const std::string head = std::string(module_head) + " .entry k() ";
  EXPECT_THROW(parse(head + std::string(200'000, '{'), "a"), Error);
  EXPECT_THROW(parse(head + "{ .reg .b32 r; mov.u32 r, " + std::string(200'000, '(') + "1", "a"), Error);
  EXPECT_THROW(parse(head + "{ .reg .b32 r; mov.u32 r, " + std::string(200'000, '-') + "1", "a"), Error);
  std::string ternaries = head + "{ .reg .b32 r; mov.u32 r, ";
  for (int i = 0; i < 100'000; ++i) ternaries += "1?";
  EXPECT_THROW(parse(ternaries, "a"), Error);
  std::string addresses = head + "{ .reg .b64 r; ld.u32 r, ";
  for (int i = 0; i < 100'000; ++i) addresses += "[r,";
  EXPECT_THROW(parse(addresses, "a"), Error);
  EXPECT_THROW(parse(std::string(module_head) + " .global .b8 x[9] = " + std::string(200'000, '{'), "a"), Error);
}

TEST(HostileText, FourBillionRegistersCostNothing) {
  const auto module =
      parse(std::string(module_head) +
                " .entry k() { .reg .b32 %r<4294967295>; mov.u32 %r4294967294, 1; mov.u32 %r70000, 2; ret; }",
            "a");
  EXPECT_EQ(module.functions[0].registers.size(), 2u);
}

TEST(HostileText, ManyRangesAreRefused) {
  std::string text = std::string(module_head) + " .entry k() {";
  for (int i = 0; i < 400; ++i) text += " .reg .b32 %a" + std::to_string(i) + "x<2>;";
  EXPECT_THROW(parse(text + "}", "a"), Error);
}

TEST(HostileText, ZeroBytesAtTheEndAreIgnored) {
  EXPECT_NO_THROW(parse(std::string(module_head) + std::string(5, '\0'), "a"));
  EXPECT_THROW(parse(std::string(module_head) + std::string(5, '\0') + " .global .u32 x;", "a"), Error);
}

}  // namespace
}  // namespace ew::ptx
