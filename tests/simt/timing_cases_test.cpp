// Every file of cases/ on timing machines that differ in what they may reorder: what it expects must hold there, too,
// and a run that stops every hundred instructions must be the same run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "timing_machine.hpp"

namespace ew::test {
namespace {

struct Named {
  const char* name;
  TimingSetup setup;
};

std::vector<Named> machines() {
  std::vector<Named> list(5);
  list[0].name = "gto";
  list[1].name = "one_scheduler_lrr_sc";
  list[1].setup.timing.schedulers = 1;
  list[1].setup.timing.policy = "lrr";
  list[1].setup.consistency = "sc";
  list[1].setup.hits = 30;
  list[1].setup.slowest = 90;
  list[2].name = "wild";
  list[2].setup.hits = 30;
  list[2].setup.stalls = 20;
  list[2].setup.fastest = 1;
  list[2].setup.slowest = 700;
  list[2].setup.line = 64;
  list[2].setup.skew = 7;
  list[3].name = "wide";
  list[3].setup.timing.issue_width = 2;
  list[3].setup.timing.schedulers = 2;
  list[3].setup.timing.memory_queue = 1;
  list[3].setup.timing.accesses = 40;
  list[3].setup.stalls = 10;
  list[4].name = "held";
  list[4].setup.hits = 30;
  list[4].setup.holds = 20;
  list[4].setup.stalls = 10;
  list[4].setup.persists = {.model = true, .regions = true};
  return list;
}

class TimingCase : public testing::TestWithParam<std::tuple<std::string, u32>> {};

TEST_P(TimingCase, holds) {
  const Case c = read_case(std::string(EW_TEST_DATA "/cases/") + std::get<0>(GetParam()) + ".txt");
  Named machine = machines()[std::get<1>(GetParam())];
  TimingReport report_of_run, report_of_slices;
  machine.setup.report = &report_of_run;
  const Outcome outcome = run_case(c, 1'000'000, timing_machine(machine.setup));
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

  EXPECT_EQ(report_of_run.statistics.all_slots(),
            report_of_run.statistics.cycles * c.sms * machine.setup.timing.schedulers);

  machine.setup.report = &report_of_slices;
  const Outcome again = run_case(c, 100, timing_machine(machine.setup));
  EXPECT_EQ(report_of_run.digest, report_of_slices.digest);
  EXPECT_EQ(outcome.memory, again.memory);
  EXPECT_EQ(outcome.nanoseconds, again.nanoseconds);
  EXPECT_EQ(outcome.printed, again.printed);
}

INSTANTIATE_TEST_SUITE_P(cases, TimingCase,
                         testing::Combine(testing::ValuesIn(case_files()), testing::Range<u32>(0, 5)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_on_" + machines()[std::get<1>(info.param)].name;
                         });

}  // namespace
}  // namespace ew::test
