// Registers, enabling, reset and shutdown; the administrator's commands.
#include "storage_bench.hpp"

namespace ew::storage {
namespace {

constexpr u32 ready = 1, fatal = 2, shutdown_occurs = 1 << 2, shut_down = 2 << 2;

TEST(Registers, say_what_the_controller_can) {
  BenchConfig config;
  config.controller.entries = 1000;
  config.controller.doorbell_stride = 2;
  Bench bench(config);
  const u64 capabilities = bench.controller.read(0, 8);
  EXPECT_EQ(capabilities & 0xffff, 999u);       // MQES
  EXPECT_EQ(capabilities >> 16 & 1, 1u);        // CQR
  EXPECT_EQ(capabilities >> 32 & 0xf, 2u);      // DSTRD
  EXPECT_EQ(capabilities >> 37 & 0xff, 1u);     // CSS
  EXPECT_EQ(capabilities >> 48 & 0xff, 0x40u);  // pages of 4 to 64 KiB
  EXPECT_EQ(bench.controller.read(0, 4) | bench.controller.read(4, 4) << 32, capabilities);
  EXPECT_EQ(bench.controller.read(8, 4), 0x10400u);
  EXPECT_EQ(bench.controller.read(2, 4), 0u);
  bench.controller.write(0x28, 4, 0x1234'5000);
  bench.controller.write(0x2c, 4, 0x77);
  EXPECT_EQ(bench.controller.read(0x28, 8), 0x77'1234'5000u);
  // 128 pairs and the administrator's, 16 bytes each doorbell.
  EXPECT_EQ(window_bytes(config.controller), 16'384u);
}

TEST(Registers, ready_once_enabled_and_not_before_a_reset_has_ended) {
  Bench bench;
  EXPECT_EQ(bench.status(), 0u);
  HostQueue queue = bench.start();
  EXPECT_EQ(bench.status(), ready);
  bench.medium.holds = true;
  bench.put(queue, Bench::blocks(2, 0, 1, bench.memory.take(4096)));
  bench.ring(queue);
  bench.run();
  bench.controller.write(0x14, 4, 0);
  bench.run();
  EXPECT_EQ(bench.status(), ready) << "the medium still works";
  bench.medium.holds = false;
  bench.run();
  EXPECT_EQ(bench.status(), 0u);
  EXPECT_FALSE(bench.poll(queue)) << "nothing is completed after a reset";
  bench.start();
  EXPECT_EQ(bench.status(), ready);
}

TEST(Registers, a_configuration_that_cannot_be_is_fatal_until_a_reset) {
  const auto status_with = [](u32 configuration, u64 submissions, u32 sizes) {
    Bench bench;
    bench.controller.write(0x24, 4, sizes);
    bench.controller.write(0x28, 8, submissions);
    bench.controller.write(0x30, 8, BenchMemory::base + 65'536);
    bench.controller.write(0x14, 4, configuration);
    const u32 status = bench.status();
    bench.controller.write(0x14, 4, 0);
    EXPECT_EQ(bench.status(), 0u);
    bench.enable();
    EXPECT_EQ(bench.status(), ready);
    return status;
  };
  constexpr u32 usual = 1 | 6 << 16 | 4 << 20, sizes = 7 << 16 | 7;
  EXPECT_EQ(status_with(usual, BenchMemory::base, sizes), ready);
  EXPECT_TRUE(status_with(usual | 5 << 7, BenchMemory::base, sizes) & fatal) << "pages of 128 KiB";
  EXPECT_TRUE(status_with(usual | 1 << 4, BenchMemory::base, sizes) & fatal) << "another command set";
  EXPECT_TRUE(status_with(usual | 1 << 11, BenchMemory::base, sizes) & fatal) << "weighted arbitration";
  EXPECT_TRUE(status_with(usual, BenchMemory::base + 64, sizes) & fatal) << "a ring that begins inside a page";
  EXPECT_TRUE(status_with(usual, 4096, sizes) & fatal) << "a ring where no memory is";
  EXPECT_TRUE(status_with(usual, BenchMemory::base, 7 << 16) & fatal) << "a queue of one entry";
}

TEST(Shutdown, a_normal_one_flushes_and_an_abrupt_one_does_not) {
  for (const bool abrupt : {false, true}) {
    BenchConfig config{.cached_blocks = 64};
    config.controller.volatile_cache = true;
    Bench bench(config);
    HostQueue queue = bench.start();
    const u64 data = bench.memory.take(4096);
    EXPECT_EQ(bench.outcome(queue, Bench::blocks(1, 7, 8, data)), status::success);
    EXPECT_EQ(bench.contents.cached(), 8u);
    bench.controller.write(0x14, 4, 1 | (abrupt ? 2 : 1) << 14 | 6 << 16 | 4 << 20);
    EXPECT_EQ(bench.status(), ready | (abrupt ? shut_down : shutdown_occurs));
    bench.run();
    EXPECT_EQ(bench.status(), ready | shut_down);
    EXPECT_EQ(bench.contents.cached(), abrupt ? 8u : 0u);
    bench.put(queue, Bench::blocks(0, 0, 1));
    bench.ring(queue);
    bench.run();
    EXPECT_FALSE(bench.poll(queue)) << "nothing is fetched after a shutdown";
    bench.controller.write(0x14, 4, 0);
    bench.run();
    EXPECT_EQ(bench.status(), 0u);
  }
}

TEST(Shutdown, an_abrupt_one_ends_reads_under_way_with_power_loss) {
  Bench bench;
  HostQueue queue = bench.start();
  bench.medium.holds = true;
  bench.put(queue, Bench::blocks(2, 0, 1, bench.memory.take(4096)));
  bench.ring(queue);
  bench.run();
  bench.controller.write(0x14, 4, 1 | 2 << 14 | 6 << 16 | 4 << 20);
  EXPECT_EQ(bench.status(), ready | shutdown_occurs);
  bench.medium.holds = false;
  bench.run();
  const auto completion = bench.poll(queue, true);
  ASSERT_TRUE(completion);
  EXPECT_EQ(Bench::status_of(*completion), status::power_loss);
}

TEST(Identify, describes_controller_and_namespace) {
  BenchConfig config;
  config.controller.block = 4096;
  config.controller.transfer_pages = 64;
  config.controller.volatile_cache = true;
  config.controller.atomic_blocks = 4;
  Bench bench(config);
  HostQueue queue = bench.start();
  // In two pages, from the middle of the first on.
  const u64 to = bench.memory.take(8192);
  const Command identify{.opcode = 6, .prp1 = to + 1024, .prp2 = to + 4096, .dword10 = 1};
  ASSERT_EQ(bench.admin_outcome(identify), status::success);
  const u8* data = bench.memory.at(to + 1024);
  EXPECT_EQ(std::string(data + 4, data + 8), "S1  ");
  EXPECT_EQ(std::string(data + 24, data + 30), "bench ");
  EXPECT_EQ(data[77], 6);  // MDTS: 64 pages
  EXPECT_EQ(data[512], 0x66);
  EXPECT_EQ(data[513], 0x44);
  EXPECT_EQ(data[525], 1);
  EXPECT_EQ(data[528], 3);
  Command of_namespace{.opcode = 6, .namespace_id = 1, .prp1 = to};
  ASSERT_EQ(bench.admin_outcome(of_namespace), status::success);
  EXPECT_EQ(bench.memory.get<u64>(to), 4096u);
  EXPECT_EQ(bench.memory.get<u64>(to + 16), 0u) << "no block is in use";
  EXPECT_EQ(bench.memory.get<u32>(to + 128), 12u << 16);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(1, 5, 2, to, to + 4096)), status::success);
  ASSERT_EQ(bench.admin_outcome(of_namespace), status::success);
  EXPECT_EQ(bench.memory.get<u64>(to + 16), 2u);
  ASSERT_EQ(bench.admin_outcome({.opcode = 6, .prp1 = to, .dword10 = 2}), status::success);
  EXPECT_EQ(bench.memory.get<u64>(to), 1u) << "one namespace, its number is 1";
  ASSERT_EQ(bench.admin_outcome({.opcode = 6, .namespace_id = 1, .prp1 = to, .dword10 = 2}), status::success);
  EXPECT_EQ(bench.memory.get<u64>(to), 0u) << "none above 1";
  ASSERT_EQ(bench.admin_outcome({.opcode = 6, .namespace_id = 1, .prp1 = to, .dword10 = 3}), status::success);
  EXPECT_EQ(bench.memory.get<u16>(to), 0x1003);
  of_namespace.namespace_id = 2;
  EXPECT_EQ(bench.admin_outcome(of_namespace), status::invalid_namespace);
  EXPECT_EQ(bench.admin_outcome({.opcode = 6, .prp1 = to, .dword10 = 0x10}), status::invalid_field);
}

TEST(Features, are_set_and_read_and_a_reset_brings_the_defaults_back) {
  BenchConfig config;
  config.controller.volatile_cache = true;
  Bench bench(config);
  bench.enable();
  const auto get = [&](u32 feature, u32 select = 0) {
    return bench.execute(bench.admin, {.opcode = 0x0a, .dword10 = feature | select << 8}).result;
  };
  const auto set = [&](u32 feature, u32 value) {
    return bench.admin_outcome({.opcode = 0x09, .namespace_id = ~0u, .dword10 = feature, .dword11 = value});
  };
  EXPECT_EQ(get(7), 127u << 16 | 127);
  EXPECT_EQ(set(7, 3 << 16 | 9), status::success);
  EXPECT_EQ(get(7), 3u << 16 | 9);
  EXPECT_EQ(set(7, 500 << 16 | 500), status::success);
  EXPECT_EQ(get(7), 127u << 16 | 127) << "no more than there are";
  EXPECT_EQ(set(7, 0xffff), status::invalid_field);
  EXPECT_EQ(get(6), 1u);
  EXPECT_EQ(set(6, 0), status::success);
  EXPECT_EQ(get(6), 0u);
  EXPECT_EQ(get(6, 1), 1u) << "the default";
  EXPECT_EQ(set(1, 3), status::success);
  EXPECT_EQ(get(1), 3u);
  EXPECT_EQ(set(4, 300), status::success);
  EXPECT_EQ(get(4), 300u);
  EXPECT_EQ(set(0x99, 0), status::invalid_field);
  EXPECT_EQ(set(1 | 1u << 31, 0), status::not_saveable);
  EXPECT_EQ(set(2, 5), status::invalid_field) << "there is one power state";
  bench.controller.write(0x14, 4, 0);
  bench.enable();
  EXPECT_EQ(get(6), 1u);
  EXPECT_EQ(get(1), 0u);
  bench.create(1, 4, 4);
  EXPECT_EQ(set(7, 0), status::sequence_error);
}

TEST(Features, without_a_volatile_cache_there_is_no_such_feature) {
  Bench bench;
  bench.enable();
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x0a, .dword10 = 6}), status::invalid_field);
}

TEST(Administrator, refuses_what_no_queue_can_be) {
  BenchConfig config;
  config.controller.queues = 4;
  config.controller.entries = 100;
  Bench bench(config);
  bench.enable(32);
  const u64 ring = bench.memory.take(65'536, 65'536);
  const auto completion = [&](u32 id, u32 size) { return bench.create_completion(id, ring, size); };
  EXPECT_EQ(bench.admin_outcome(completion(0, 8)), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome(completion(5, 8)), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome(completion(1, 1)), status::invalid_queue_size);
  EXPECT_EQ(bench.admin_outcome(completion(1, 101)), status::invalid_queue_size);
  Command scattered = completion(1, 8);
  scattered.dword11 = 0;
  EXPECT_EQ(bench.admin_outcome(scattered), status::invalid_field);
  Command inside = completion(1, 8);
  inside.prp1 += 64;
  EXPECT_EQ(bench.admin_outcome(inside), status::invalid_prp_offset);
  Command nowhere = completion(1, 8);
  nowhere.prp1 = 4096;
  EXPECT_EQ(bench.admin_outcome(nowhere), status::transfer_error);
  Command vector = completion(1, 8);
  vector.dword11 = 1 | 2 | 77 << 16;
  EXPECT_EQ(bench.admin_outcome(vector), status::invalid_vector);
  EXPECT_EQ(bench.admin_outcome(completion(1, 100)), status::success);
  EXPECT_EQ(bench.admin_outcome(completion(1, 8)), status::invalid_queue_id) << "it exists";
  EXPECT_EQ(bench.admin_outcome(bench.create_submission(1, ring, 8, 2)), status::queue_invalid);
  EXPECT_EQ(bench.admin_outcome(bench.create_submission(1, ring, 8, 0)), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome(bench.create_submission(1, ring, 8, 9)), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome(bench.create_submission(3, ring, 8, 1)), status::success);
  EXPECT_EQ(bench.admin_outcome(bench.create_submission(3, ring, 8, 1)), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x04, .dword10 = 1}), status::invalid_deletion) << "still used";
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x04, .dword10 = 2}), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x00, .dword10 = 2}), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x00, .dword10 = 0}), status::invalid_queue_id);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x00, .dword10 = 3}), status::success);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x04, .dword10 = 1}), status::success);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x77}), status::invalid_opcode);
  EXPECT_EQ(bench.admin_outcome({.opcode = 0x06, .flags = 0x40, .dword10 = 1}), status::invalid_field);
}

TEST(Events, wait_for_a_request_and_are_told_once_until_the_log_is_read) {
  Bench bench;
  bench.enable();
  const auto request = [&](u16 id) {
    bench.put(bench.admin, {.opcode = 0x0c, .id = id});
    bench.ring(bench.admin);
    bench.run();
  };
  for (u16 id = 1; id <= 4; ++id) request(id);
  EXPECT_FALSE(bench.poll(bench.admin));
  request(5);
  auto completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->id, 5);
  EXPECT_EQ(Bench::status_of(*completion), status::event_limit);
  // A doorbell of a queue that does not exist, then a value that cannot be.
  bench.controller.write(bench.doorbell(9, false), 4, 1);
  bench.controller.write(bench.doorbell(0, false), 4, 1000);
  bench.run();
  completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->id, 1);
  EXPECT_EQ(completion->result, 0x01'00'00u);
  EXPECT_FALSE(bench.poll(bench.admin)) << "the second is of the same type";
  const u64 to = bench.memory.take(4096);
  const Command keeps{.opcode = 2, .prp1 = to, .dword10 = 1 | 1 << 15 | 15 << 16};
  EXPECT_EQ(bench.admin_outcome(keeps), status::success);
  EXPECT_EQ(bench.memory.get<u64>(to), 1u) << "one command has failed";
  bench.run();
  EXPECT_FALSE(bench.poll(bench.admin));
  bench.put(bench.admin, {.opcode = 2, .id = 700, .prp1 = to, .dword10 = 1 | 15 << 16});
  bench.ring(bench.admin);
  bench.run();
  completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  if (completion->id == 700) completion = bench.poll(bench.admin);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->id, 2);
  EXPECT_EQ(completion->result, 0x01'01'00u);
}

TEST(Events, a_temperature_above_the_threshold) {
  Bench bench;
  bench.enable();
  bench.put(bench.admin, {.opcode = 0x0c, .id = 77});
  bench.ring(bench.admin);
  bench.run();
  EXPECT_FALSE(bench.poll(bench.admin));
  bench.put(bench.admin, {.opcode = 0x09, .id = 78, .dword10 = 4, .dword11 = 300});
  bench.ring(bench.admin);
  bench.run();
  bool told = false;
  while (const auto completion = bench.poll(bench.admin))
    if (completion->id == 77) told = completion->result == (2u << 16 | 1u << 8 | 1);
  EXPECT_TRUE(told);
}

TEST(LogPages, count_what_was_read_and_written) {
  Bench bench;
  HostQueue queue = bench.start();
  const u64 to = bench.memory.take(8192);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bench.outcome(queue, Bench::blocks(1, 0, 8, to)), status::success);
  EXPECT_EQ(bench.outcome(queue, Bench::blocks(2, 0, 8, to)), status::success);
  ASSERT_EQ(bench.admin_outcome({.opcode = 2, .prp1 = to, .dword10 = 2 | 127 << 16}), status::success);
  EXPECT_EQ(bench.memory.get<u16>(to + 1), 313);
  EXPECT_EQ(bench.memory.get<u64>(to + 64), 1u);
  EXPECT_EQ(bench.memory.get<u64>(to + 80), 3u);
  // From byte 64 on.
  ASSERT_EQ(bench.admin_outcome({.opcode = 2, .prp1 = to, .dword10 = 2 | 7 << 16, .dword12 = 64}), status::success);
  EXPECT_EQ(bench.memory.get<u64>(to), 1u);
  EXPECT_EQ(bench.admin_outcome({.opcode = 2, .prp1 = to, .dword10 = 0x7f}), status::invalid_log_page);
  EXPECT_EQ(bench.admin_outcome({.opcode = 2, .prp1 = to, .dword10 = 2, .dword12 = 2}), status::invalid_field);
}

}  // namespace
}  // namespace ew::storage
