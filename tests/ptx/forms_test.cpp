// Runs tests/ptx/forms/*.txt. A line is one instruction (or a few, for carries) and cases:
//
//   add.sat.s32 %r0, %r1, %r2 | r1=0x7fffffff r2=1 -> r0=0x7fffffff ; r1=1 r2=2 -> r0=3
//   ! add.sat.u32 %r0, %r1, %r2 | nearest supported form is add.sat.s32
//
// The instruction is wrapped in a kernel, parsed, decoded and executed by both clones of the ALU, under full and
// partial masks; lanes outside the mask hold random words that must not change. A register's name says its type: %p
// pred, %rs b16, %r b32, %rd b64, %rq b128, %f f32, %fd f64. Values: 12, -3, 0x1f, 1.5f (f32), 1.5 (f64), nan, inf and
// -inf with the same suffix; of a predicate: 0 or 1; of 128 bits: high:low. A line that starts with "!" must be
// refused, by a report with the text after the bar.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "form_case.hpp"
#include "ptx/flow.hpp"
#include "ptx/program.hpp"
#include "simt/alu.hpp"

namespace ew {
namespace {

struct Line {
  std::string where, text;
  u32 cases = 0;
};

std::vector<Line> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Line> lines;
  std::string text;
  for (u32 number = 1; std::getline(file, text); ++number) {
    const auto start = text.find_first_not_of(' ');
    if (start == std::string::npos || text[start] == '#') continue;
    lines.push_back({path.filename().string() + ":" + std::to_string(number), text});
  }
  return lines;
}

std::vector<std::filesystem::path> form_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(EW_TEST_DATA) / "forms"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Forms : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Forms, GiveTheExpectedRegisters) {
  u32 cases = 0;
  for (const auto& line : lines_of(GetParam())) {
    const auto report = test::run_form_line(line.text, &cases);
    EXPECT_EQ(report, "") << line.where << ": " << line.text;
  }
  RecordProperty("cases", static_cast<int>(cases));
  EXPECT_GT(cases, 0u);
}

INSTANTIATE_TEST_SUITE_P(Text, Forms, testing::ValuesIn(form_files()),
                         [](const auto& info) { return info.param.stem().string(); });

TEST(FormFiles, HoldOverAThousandCases) {
  u32 cases = 0;
  for (const auto& file : form_files())
    for (const auto& line : lines_of(file)) test::run_form_line(line.text, &cases);
  EXPECT_GE(cases, 1000u);
}

TEST(FormFiles, AWrongExpectationIsReported) {
  u32 cases = 0;
  EXPECT_NE(test::run_form_line("add.u32 %r0, %r1, %r2 | r1=1 r2=2 -> r0=4", &cases), "");
  EXPECT_NE(test::run_form_line("! add.u32 %r0, %r1, %r2 | anything", &cases), "");
}

}  // namespace
}  // namespace ew
