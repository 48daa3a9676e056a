// Instructions that touch memory, synchronise or steer, one a line in tests/ptx/loads/*.txt: each must parse, link and
// decode in the kernel below. A line that starts with "!" must be refused, by a report with the text after the bar, the
// line's own text and its source line. What the instructions do is shown by tests/simt and the workloads; the ALU's are
// in tests/ptx/forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ptx/program.hpp"

namespace ew::ptx {
namespace {

namespace fs = std::filesystem;

constexpr const char* before = R"(.version 8.3
.target sm_90
.address_size 64
.file 1 "program.cu"
.global .align 8 .b8 cells[64];
.const .align 8 .b8 table[64];
.func leaf()
{
  ret;
}
.func (.param .b32 r) square(.param .b32 x)
{
  ret;
}
.visible .entry k(.param .u64 buffer, .param .u32 count)
{
  .reg .pred %p<10>;
  .reg .b16 %rs<10>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<10>;
  .reg .f32 %f<10>;
  .reg .f64 %fd<10>;
  .shared .align 16 .b8 tile[64];
  .local .align 16 .b8 frame[64];
shape: .callprototype _ ();
targets: .branchtargets END, BACK;
BACK:
	.loc 1 77 1
  )";
constexpr const char* after = "\nEND:\n  ret;\n}\n";

/// Empty when the instruction is taken; else the report.
std::string report_of(const std::string& instruction) {
  const bool block = instruction.starts_with("{") && instruction.ends_with("}");
  try {
    std::vector<ast::Module> modules;
    modules.push_back(parse(before + instruction + (block ? "" : ";") + after, "case"));
    load(link(std::move(modules)), [](std::string_view) { return u64{0x1000}; });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<fs::path> files() {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(fs::path(EW_TEST_DATA) / "loads")) list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

class Loads : public testing::TestWithParam<fs::path> {};

TEST_P(Loads, EveryLineIsTakenOrRefusedAsItSays) {
  std::ifstream file(GetParam());
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++cases;
    if (line[0] != '!') {
      EXPECT_EQ(report_of(line), "") << line;
      continue;
    }
    const auto bar = line.find(" | ");
    ASSERT_NE(bar, std::string::npos) << line;
    const std::string instruction = line.substr(2, bar - 2);
    const std::string report = report_of(instruction);
    EXPECT_NE(report.find(line.substr(bar + 3)), std::string::npos) << line << "\n" << report;
    EXPECT_NE(report.find(instruction), std::string::npos) << line << "\n" << report;
    EXPECT_NE(report.find("program.cu:77: "), std::string::npos) << line << "\n" << report;
  }
  EXPECT_GT(cases, 0);
  RecordProperty("cases", cases);
}

INSTANTIATE_TEST_SUITE_P(Text, Loads, testing::ValuesIn(files()),
                         [](const auto& info) { return info.param.stem().string(); });

std::string report_of_module(const std::string& text) {
  try {
    std::vector<ast::Module> modules;
    modules.push_back(parse(".version 8.3\n.target sm_90\n.address_size 64\n" + text, "case"));
    load(link(std::move(modules)), [](std::string_view) { return u64{0x1000}; });
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HostileModules, SizesBeyondThirtyTwoBitsAreRefused) {
  EXPECT_EQ(report_of_module(".entry k(.param .b8 x[4294967296]) { ret; }"),
            "k: its parameters take 4294967296 bytes; at most 32764 are supported");
  EXPECT_EQ(report_of_module(".shared .b8 x[4294967295]; .shared .b8 y[4294967295];\n"
                             ".entry k() { .reg .b32 r; mov.u32 r, x; mov.u32 r, y; ret; }"),
            "k: its variables in shared memory take 4294967295 bytes; at most 1073741824 are supported");
  EXPECT_EQ(report_of_module(".entry k() { .local .b8 x[1099511627776]; .reg .b64 r; mov.u64 r, x; ret; }"),
            "k: its local variables take 1099511627776 bytes; at most 524288 are supported");
}

TEST(HostileModules, ParametersThatTheTargetCannotTakeAreRefused) {
  const auto report = [](const std::string& target, const std::string& bytes) {
    try {
      std::vector<ast::Module> modules;
      modules.push_back(parse(
          ".version 8.3\n.target " + target + "\n.address_size 64\n.entry k(.param .b8 x[" + bytes + "]) { ret; }",
          "case"));
      load(link(std::move(modules)), [](std::string_view) { return u64{0x1000}; });
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(report("sm_60", "4096"), "");
  EXPECT_EQ(report("sm_62", "4097"), "k: its parameters, built for sm_62, take 4097 bytes; at most 4096 are supported");
  EXPECT_EQ(report("sm_70", "32764"), "");
  EXPECT_EQ(report("sm_90a", "32764"), "");
  EXPECT_EQ(report("sm_90", "32765"), "k: its parameters take 32765 bytes; at most 32764 are supported");
}

TEST(HostileModules, ALongChainOfCallsLoads) {
  std::string text;
  constexpr int functions = 40'000;
  for (int i = functions; i >= 0; --i) {
    const std::string number = std::to_string(i);
    text += ".func f" + number + "() {" + (i < functions ? " call f" + std::to_string(i + 1) + ";" : "") + " ret; }\n";
  }
  EXPECT_EQ(report_of_module(text + ".entry k() { call f0; ret; }"), "");
}

TEST(LoadsTest, AWrongLineIsReported) {
  EXPECT_NE(report_of("ld.global.u32 %p1, [%rd8]"), "");
}

}  // namespace
}  // namespace ew::ptx
