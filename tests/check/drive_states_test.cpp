#include "check/drive_states.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/diagnostics.hpp"

namespace ew::check {
namespace {

using Kind = storage::MediaCommand::Kind;
constexpr u32 block = 512;

storage::LoggedCommand write(u64 first, std::vector<u8> fill, bool forced) {
  storage::LoggedCommand command{
      .kind = Kind::write, .forced = forced, .first = first, .blocks = fill.size(), .data = {}};
  for (const u8 value : fill) command.data.insert(command.data.end(), block, value);
  return command;
}
storage::LoggedCommand other(Kind kind, u64 first = 0, u64 blocks = 0) {
  return {.kind = kind, .first = first, .blocks = blocks, .data = {}};
}
DriveStates states(std::vector<storage::LoggedCommand> commands, bool cache, u64 budget = 1000, u64 unit = 1,
                   std::vector<storage::LoggedProgress> progress = {}) {
  return {{std::move(commands), std::move(progress)},
          {{.block_bytes = block, .unit_blocks = unit, .has_cache = cache}},
          {std::vector<u8>(8 * block)},
          budget,
          1};
}
/// The first byte of each block.
std::string blocks_of(const DriveStates& all, const std::string& name) {
  const DriveImages images = all.images(all.named(name));
  std::string text;
  for (u64 at = 0; at < images[0].size(); at += block) text += static_cast<char>('0' + images[0][at]);
  return text;
}
std::set<std::string> every(const DriveStates& all) {
  std::set<std::string> images;
  for (const std::string& name : all.names()) images.insert(blocks_of(all, name));
  return images;
}

TEST(DriveStates, a_completed_write_in_a_cache_may_be_durable_or_not) {
  const DriveStates all = states({write(1, {7}, false), write(2, {8}, true)}, true);
  EXPECT_TRUE(all.exhaustive());
  EXPECT_EQ(every(all), (std::set<std::string>{"00000000", "07000000", "00800000", "07800000"}));
  EXPECT_EQ(blocks_of(all, "2:none"), "00800000") << "a forced write is durable when it is done";
}

TEST(DriveStates, without_a_cache_a_completed_write_is_durable) {
  EXPECT_EQ(blocks_of(states({write(1, {7}, false)}, false), "1:none"), "07000000");
}

TEST(DriveStates, a_flush_makes_all_before_it_durable) {
  const DriveStates all = states({write(1, {7}, false), other(Kind::flush), write(2, {8}, false)}, true);
  EXPECT_EQ(blocks_of(all, "1:none"), "00000000");
  EXPECT_EQ(blocks_of(all, "2:none"), "07000000");
  EXPECT_EQ(blocks_of(all, "3:none"), "07000000");
}

TEST(DriveStates, a_forced_write_under_way_may_be_torn_at_its_units) {
  EXPECT_EQ(every(states({write(0, {1, 2, 3}, true)}, true)).size(), 8u);
  EXPECT_EQ(every(states({write(0, {1, 2, 3, 4}, true)}, true, 1000, 2)),
            (std::set<std::string>{"00000000", "12000000", "00340000", "12340000"}));
}

TEST(DriveStates, an_older_version_of_a_block_may_be_the_durable_one) {
  const DriveStates all = states({write(3, {1}, false), write(3, {2}, false)}, true);
  EXPECT_EQ(every(all), (std::set<std::string>{"00000000", "00010000", "00020000"}));
}

TEST(DriveStates, a_forced_write_takes_the_place_of_what_was_cached) {
  const DriveStates all = states({write(2, {1, 1, 1}, false), write(3, {2}, true)}, true);
  EXPECT_EQ(blocks_of(all, "2:none"), "00020000");
  EXPECT_EQ(blocks_of(all, "2:all"), "00121000");
}

TEST(DriveStates, a_deallocated_block_is_zero) {
  EXPECT_EQ(blocks_of(states({write(2, {1}, true), other(Kind::deallocate, 2, 1)}, true), "2:none"), "00000000");
}

TEST(DriveStates, what_was_acknowledged_counts_from_its_command_on) {
  const DriveStates all = states({write(0, {1}, true), write(1, {2}, true)}, true, 1000, 1, {{1, 5}, {2, 6}});
  EXPECT_EQ(all.acknowledged(all.named("0:all")), 0u);
  EXPECT_EQ(all.acknowledged(all.named("1:none")), 5u);
  EXPECT_EQ(all.acknowledged(all.named("2:none")), 6u);
}

TEST(DriveStates, more_states_than_the_budget_are_chosen_and_all_names_can_be_made_again) {
  std::vector<storage::LoggedCommand> many;
  for (u64 i = 0; i < 40; ++i) many.push_back(write(i % 8, {static_cast<u8>(i % 9 + 1)}, i % 5 == 0));
  const DriveStates all = states(many, true, 100);
  EXPECT_FALSE(all.exhaustive());
  EXPECT_GE(all.names().size(), 100u);
  EXPECT_LE(all.names().size(), 103u);
  EXPECT_GT(every(all).size(), 40u);
}

TEST(DriveStates, a_name_that_is_no_state_is_a_mistake) {
  const DriveStates all = states({write(0, {1}, true)}, true);
  for (const char* name : {"", "0", "0:some", "2:none", "0:with:1", "0:with:", "0:subset:2", "x:all", "0:all:1"})
    EXPECT_THROW(all.named(name), core::UserError) << name;
}

}  // namespace
}  // namespace ew::check
