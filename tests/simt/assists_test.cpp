// What every way to run a drain routine must do, over the table of assist warps: a new row is tested without a line
// here. And what slots for assist warps do to an SM.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "simt/sm/scheduler.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

using simt::AssistModel;

class EveryAssist : public testing::TestWithParam<AssistModel> {};
INSTANTIATE_TEST_SUITE_P(Table, EveryAssist,
                         testing::ValuesIn(simt::assist_models().begin(), simt::assist_models().end()),
                         [](const auto& row) { return std::string(row.param.name); });

constexpr u32 blocks = 9, threads = 64;

/// 9 blocks of 64 threads, each of which leaves its number + 1 in shared memory and asks for the routine that adds them
/// up. Threads of even numbers ask twice.
Case ring_on(std::string_view model) {
  Case c = read_case(std::string(EW_TEST_DATA "/cases/assist_warp_drains_what_threads_leave.txt"));
  c.assist.model = model;
  return c;
}

std::vector<u32> words_of(const Outcome& outcome) {
  const std::vector<u8>& bytes = outcome.memory.at("out");
  std::vector<u32> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST_P(EveryAssist, says_what_it_is) {
  EXPECT_FALSE(GetParam().name.empty());
  EXPECT_TRUE(GetParam().sentence.ends_with('.'));
  EXPECT_EQ(simt::assist_model(GetParam().name)->name, GetParam().name);
  std::set<u32> answers;
  for (const AssistModel& one : simt::assist_models()) answers.insert(one.answer);
  EXPECT_EQ(answers.size(), simt::assist_models().size()) << "a program could not tell them apart";
}

/// What a block has left is drained to the last word if the machine has assist warps, and nothing of it if it has none.
void expect_drained(const Outcome& outcome, const AssistModel& model) {
  const std::vector<u32> words = words_of(outcome);
  for (u32 block = 0; block < blocks; ++block) {
    EXPECT_EQ(words[block], model.slots ? threads * (threads + 1) / 2 : 0) << "block " << block;
    EXPECT_EQ(words[16 + block], model.answer) << "block " << block;
  }
}

TEST_P(EveryAssist, drains_in_functional_mode) {
  expect_drained(run_case(ring_on(GetParam().name)), GetParam());
}

TEST_P(EveryAssist, drains_in_timing_mode_and_counts_it) {
  TimingReport report, again;
  TimingSetup setup;
  setup.report = &report;
  const Case c = ring_on(GetParam().name);
  const Outcome outcome = run_case(c, 1'000'000, timing_machine(setup));
  expect_drained(outcome, GetParam());
  const simt::AssistCounts& counts = report.statistics.assist;
  EXPECT_EQ(counts.runs != 0, GetParam().slots);
  EXPECT_EQ(counts.issued != 0, GetParam().slots);
  EXPECT_EQ(counts.cycles != 0, GetParam().slots);
  if (GetParam().slots) {
    // The routine has no branch: each run issues the same instructions. Of a block's six events of warps (four of the
    // two warps' halves, two of even lanes) each starts a run, or joins one.
    EXPECT_EQ(counts.issued % counts.runs, 0u);
    EXPECT_GE(counts.runs, blocks);
    EXPECT_LE(counts.runs, counts.events);
    EXPECT_GE(counts.events, blocks * 4u);
    EXPECT_LE(counts.events, blocks * 6u);
  } else {
    EXPECT_EQ(counts.events, 0u);
  }
  EXPECT_LE(counts.issued, report.statistics.slots.issued);
  // An issue slot an instruction; no other warp of this kernel is a helper warp.
  ASSERT_EQ(setup.timing.issue_width, 1u);
  EXPECT_EQ(report.statistics.helper_slots.issued, counts.issued);
  EXPECT_EQ(report.statistics.all_slots(), report.statistics.cycles * c.sms * setup.timing.schedulers);

  setup.report = &again;
  EXPECT_EQ(run_case(c, 100, timing_machine(setup)).memory, outcome.memory);
  EXPECT_EQ(again.digest, report.digest);
}

/// The same bytes, whoever issues first.
TEST(AssistSlots, priorities_change_no_byte) {
  std::set<u64> digests;
  for (const char* priority : {"low", "equal", "high"}) {
    TimingReport report;
    TimingSetup setup;
    setup.timing.schedulers = 1;
    setup.report = &report;
    Case c = ring_on("hardware");
    c.assist.priority = priority;
    expect_drained(run_case(c, 1'000'000, timing_machine(setup)), *simt::assist_model("hardware"));
    digests.insert(report.digest);
  }
  EXPECT_GT(digests.size(), 1u) << "the priority decides nothing";
}

/// An SM whose assist warps sleep is in each cycle what an SM without them is.
TEST(AssistSlots, a_sleeping_slot_costs_nothing) {
  const auto run = [](const char* model) {
    TimingReport report;
    TimingSetup setup;
    setup.report = &report;
    Case c = read_case(std::string(EW_TEST_DATA "/cases/spin_between_blocks.txt"));
    c.assist.model = model;
    run_case(c, 1'000'000, timing_machine(setup));
    return report;
  };
  const TimingReport without = run("none"), with = run("hardware");
  EXPECT_EQ(with.digest, without.digest);
  EXPECT_EQ(with.statistics.cycles, without.statistics.cycles);
  EXPECT_EQ(with.statistics.assist.runs, 0u);
}

/// A second slot serves a second block at once.
TEST(AssistSlots, more_slots_wait_less) {
  const auto waited = [](u32 warps) {
    TimingReport report;
    TimingSetup setup;
    setup.report = &report;
    Case c = ring_on("hardware");
    c.sms = 1;
    c.assist.warps = warps;
    run_case(c, 1'000'000, timing_machine(setup));
    return report.statistics.assist.waited;
  };
  EXPECT_GT(waited(1), 0u);
  EXPECT_LT(waited(4), waited(1));
}

TEST(AssistSlots, the_latency_of_a_wake_is_waited_for) {
  const auto cycles = [](u32 latency) {
    TimingReport report;
    TimingSetup setup;
    setup.report = &report;
    Case c = ring_on("hardware");
    c.grid = {1, 1, 1};
    c.assist.wake_latency = latency;
    run_case(c, 1'000'000, timing_machine(setup));
    return report.statistics.cycles;
  };
  // The last run begins so much later; a run before it may join it.
  EXPECT_GE(cycles(1020), cycles(20) + 1000);
}

/// A marked warp's slots count apart, from its mark to its end, and no other warp's. The loads answer after 200 cycles,
/// so each costs about as many slots of the scheduler, which has no other warp by then.
TEST(HelperWarps, their_slots_count_apart) {
  TimingReport report;
  TimingSetup setup;
  setup.timing.schedulers = 1;
  setup.fastest = setup.slowest = 200;
  setup.report = &report;
  Case c = read_case(std::string(EW_TEST_DATA "/cases/helper_warp_counts_apart.txt"));
  c.sms = 1;
  c.grid = {1, 1, 1};
  run_case(c, 1'000'000, timing_machine(setup));
  const simt::TimingStatistics& all = report.statistics;
  const simt::HelperSlotCounts& apart = all.helper_slots;
  // Behind the mark: two moves, 64 rounds of 5 instructions, the end. Before it, and in the first warp: some more.
  EXPECT_EQ(apart.issued, 2 + 64 * 5 + 1u);
  EXPECT_GT(all.slots.issued, apart.issued);
  EXPECT_GE(apart.data_device + apart.data_home + apart.data_private, 64 * 190u);
  EXPECT_EQ(apart.idle, 0u);
  u64 of_helpers = 0, of_warps = 0;
  simt::HelperSlotCounts::fields(apart, [&](std::string_view name, u64 value, auto, auto) {
    EXPECT_TRUE(name.starts_with("helper.slots.")) << name;
    of_helpers += value;
  });
  simt::SlotCounts::fields(all.slots, [&](auto, u64 value, auto, auto) { of_warps += value; });
  EXPECT_EQ(of_warps, all.cycles * c.sms);
  EXPECT_LT(of_helpers + all.slots.idle, of_warps);
}

TEST(SchedulerWithAssistWarps, they_come_last_or_first) {
  const simt::SchedulerPolicy& policy = *simt::scheduler_policy("gto");
  const u64 ages[64] = {};
  const u64 assist = u64{1} << 63, other = 1;
  simt::Scheduler low(policy, {assist | other, 0}, 0, {.slots = assist, .first = false});
  simt::Scheduler high(policy, {assist | other, 0}, 0, {.slots = assist, .first = true});
  EXPECT_EQ(low.choose(assist, ages), 63u);
  EXPECT_EQ(low.choose(assist | other, ages), 0u);
  EXPECT_EQ(high.choose(other, ages), 0u);
  EXPECT_EQ(high.choose(assist | other, ages), 63u);
  // Behind others that are ready for ever it has its turn, too.
  simt::ReadySets ready;
  ready.add(assist | other);
  u32 turns = 0;
  for (u32 i = 0; i < 10'000; ++i) {
    low.opportunity(ready, 0);
    turns += low.choose(assist | other, ages) == 63;
  }
  EXPECT_GT(turns, 10u);
  EXPECT_LT(turns, 100u);
  // So have others behind an assist warp that comes first. Behind such a turn they issue as before.
  turns = 0;
  for (u32 i = 0; i < 10'000; ++i) {
    high.opportunity(ready, 0);
    if (high.choose(assist | other, ages) != 0) continue;
    ++turns;
    EXPECT_EQ(high.choose(other, ages), 0u);
  }
  EXPECT_GT(turns, 10u);
  EXPECT_LT(turns, 100u);
}

}  // namespace
}  // namespace ew::test
