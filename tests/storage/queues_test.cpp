// Rings: sizes, phases, heads, full completion queues, turns, Abort and deletion.
#include <algorithm>
#include <map>
#include <set>

#include "storage_bench.hpp"

namespace ew::storage {
namespace {

constexpr u8 flush = 0, write = 1, read = 2;

class Depth : public ::testing::TestWithParam<u32> {};
INSTANTIATE_TEST_SUITE_P(Depths, Depth, ::testing::Values(2, 3, 4, 5, 1000, 1024, 65'535, 65'536),
                         ::testing::PrintToStringParamName());

TEST_P(Depth, two_laps_and_more_with_the_ring_full) {
  BenchConfig config;
  config.controller.entries = 65'536;
  Bench bench(config);
  HostQueue queue = bench.start(GetParam());
  const u64 commands = std::max(40u, 2 * GetParam() + 3);
  u64 submitted = 0, completed = 0;
  std::set<u16> under_way;
  while (completed < commands) {
    while (submitted < commands && !bench.full(queue)) {
      // The identifier is taken again once it is free.
      const u16 id = static_cast<u16>(submitted % 65'535);
      if (!under_way.insert(id).second) break;
      bench.put(queue, {.opcode = flush, .id = id, .namespace_id = 1});
      ++submitted;
    }
    bench.ring(queue);
    bench.run();
    u64 seen = 0;
    while (const auto completion = bench.poll(queue, true)) {
      ASSERT_EQ(Bench::status_of(*completion), status::success);
      ASSERT_EQ(under_way.erase(completion->id), 1u);
      ++seen, ++completed;
    }
    ASSERT_GT(seen, 0u);
    bench.tell_head(queue);
  }
  EXPECT_TRUE(under_way.empty());
  EXPECT_EQ(queue.head, commands % GetParam());
}

TEST(Rings, the_head_in_a_completion_says_what_was_fetched) {
  Bench bench;
  HostQueue queue = bench.start(8);
  bench.medium.holds = true;
  for (u16 id = 0; id < 5; ++id) {
    Command command = Bench::blocks(read, id, 1, bench.memory.take(512));
    command.id = id;
    bench.put(queue, command);
  }
  bench.ring(queue);
  bench.run();
  bench.medium.holds = false;
  bench.run();
  const auto first = bench.poll(queue);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->queue_head, 5) << "all five were fetched, and their entries may be used again";
}

TEST(Rings, an_identifier_under_way_is_not_taken_twice) {
  Bench bench;
  HostQueue queue = bench.start(8);
  const u64 to = bench.memory.take(4096);
  Command command = Bench::blocks(read, 0, 1, to);
  command.id = 5;
  bench.put(queue, command);
  bench.put(queue, command);
  bench.ring(queue);
  bench.medium.holds = true;
  bench.run();
  const auto second = bench.poll(queue);
  ASSERT_TRUE(second);
  EXPECT_EQ(Bench::status_of(*second), status::id_conflict);
  bench.medium.holds = false;
  bench.run();
  const auto first = bench.poll(queue);
  ASSERT_TRUE(first);
  EXPECT_EQ(Bench::status_of(*first), status::success);
  EXPECT_EQ(first->id, 5);
}

TEST(Rings, a_full_completion_queue_holds_completions_back) {
  Bench bench;
  bench.enable();
  HostQueue queue = bench.create(1, 16, 4);
  for (u16 id = 0; id < 9; ++id) bench.put(queue, {.opcode = flush, .id = id, .namespace_id = 1});
  bench.ring(queue);
  bench.run();
  u32 seen = 0;
  for (u32 more : {3u, 3u, 3u}) {
    for (u32 i = 0; i < more; ++i, ++seen) ASSERT_TRUE(bench.poll(queue, true)) << seen;
    EXPECT_FALSE(bench.poll(queue, true));
    bench.tell_head(queue);
    bench.run();
  }
  EXPECT_FALSE(bench.poll(queue, true));
}

TEST(Rings, several_submission_queues_share_a_completion_queue) {
  Bench bench;
  bench.enable();
  HostQueue first = bench.create(1, 4, 32);
  std::vector<HostQueue> queues{first};
  for (u32 id = 2; id <= 5; ++id) {
    HostQueue queue{.id = id, .completions = 1, .ring = bench.memory.take(4096, 4096), .size = 4};
    EXPECT_EQ(bench.admin_outcome(bench.create_submission(id, queue.ring, 4, 1)), status::success);
    queues.push_back(queue);
  }
  for (u32 lap = 0; lap < 20; ++lap) {
    for (HostQueue& queue : queues) {
      for (u16 id = 0; id < 3; ++id) bench.put(queue, {.opcode = flush, .id = id, .namespace_id = 1});
      bench.ring(queue);
    }
    bench.run();
    std::map<u32, u32> seen;
    while (const auto completion = bench.poll(queues[0])) {
      ++seen[completion->queue];
      queues[completion->queue - 1].head = completion->queue_head;
    }
    for (u32 id = 1; id <= 5; ++id) ASSERT_EQ(seen[id], 3u);
  }
}

TEST(Turns, each_queue_gets_its_burst) {
  for (const u32 burst : {1u, 4u, 0u}) {
    BenchConfig config;
    config.controller.commands = 1;  // so that completions come in the order of fetches
    Bench bench(config);
    bench.enable();
    const u32 logarithm = burst == 0 ? 7 : burst == 4 ? 2 : 0;
    EXPECT_EQ(bench.admin_outcome({.opcode = 9, .dword10 = 1, .dword11 = logarithm}), status::success);
    std::vector<HostQueue> queues;
    for (u32 id = 1; id <= 3; ++id) queues.push_back(bench.create(id, 16, 16));
    for (HostQueue& queue : queues)
      for (u16 i = 0; i < 12; ++i) bench.put(queue, {.opcode = flush, .id = i, .namespace_id = 1});
    bench.medium.holds = true;
    for (const HostQueue& queue : queues) bench.ring(queue);
    bench.medium.holds = false;
    std::vector<u32> order;
    for (;;) {
      const bool stepped = bench.step();
      for (HostQueue& queue : queues)
        while (bench.poll(queue)) order.push_back(queue.id);
      if (!stepped) break;
    }
    ASSERT_EQ(order.size(), 36u);
    const u32 run = burst == 0 ? 12 : burst;
    for (u32 i = 0; i < 36; ++i) EXPECT_EQ(order[i], i / run % 3 + 1) << "burst " << burst << ", " << i;
  }
}

TEST(Turns, administrators_commands_come_through_when_all_places_are_taken) {
  BenchConfig config;
  config.controller.commands = 4;
  Bench bench(config);
  HostQueue queue = bench.start(32);
  bench.medium.holds = true;
  for (u16 id = 0; id < 20; ++id) {
    Command command = Bench::blocks(read, id, 1, bench.memory.take(512));
    command.id = id;
    bench.put(queue, command);
  }
  bench.ring(queue);
  bench.run();
  EXPECT_EQ(bench.medium.waiting(), 4u);
  EXPECT_EQ(bench.execute(bench.admin, {.opcode = 0x0a, .dword10 = 7}).result, 127u << 16 | 127);
  bench.medium.holds = false;
  bench.run();
  for (u16 id = 0; id < 15; ++id) EXPECT_TRUE(bench.poll(queue));
}

TEST(Doorbells, of_no_use_change_nothing) {
  Bench bench;
  HostQueue queue = bench.start(8);
  bench.controller.write(bench.doorbell(1, true), 4, 3);   // completions that were never posted
  bench.controller.write(bench.doorbell(1, false), 4, 8);  // behind the ring
  bench.controller.write(bench.doorbell(1, false) + 2, 4, 1);
  bench.controller.write(bench.doorbell(77, false), 4, 1);
  bench.run();
  EXPECT_FALSE(bench.poll(queue));
  EXPECT_EQ(bench.outcome(queue, {.opcode = flush, .namespace_id = 1}), status::success);
}

TEST(Abort, ends_a_read_and_then_itself) {
  Bench bench;
  HostQueue queue = bench.start(8);
  const u64 to = bench.memory.take(512);
  *bench.memory.at(to) = 77;
  Command command = Bench::blocks(read, 0, 1, to);
  command.id = 40;
  bench.medium.holds = true;
  bench.put(queue, command);
  bench.ring(queue);
  bench.run();
  bench.put(bench.admin, {.opcode = 8, .id = 900, .dword10 = 40u << 16 | 1});
  bench.ring(bench.admin);
  bench.run();
  EXPECT_FALSE(bench.poll(bench.admin)) << "the read has not ended";
  bench.medium.holds = false;
  bench.run();
  const auto read_end = bench.poll(queue), abort_end = bench.poll(bench.admin);
  ASSERT_TRUE(read_end && abort_end);
  EXPECT_EQ(Bench::status_of(*read_end), status::abort_requested);
  EXPECT_EQ(*bench.memory.at(to), 77) << "nothing is written for a command that was stopped";
  EXPECT_EQ(Bench::status_of(*abort_end), status::success);
  EXPECT_EQ(abort_end->result, 0u);
}

TEST(Abort, says_when_it_has_stopped_nothing) {
  Bench bench;
  HostQueue queue = bench.start(8);
  EXPECT_EQ(bench.execute(bench.admin, {.opcode = 8, .dword10 = 40u << 16 | 1}).result, 1u);
  EXPECT_EQ(bench.execute(bench.admin, {.opcode = 8, .dword10 = 40u << 16 | 99}).result, 1u);
  // A write that the medium has: it happens.
  bench.medium.holds = true;
  Command command = Bench::blocks(write, 0, 1, bench.memory.take(512));
  command.id = 41;
  bench.put(queue, command);
  bench.ring(queue);
  bench.run();
  EXPECT_EQ(bench.execute(bench.admin, {.opcode = 8, .dword10 = 41u << 16 | 1}).result, 1u);
  bench.medium.holds = false;
  bench.run();
  const auto end = bench.poll(queue);
  ASSERT_TRUE(end);
  EXPECT_EQ(Bench::status_of(*end), status::success);
}

TEST(Abort, of_an_event_request_and_no_more_than_the_limit) {
  Bench bench;
  HostQueue queue = bench.start(16);
  bench.put(bench.admin, {.opcode = 0x0c, .id = 800});
  bench.ring(bench.admin);
  bench.run();
  bench.put(bench.admin, {.opcode = 8, .id = 801, .dword10 = 800u << 16});
  bench.ring(bench.admin);
  bench.run();
  auto completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->id, 800);
  EXPECT_EQ(Bench::status_of(*completion), status::abort_requested);
  completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->result, 0u);
  bench.medium.holds = true;
  for (u16 id = 0; id < 5; ++id) {
    Command command = Bench::blocks(read, id, 1, bench.memory.take(512));
    command.id = id;
    bench.put(queue, command);
  }
  bench.ring(queue);
  bench.run();
  for (u32 id = 0; id < 5; ++id)
    bench.put(bench.admin, {.opcode = 8, .id = static_cast<u16>(810 + id), .dword10 = id << 16 | 1});
  bench.ring(bench.admin);
  bench.run();
  completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  EXPECT_EQ(Bench::status_of(*completion), status::abort_limit);
  EXPECT_FALSE(bench.poll(bench.admin));
  bench.medium.holds = false;
  bench.run();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(bench.poll(bench.admin));
}

TEST(Deletion, ends_what_is_under_way_and_forgets_what_was_not_fetched) {
  BenchConfig config;
  config.controller.commands = 2;
  Bench bench(config);
  HostQueue queue = bench.start(16);
  bench.medium.holds = true;
  for (u16 id = 0; id < 6; ++id) {
    Command command = Bench::blocks(read, id, 1, bench.memory.take(512));
    command.id = id;
    bench.put(queue, command);
  }
  bench.ring(queue);
  bench.run();
  bench.put(bench.admin, {.opcode = 0, .id = 500, .dword10 = 1});
  bench.ring(bench.admin);
  bench.run();
  EXPECT_FALSE(bench.poll(bench.admin));
  bench.medium.holds = false;
  bench.run();
  const auto deleted = bench.poll(bench.admin);
  ASSERT_TRUE(deleted);
  EXPECT_EQ(Bench::status_of(*deleted), status::success);
  for (int i = 0; i < 2; ++i) {
    const auto ended = bench.poll(queue);
    ASSERT_TRUE(ended);
    EXPECT_EQ(Bench::status_of(*ended), status::queue_deleted);
  }
  EXPECT_FALSE(bench.poll(queue));
  bench.controller.write(bench.doorbell(1, false), 4, 0);  // of a queue that is gone
  bench.run();
  EXPECT_FALSE(bench.poll(queue));
}

TEST(Deletion, does_not_wait_for_room_in_the_completion_queue) {
  Bench bench;
  bench.enable();
  HostQueue queue = bench.create(1, 16, 2);
  HostQueue other{.id = 2, .completions = 1, .ring = bench.memory.take(4096), .size = 16};
  EXPECT_EQ(bench.admin_outcome(bench.create_submission(2, other.ring, 16, 1)), status::success);
  for (u16 id = 0; id < 4; ++id) {
    bench.put(queue, {.opcode = flush, .id = id, .namespace_id = 1});
    bench.put(other, {.opcode = flush, .id = id, .namespace_id = 1});
  }
  bench.ring(queue);
  bench.run();
  bench.ring(other);
  bench.run();
  EXPECT_EQ(bench.admin_outcome({.opcode = 0, .dword10 = 1}), status::success);
  // One of the first queue's is in the ring; the other queue's come behind it.
  std::vector<u32> from;
  for (;;) {
    const auto completion = bench.poll(queue);
    if (!completion) break;
    from.push_back(completion->queue);
    bench.run();
  }
  EXPECT_EQ(from, (std::vector<u32>{1, 2, 2, 2, 2}));
  EXPECT_EQ(bench.admin_outcome({.opcode = 0, .dword10 = 2}), status::success);
  EXPECT_EQ(bench.admin_outcome({.opcode = 4, .dword10 = 1}), status::success);
}

}  // namespace
}  // namespace ew::storage
