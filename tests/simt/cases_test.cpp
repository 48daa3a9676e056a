// Runs every file of cases/, twice: what it expects must hold, and both runs must be equal to the byte, although the
// second stops every hundred instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "case_file.hpp"

namespace ew::test {
namespace {

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(EW_TEST_DATA "/cases"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path().stem().string());
  std::sort(files.begin(), files.end());
  return files;
}

class SimtCase : public testing::TestWithParam<std::string> {};

TEST_P(SimtCase, holds) {
  const Case c = read_case(std::string(EW_TEST_DATA "/cases/") + GetParam() + ".txt");
  const Outcome outcome = run_case(c);
  if (c.refused) {
    EXPECT_NE(outcome.refused.find(*c.refused), std::string::npos) << outcome.refused;
    return;
  }
  ASSERT_EQ(outcome.refused, "");
  std::string fault = "none", report;
  for (const auto& completion : outcome.completions)
    if (completion.fault) {
      fault = name_of(completion.fault->kind);
      report = completion.fault->report;
    }
  EXPECT_EQ(fault, c.fault.value_or("none")) << report;
  for (const auto& wanted : c.report)
    EXPECT_NE(report.find(wanted), std::string::npos) << "wanted: " << wanted << "\n" << report;
  for (const auto& wanted : c.printed)
    EXPECT_NE(outcome.printed.find(wanted), std::string::npos) << "wanted: " << wanted << "\n" << outcome.printed;
  for (const Buffer& expected : c.expected)
    EXPECT_EQ(values_text(expected.type, outcome.memory.at(expected.name)), values_text(expected.type, expected.bytes))
        << "in buffer " << expected.name;
  u64 instructions = 0, divergent = 0;
  for (const auto& completion : outcome.completions) {
    instructions += completion.counters.warp_instructions;
    divergent += completion.counters.divergent_branches;
  }
  EXPECT_EQ(instructions, c.instructions.value_or(instructions));
  EXPECT_EQ(divergent, c.divergent.value_or(divergent));

  const Outcome again = run_case(c, 100);
  EXPECT_EQ(outcome.memory, again.memory);
  EXPECT_EQ(outcome.nanoseconds, again.nanoseconds);
  EXPECT_EQ(outcome.printed, again.printed);
  u64 instructions_again = 0;
  for (const auto& completion : again.completions) instructions_again += completion.counters.warp_instructions;
  EXPECT_EQ(instructions, instructions_again);
}

INSTANTIATE_TEST_SUITE_P(cases, SimtCase, testing::ValuesIn(case_files()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ew::test
