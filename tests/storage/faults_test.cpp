// Faults that a drive shows on purpose; what a program can do about them.
#include <algorithm>
#include <set>

#include "core/diagnostics.hpp"
#include "storage_bench.hpp"

namespace ew::storage {
namespace {

BenchConfig with_faults(const std::string& text) {
  BenchConfig config;
  config.controller.faults = parse_faults(text, "storage.0.fault");
  return config;
}

class EachStatus : public ::testing::TestWithParam<NamedStatus> {};
INSTANTIATE_TEST_SUITE_P(Statuses, EachStatus,
                         ::testing::ValuesIn(named_statuses().begin() + 1, named_statuses().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EachStatus, can_be_shown) {
  Bench bench(with_faults(std::string(GetParam().name) + ":lba=7"));
  HostQueue queue = bench.start();
  const u64 to = bench.memory.take(4096);
  std::memset(bench.memory.at(to), 9, 4096);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(2, 0, 7, to)), status::success);
  std::memset(bench.memory.at(to), 9, 4096);
  const Completion shown = bench.execute(queue, Bench::blocks(2, 3, 5, to));
  EXPECT_EQ(Bench::status_of(shown), GetParam().status);
  EXPECT_EQ(shown.status >> 15 & 1, !GetParam().status.retry) << "do not retry";
  EXPECT_EQ(shown.status >> 12 & 3, GetParam().name == "interrupted" ? 1 : 0) << "delay before a retry";
  EXPECT_EQ(*bench.memory.at(to), 9) << "no data come";
  // A write that fails changes nothing.
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(1, 7, 1, to)), GetParam().status);
  EXPECT_EQ(bench.contents.blocks_in_use(), 0u);
}

TEST(Fault, lost_completion_ends_by_abort) {
  Bench bench(with_faults("lost-completion:command=2"));
  HostQueue queue = bench.start();
  const u64 to = bench.memory.take(4096);
  for (u16 id = 1; id <= 3; ++id) {
    Command command = Bench::blocks(2, id, 1, to);
    command.id = id;
    bench.put(queue, command);
  }
  bench.ring(queue);
  bench.run();
  std::set<u16> seen;
  while (const auto completion = bench.poll(queue)) seen.insert(completion->id);
  EXPECT_EQ(seen, (std::set<u16>{1, 3}));
  EXPECT_EQ(bench.execute(bench.admin, {.opcode = 8, .dword10 = 2u << 16 | 1}).result, 0u);
  const auto completion = bench.poll(queue);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->id, 2);
  EXPECT_EQ(Bench::status_of(*completion), status::abort_requested);
}

TEST(Fault, lost_completions_end_when_their_queue_is_deleted_and_at_a_shutdown) {
  for (const bool deletes : {false, true}) {
    Bench bench(with_faults("lost-completion"));
    HostQueue queue = bench.start();
    for (u16 id = 1; id <= 3; ++id) bench.put(queue, {.opcode = 0, .id = id, .namespace_id = 1});
    bench.ring(queue);
    bench.run();
    EXPECT_FALSE(bench.poll(queue));
    if (deletes)
      EXPECT_EQ(bench.admin_outcome({.opcode = 0, .dword10 = 1}), status::success);
    else
      bench.controller.write(0x14, 4, 1 | 1 << 14 | 6 << 16 | 4 << 20);
    bench.run();
    EXPECT_EQ(bench.status() >> 2, deletes ? 0u : 2u);
    for (int i = 0; i < 3; ++i) {
      const auto completion = bench.poll(queue, true);
      ASSERT_TRUE(completion);
      EXPECT_EQ(Bench::status_of(*completion), deletes ? status::queue_deleted : status::power_loss);
    }
  }
}

TEST(Fault, fatal_stops_the_controller_until_a_reset) {
  Bench bench(with_faults("fatal:command=2:times=1"));
  HostQueue queue = bench.start();
  for (u16 id = 1; id <= 5; ++id) bench.put(queue, {.opcode = 0, .id = id, .namespace_id = 1});
  bench.ring(queue);
  bench.run();
  EXPECT_EQ(bench.status() & 3, 3u) << "ready, and fatal";
  u32 seen = 0;
  while (bench.poll(queue)) ++seen;
  EXPECT_LE(seen, 1u);
  bench.ring(queue);
  bench.run();
  EXPECT_FALSE(bench.poll(queue));
  bench.controller.write(0x14, 4, 0);
  bench.run();
  EXPECT_EQ(bench.status(), 0u);
  queue = bench.start();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bench.outcome(queue, {.opcode = 0, .namespace_id = 1}), status::success);
}

TEST(Fault, conditions_are_all_to_hold) {
  Faults faults(parse_faults(
      "write-fault:every=3:lba=10, unrecovered-read:lba=20:times=2 , late-completion:ms=3:command=9", "k"));
  EXPECT_FALSE(faults.next(10, 1, 2));
  EXPECT_FALSE(faults.next(10, 1, 2));
  ASSERT_TRUE(faults.next(9, 2, 2));
  EXPECT_TRUE(faults.next(20, 1, 2));
  EXPECT_TRUE(faults.next(0, 100, 2));
  EXPECT_FALSE(faults.next(20, 1, 2)) << "twice was enough; and a write fault needs block 10";
  EXPECT_FALSE(faults.next(0, 0, 2));
  EXPECT_FALSE(faults.next(8, 2, 2));
  const Fault* const late = faults.next(0, 0, 2);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->late.count, 3'000'000'000u);
}

TEST(Fault, of_one_kind_of_command) {
  Faults faults(parse_faults("write-fault:opcode=1:lba=5:times=2", "k"));
  EXPECT_FALSE(faults.next(5, 1, 2)) << "a read";
  EXPECT_TRUE(faults.next(5, 1, 1));
  EXPECT_TRUE(faults.next(0, 8, 1));
  EXPECT_FALSE(faults.next(5, 1, 1)) << "twice was enough";
}

TEST(Fault, texts_that_are_none) {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_faults(text, "storage.0.fault");
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(parse_faults("", "k").empty());
  EXPECT_EQ(message("unrecoverd-read"),
            "storage.0.fault: no fault is called \"unrecoverd-read\" (did you mean \"unrecovered-read\"?)");
  EXPECT_EQ(message("success"), "storage.0.fault: no fault is called \"success\"");
  EXPECT_EQ(message("fatal:lba=x"), "storage.0.fault: \"lba=x\" must be a whole number after \"=\"");
  EXPECT_EQ(message("fatal:every=0"), "storage.0.fault: \"every=0\": commands count from 1");
  EXPECT_EQ(message("fatal:ms=3"),
            "storage.0.fault: \"ms=3\" is no condition; there are lba, opcode, command, every, times, and ms (up to "
            "1000000) of "
            "late-completion");
}

}  // namespace
}  // namespace ew::storage
