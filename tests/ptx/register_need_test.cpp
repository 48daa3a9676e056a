// How many registers a kernel gets: cases as text (tests/ptx/registers), and a limit for a whole module. That no
// function needs more than it has rows is a test of flow_test.cpp.
#include "ptx/register_need.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "ptx/program.hpp"
#include "ptx/register_limit.hpp"
#include "sections.hpp"

namespace ew::ptx {
namespace {

Program load_text(const std::string& text) {
  std::vector<ast::Module> modules;
  modules.push_back(parse(text, "case"));
  return load(link(std::move(modules)), [](std::string_view) -> u64 { return 4096; });
}

class RegisterCase : public testing::TestWithParam<Section> {};

TEST_P(RegisterCase, NeedsWhatItSays) {
  const Section& section = GetParam();
  ASSERT_FALSE(section.expectations.empty());
  const Program program = load_text(section.text);
  const Kernel& kernel = *program.kernels.at(0);
  for (const auto& [key, value] : section.expectations) {
    ASSERT_EQ(key, "needs");
    std::istringstream words(value);
    std::string name;
    u32 registers = 0;
    words >> name >> registers;
    const auto found = std::find_if(kernel.functions.begin(), kernel.functions.end(),
                                    [&](const Function& function) { return function.name == name; });
    ASSERT_NE(found, kernel.functions.end()) << name;
    EXPECT_EQ(found->registers, registers) << name;
  }
  EXPECT_EQ(kernel.registers_per_thread, registers_given(kernel.functions[0].registers));
}

INSTANTIATE_TEST_SUITE_P(Cases, RegisterCase, testing::ValuesIn(read_sections(EW_TEST_DATA "/registers")),
                         [](const auto& info) { return test_name(info.param); });

TEST(RegisterNeed, LoadsBeginEarlyOnlyWhileThatCostsNoOccupancy) {
  EXPECT_EQ(registers_given(0), 6u);
  EXPECT_EQ(registers_given(26), 32u);
  EXPECT_EQ(registers_given(29), 32u);
  EXPECT_EQ(registers_given(31), 33u);
  EXPECT_EQ(registers_given(100), 102u);
}

TEST(RegisterLimit, HoldsForKernelsWithoutABoundOfTheirOwn) {
  const std::string text =
      ".version 8.3 .target sm_80 .address_size 64\n"
      ".func f()\n{\n// begin inline asm\n// calls .entry x\n// end inline asm\nret;\n}\n"
      ".visible .entry first()\n{\nret;\n}\n"
      ".weak .entry bounded()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
      ".entry limited()\n.maxnreg 40\n{\nret;\n}\n"
      ".entry last() { ret; }\n";
  const Program program = load_text(with_most_registers(text, 32));
  EXPECT_EQ(program.find("first")->max_registers, 32u);
  EXPECT_EQ(program.find("bounded")->max_registers, 0u);
  EXPECT_EQ(program.find("limited")->max_registers, 40u);
  EXPECT_EQ(program.find("last")->max_registers, 32u);
}

}  // namespace
}  // namespace ew::ptx
