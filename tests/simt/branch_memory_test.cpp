// What a launch learns of its branches, and what that is worth: a lock inside a warp.
#include "simt/branch_memory.hpp"

#include <gtest/gtest.h>

#include "case_file.hpp"
#include "simt/block.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

using simt::BranchMemory;

class Branches : public testing::Test {
 protected:
  Branches() {
    memory_.begin(10);
    warp_.block = &block_;
    words_.place[4] = 0x100;
    words_.found[4] = 1;
  }

  BranchMemory memory_;
  simt::Block block_, other_block_;
  simt::Warp warp_, other_warp_;
  simt::PolledWords words_;
  static constexpr LaneMask lane_4 = 1u << 4;
};

TEST_F(Branches, a_branch_separates_once_a_polled_word_has_changed) {
  memory_.begin_trial(3, warp_, lane_4, words_);
  EXPECT_TRUE(memory_.trying());
  memory_.polled(0x100, 1);  // the same value
  memory_.polled(0x104, 7);  // another word
  EXPECT_FALSE(memory_.separates(3));
  memory_.polled(0x100, 0);
  EXPECT_TRUE(memory_.separates(3));
  EXPECT_FALSE(memory_.separates(4));
  EXPECT_FALSE(memory_.trying());
  EXPECT_EQ(memory_.failures(3), 0u);
}

TEST_F(Branches, a_word_of_a_lane_that_is_not_on_trial_says_nothing) {
  memory_.begin_trial(3, warp_, 1u << 5, words_);
  memory_.polled(0x100, 0);
  EXPECT_FALSE(memory_.separates(3));
}

TEST_F(Branches, a_second_release_of_the_warp_means_that_the_first_did_not_help) {
  memory_.begin_trial(3, warp_, lane_4, words_);
  memory_.begin_trial(6, warp_, lane_4, words_);
  EXPECT_EQ(memory_.failures(3), 1u);
  EXPECT_EQ(memory_.failures(6), 0u);
  memory_.polled(0x100, 0);
  EXPECT_FALSE(memory_.separates(3));
  EXPECT_TRUE(memory_.separates(6));
}

TEST_F(Branches, trials_of_several_warps_fail_together_where_the_machine_stands_still) {
  memory_.begin_trial(3, warp_, lane_4, words_);
  memory_.begin_trial(3, other_warp_, lane_4, words_);
  memory_.all_trials_failed();
  EXPECT_EQ(memory_.failures(3), 2u);
  memory_.polled(0x100, 0);  // too late
  EXPECT_FALSE(memory_.separates(3));
}

TEST_F(Branches, a_branch_that_failed_may_help_later) {
  memory_.begin_trial(3, warp_, lane_4, words_);
  memory_.trial_failed(warp_);
  memory_.begin_trial(3, warp_, lane_4, words_);
  memory_.polled(0x100, 0);
  EXPECT_TRUE(memory_.separates(3));
}

TEST_F(Branches, lanes_behind_a_barrier_help_when_it_completes) {
  memory_.begin_trial(2, warp_, 0, words_);
  memory_.polled(0x100, 0);
  memory_.barrier_over(other_block_);
  EXPECT_FALSE(memory_.separates(2));
  memory_.barrier_over(block_);
  EXPECT_TRUE(memory_.separates(2));
}

u64 nanoseconds_of(const char* name, Dim3 grid, Dim3 block, const TimingSetup& setup) {
  Case c = read_case(std::string(EW_TEST_DATA "/cases/") + name + ".txt");
  c.grid = grid;
  c.block = block;
  c.sms = 64;
  const Outcome outcome = run_case(c, 1'000'000, timing_machine(setup));
  EXPECT_EQ(outcome.refused, "");
  for (const Buffer& expected : c.expected)
    EXPECT_EQ(values_text(expected.type, outcome.memory.at(expected.name)), values_text(expected.type, expected.bytes));
  return outcome.nanoseconds;
}

/// 91,635 cycles a section where a lone thread paid 609.
TEST(LockWithinAWarp, costs_at_most_twice_a_lone_threads) {
  TimingSetup setup;
  setup.fastest = setup.slowest = 200;
  const u64 lone = nanoseconds_of("lock_taken_before_its_section", {64, 1, 1}, {1, 1, 1}, setup);
  EXPECT_LE(nanoseconds_of("lock_taken_before_its_section", {1, 1, 1}, {64, 1, 1}, setup), 2 * lone);
  EXPECT_LE(nanoseconds_of("lock_taken_before_its_section", {2, 1, 1}, {32, 1, 1}, setup), 2 * lone);
}

}  // namespace
}  // namespace ew::test
