// Runs every file of cases/: what it expects must hold. A second run, which stops every hundred instructions, must be
// equal to the byte. And it must hold, too, when a performer keeps every operation waiting, with the buffers where only
// that performer can touch them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "case_file.hpp"
#include "delayed_performer.hpp"

namespace ew::test {
namespace {

Case case_named(const std::string& name) {
  return read_case(std::string(EW_TEST_DATA "/cases/") + name + ".txt");
}

u64 instructions_of(const Outcome& outcome) {
  u64 sum = 0;
  for (const auto& completion : outcome.completions) sum += completion.counters.warp_instructions;
  return sum;
}

void expect_holds(const Case& c, const Outcome& outcome) {
  if (c.refused) {
    EXPECT_NE(outcome.refused.find(*c.refused), std::string::npos) << outcome.refused;
    return;
  }
  ASSERT_EQ(outcome.refused, "");
  std::string fault = "none", report;
  u64 divergent = 0;
  for (const auto& completion : outcome.completions) {
    divergent += completion.counters.divergent_branches;
    if (!completion.fault) continue;
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
  EXPECT_EQ(instructions_of(outcome), c.instructions.value_or(instructions_of(outcome)));
  EXPECT_EQ(divergent, c.divergent.value_or(divergent));
}

/// What a lane does behind a plain load or store that is late.
struct Lateness {
  const char* name;
  bool goes_on;
  friend void PrintTo(const Lateness& lateness, std::ostream* out) { *out << lateness.name; }
};
constexpr Lateness waits{"waits", false}, goes_on{"goes_on", true};

Outcome run_late(const Case& c, u32 seed, Lateness lateness, Traffic& traffic, bool guarded = true,
                 u64 slice = 1'000'000) {
  return run_case(c, slice, [&](memory::AddressSpace& space, Guard& guard) {
    if (!guarded) guard.leave_open();
    return std::make_unique<DelayedPerformer>(space, seed, lateness.goes_on, traffic, guard);
  });
}

class SimtCase : public testing::TestWithParam<std::string> {};

TEST_P(SimtCase, holds) {
  const Case c = case_named(GetParam());
  const Outcome outcome = run_case(c);
  expect_holds(c, outcome);
  if (c.refused) return;
  const Outcome again = run_case(c, 100);
  EXPECT_EQ(outcome.memory, again.memory);
  EXPECT_EQ(outcome.nanoseconds, again.nanoseconds);
  EXPECT_EQ(outcome.printed, again.printed);
  EXPECT_EQ(instructions_of(outcome), instructions_of(again));
}

class LateCase : public testing::TestWithParam<std::tuple<std::string, Lateness>> {};

TEST_P(LateCase, holds_when_performed_late) {
  const auto& [name, lateness] = GetParam();
  const Case c = case_named(name);
  if (c.timed) GTEST_SKIP() << "it expects memory to answer at once";
  const bool small = instructions_of(run_case(c)) < 20'000;  // each access opens and closes the guard
  for (u32 seed = 1; seed <= (small ? 2 : 1); ++seed) {
    SCOPED_TRACE(seed);
    Traffic traffic;
    const Outcome outcome = run_late(c, seed, lateness, traffic, small);
    expect_holds(c, outcome);
    if (c.refused) return;
    const u64 asked = traffic.loads + traffic.stores + traffic.atomics + traffic.updates + traffic.copies +
                      traffic.texels + traffic.barriers + traffic.warp_barriers + traffic.fences + traffic.sleeps +
                      traffic.commits + traffic.waits;
    EXPECT_LE(traffic.finished, asked);
    if (!c.fault) {
      EXPECT_EQ(traffic.finished, asked);
    }
    if (seed == 1 && small) {
      Traffic same;
      EXPECT_EQ(outcome.memory, run_late(c, seed, lateness, same, false, 100).memory);
      EXPECT_EQ(traffic.finished, same.finished);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(cases, SimtCase, testing::ValuesIn(case_files()), [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(cases, LateCase,
                         testing::Combine(testing::ValuesIn(case_files()), testing::Values(waits, goes_on)),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param).name; });

/// What a kind of instruction asks of the performer, exactly: nothing of it goes another way.
TEST(LatePerformer, is_asked_for_everything) {
  const auto traffic_of = [](const std::string& name) {
    Traffic traffic;
    const Case c = case_named(name);
    expect_holds(c, run_late(c, 1, waits, traffic));
    return traffic;
  };
  const Traffic mbarriers = traffic_of("mbarrier");
  EXPECT_GE(mbarriers.updates, 1 + 2 * 2 + 2 * 2u);  // init, two arrivals and at least two looks of each warp
  const Traffic surfaces = traffic_of("surfaces");
  EXPECT_EQ(surfaces.loads, 3 + 2u);  // parameters, one of .zero and one of .clamp
  EXPECT_EQ(surfaces.stores, 2 + 1u);
  EXPECT_EQ(traffic_of("texture_3d_clamp").texels, 2 * (1 + 8u));
  EXPECT_GE(traffic_of("texture_3d_clamp").most_of_one_warp, 8u);
  EXPECT_EQ(traffic_of("texture_gather").texels % 4, 0u);
  const Traffic copies = traffic_of("async_copies");
  EXPECT_GT(copies.copies, 0u);
  EXPECT_GT(copies.waits, 0u);
  EXPECT_GT(traffic_of("sleepers_of_all_kinds").sleeps, 0u);
  EXPECT_GT(traffic_of("warp_barrier_with_masks").warp_barriers, 0u);
  EXPECT_GT(traffic_of("barrier_arrive").barriers, 0u);
  EXPECT_GT(traffic_of("pending_while_rows_grow").fences, 0u);
}

}  // namespace
}  // namespace ew::test
