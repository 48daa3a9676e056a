// What a home and a private cache take in cycles, messages and sectors.
#include <gtest/gtest.h>

#include "scene.hpp"

namespace ew::memory {
namespace {

constexpr u64 network = 10;  // BenchNetwork::latency

BenchConfig roomy(u32 requests_per_cycle = 1, u32 atomics_per_cycle = 1) {
  BenchConfig config;
  config.cache.mshrs = 64;
  config.cache.bytes = 16384;
  config.cache.ways = 0;
  config.cache.write_buffer = 64;
  config.cache.drain_after = 0;
  config.home.bytes = 8192;
  config.home.latency = 7;
  config.home.mshrs = 64;
  config.home.requests_per_cycle = requests_per_cycle;
  config.home.atomics_per_cycle = atomics_per_cycle;
  return config;
}

class Latency : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Latency, ::testing::ValuesIn(protocol_names()), test_name);

TEST_P(Latency, is_the_sum_of_its_parts) {
  Scene s(std::string(GetParam()), 2, roomy());
  const u64 x = s.line(0);
  const u64 device = s.bench.devices[0]->latency;
  const auto cold = s.load(0, x);
  const Cycle start = s.bench.wheel.now();
  s.bench.run();
  EXPECT_EQ(s.done(0, cold).when - start, network + device + 7 + network);
  s.flush(0);
  s.bench.run(1000);
  const auto warm = s.load(1, x);
  const Cycle again = s.bench.wheel.now();
  s.bench.run();
  const Cycle taken = s.done(1, warm).when - again;
  if (GetParam() == "mesi")  // the home asks the owner, which dropped the line in silence
    EXPECT_EQ(taken, network + 7 + network + network + 7 + network);
  else
    EXPECT_EQ(taken, network + 7 + network);
}

/// What a report of a deadlock says of a line that has not come.
TEST_P(Latency, a_line_under_way_is_told_with_who_waits_for_it) {
  Scene s(std::string(GetParam()), 1, roomy());
  s.load(0, s.line(1));
  const std::string text = s.bench.caches[0]->what_is_under_way();
  EXPECT_NE(text.find("1 parts wait, the first of access 0\n"), std::string::npos) << text;
  s.bench.run();
  EXPECT_EQ(s.bench.caches[0]->what_is_under_way(), "");
}

/// As long as the forward to the owner, its answer to the asker, the asker's receipt, and the home that takes that.
TEST(Home, counts_how_long_the_protocol_holds_a_line) {
  Scene s("mesi", 2, roomy());
  for (u32 times = 1; times <= 3; ++times) {
    s.write(times % 2, s.line(times), 7);
    s.bench.run(1000);
    EXPECT_EQ(s.read(1 - times % 2, s.line(times)), 7u);
    EXPECT_EQ(s.bench.homes[0]->statistics().held_cycles, times * (3 * network + 7));
  }
}

TEST(Home, takes_so_many_requests_a_cycle) {
  for (const u32 rate : {1u, 2u, 4u}) {
    Scene s("gpu", 8, roomy(rate));
    for (u32 i = 0; i < 4; ++i) s.read(0, s.line(i) + 32 * (i % 4));
    s.bench.run(100);
    std::vector<Scene::Handle> loads;
    const Cycle start = s.bench.wheel.now();
    for (u32 i = 0; i < 8; ++i) loads.push_back(s.load(i, s.line(i % 4) + 32 * (i % 4), strong));
    s.bench.run();
    for (u32 i = 0; i < 8; ++i) EXPECT_EQ(s.done(i, loads[i]).when - start, network + i / rate + 7 + network);
  }
}

/// 32 lanes add to these words of a line: cycles until a load that came right behind has been answered, and until the
/// addition has.
std::pair<Cycle, Cycle> add_and_load(const BenchConfig& config, WordMask words) {
  Scene s("gpu", 2, config);
  s.read(0, s.line(0));
  s.bench.run(100);
  Stall why;
  s.hands[0].all.push_back({AccessKind::atomic, 0, 4, 1});
  s.hands[1].all.push_back({AccessKind::load, 0, 4});
  LineAccess add{.line = s.line(0), .place = s.place(0), .words = words, .access = 1, .kind = AccessKind::atomic};
  add.strong = true;
  add.lanes = 32;
  LineAccess load{.line = s.line(0), .place = s.place(0), .words = 1, .access = 0, .kind = AccessKind::load};
  load.strong = true;
  const Cycle start = s.bench.wheel.now();
  EXPECT_EQ(s.bench.caches[0]->access(add, why), Accepted::pending);
  EXPECT_EQ(s.bench.caches[1]->access(load, why), Accepted::pending);
  s.bench.run();
  EXPECT_EQ(s.hands[1].all[0].value, 1u);
  EXPECT_EQ(s.bench.homes[0]->statistics().atomic_lanes, 32u);
  return {s.hands[1].all[0].when - start, s.hands[0].all[1].when - start};
}

TEST(Home, takes_so_many_lanes_of_an_atomic_a_cycle) {
  for (const u32 rate : {1u, 4u})
    EXPECT_EQ(add_and_load(roomy(1, rate), 0xff).first, network + 32 / rate + 7 + network);
}

TEST(Home, takes_lanes_of_an_atomic_on_one_word_in_turn) {
  BenchConfig config = roomy(1, 32);
  EXPECT_EQ(add_and_load(config, 1).first, network + 32 + 7 + network);
  EXPECT_EQ(add_and_load(config, 0xff).first, network + 4 + 7 + network);
  config.home.atomic_interval = 130;
  EXPECT_EQ(add_and_load(config, 1).first, network + 42 + 7 + network);
}

TEST(Home, answers_an_atomic_later_than_a_load) {
  BenchConfig config = roomy();
  config.home.atomic_latency = 50;
  const auto [load, add] = add_and_load(config, 1);
  EXPECT_EQ(load, network + 32 + 7 + network) << "behind the addition's turns";
  EXPECT_EQ(add, network + 7 + 50 + network);
}

/// Stores are no faster than the memory: behind so many writes that wait for it, no dirty line makes room.
TEST(Home, evicts_no_dirty_line_while_its_device_is_full_of_writes) {
  const auto most_waiting = [](u32 evictions) {
    BenchConfig config = roomy();
    config.home.bytes = 2048;
    config.home.ways = 4;
    config.home.evictions = evictions;
    config.data_bytes = 64 * 128;
    Scene s("gpu", 1, config);
    s.bench.devices[0]->room = 1;
    s.bench.devices[0]->latency = 200;
    for (u32 i = 0; i < 64; ++i) s.store(0, s.line(i), i);
    s.bench.caches[0]->release(Scope::gpu, 1, core::nobody, 0);
    u64 most = 0;
    while (s.bench.step()) {
      const std::string text = s.bench.homes[0]->what_is_under_way();
      const std::size_t at = text.find(" requests wait for room at their devices");
      if (at == text.npos) continue;
      const std::size_t begin = text.rfind(' ', at - 1) + 1;
      most = std::max<u64>(most, std::stoull(text.substr(begin, at - begin)));
    }
    EXPECT_TRUE(s.bench.quiescent()) << s.bench.what_is_under_way();
    for (u32 i = 0; i < 64; ++i) EXPECT_EQ(s.read(0, s.line(i)), i);
    return most;
  };
  EXPECT_EQ(most_waiting(2), 2u);
  EXPECT_EQ(most_waiting(5), 5u);
  EXPECT_GT(most_waiting(1000), 20u);
}

TEST(Home, asks_the_device_for_missing_sectors_together) {
  Scene s("gpu", 2, roomy());
  BenchDevice& device = *s.bench.devices[0];
  device.remember = true;
  s.read(0, s.line(0) + 32);
  ASSERT_EQ(device.served.size(), 1u);
  EXPECT_EQ(device.served[0].bytes, 32u);
  EXPECT_EQ(device.served[0].address % 128, 32u);
  s.acquire(0);
  s.load(0, s.line(0), weak, 4), s.bench.run(1), s.load(0, s.line(0) + 64, weak, 4), s.bench.run(1);
  s.load(0, s.line(0) + 92, weak, 8);
  s.bench.run();
  ASSERT_EQ(device.served.size(), 4u);  // sectors 0, 2, 3: the second is there
  for (const DeviceRequest& request : device.served) EXPECT_FALSE(request.write);
  s.read(1, s.line(1), weak, 8);
  EXPECT_EQ(device.served.back().bytes, 32u);
  EXPECT_EQ(s.bench.homes[0]->statistics().sectors_fetched, 5u);
}

TEST(Home, writes_allocate_without_fetching_and_leave_by_sectors) {
  BenchConfig config = roomy();
  config.home.bytes = 256;
  config.home.ways = 2;
  Scene s("gpu", 1, config);
  BenchDevice& device = *s.bench.devices[0];
  device.remember = true;
  s.write(0, s.line(0) + 4, 1, strong, 1);   // in part of sector 0
  s.write(0, s.line(0) + 96, 2, strong, 4);  // and of sector 3
  EXPECT_TRUE(device.served.empty());
  s.write(0, s.line(1), 3, strong);
  s.write(0, s.line(2), 4, strong);  // evicts line 0, the least recently used
  ASSERT_EQ(device.served.size(), 2u);
  for (const DeviceRequest& request : device.served) {
    EXPECT_TRUE(request.write);
    EXPECT_EQ(request.bytes, 32u);
    EXPECT_EQ(request.client, nullptr);
  }
  EXPECT_EQ(device.served[1].address - device.served[0].address, 96u);
  EXPECT_EQ(s.bench.homes[0]->statistics().lines_evicted, 1u);
  EXPECT_EQ(s.bench.homes[0]->statistics().sectors_written, 2u);
}

TEST(Home, a_sector_that_was_written_in_part_is_fetched_before_it_is_read) {
  Scene s("gpu", 2, roomy());
  s.write(0, s.line(0), 1, strong);
  const auto load = s.load(1, s.line(0), strong, 8);
  s.bench.run();
  EXPECT_EQ(s.done(1, load).by, ServedBy::device);
  EXPECT_EQ(s.done(1, load).value, 1u);
  for (u32 word = 0; word < 8; ++word) s.write(0, s.line(1) + 4 * word, word, strong);
  const auto whole = s.load(1, s.line(1), strong, 8);
  s.bench.run();
  EXPECT_EQ(s.done(1, whole).by, ServedBy::home) << "every byte of the sector was written";
}

TEST(Home, a_displaced_line_is_fetched_anew_but_for_its_dirty_sectors) {
  Scene s("gpu", 2, roomy());
  const auto by = [&](u64 address) {
    const auto load = s.load(1, address, at_home);
    s.bench.run();
    return s.done(1, load).by;
  };
  const u64 x = s.line(0);
  EXPECT_EQ(by(x), ServedBy::device);
  EXPECT_EQ(by(x), ServedBy::home);
  s.bench.network.displaced = true;
  EXPECT_EQ(by(x), ServedBy::device);
  s.bench.network.displaced = false;
  EXPECT_EQ(by(x), ServedBy::home);
  for (u32 word = 0; word < 8; ++word) s.write(0, x + 4 * word, word, strong);
  s.bench.network.displaced = true;
  EXPECT_EQ(by(x + 8), ServedBy::home);
  EXPECT_EQ(s.read(1, x + 8, at_home), 2u);
}

TEST(Home, write_back_all_leaves_copies) {
  Scene s("gpu", 1, roomy());
  s.write(0, s.line(0), 1, strong);
  s.bench.homes[0]->write_back_all();
  s.bench.run();
  EXPECT_EQ(s.bench.devices[0]->statistics().writes, 1u);
  s.bench.homes[0]->write_back_all();
  EXPECT_EQ(s.bench.devices[0]->statistics().writes, 1u);
  s.read(0, s.line(0) + 32);
  EXPECT_EQ(s.bench.homes[0]->statistics().lines_evicted, 0u);
}

TEST(Home, host_lines_are_kept_where_the_machine_says_so) {
  for (const bool keep : {false, true}) {
    BenchConfig config = roomy();
    config.home.keep_host_lines = keep;
    Scene s("gpu", 1, config);
    const Options host{.host = true, .scope = Scope::sys};
    for (u32 i = 0; i < 3; ++i) s.read(0, s.bench.host, host);
    EXPECT_EQ(s.bench.devices.back()->statistics().reads, keep ? 1u : 3u);
    s.write(0, s.bench.host, 1, host);
    EXPECT_EQ(s.bench.devices.back()->statistics().writes, keep ? 0u : 1u);
  }
}

TEST(Home, more_lines_than_mshrs_wait_in_order) {
  BenchConfig config = roomy();
  config.home.mshrs = 2;
  Scene s("gpu", 1, config);
  std::vector<Scene::Handle> loads;
  const Cycle start = s.bench.wheel.now();
  for (u32 i = 0; i < 6; ++i) loads.push_back(s.load(0, s.line(i)));
  s.bench.run();
  const u64 device = s.bench.devices[0]->latency;
  for (u32 i = 0; i < 6; ++i) EXPECT_GE(s.done(0, loads[i]).when - start, network + (i / 2 + 1) * device + 7 + network);
  EXPECT_LT(s.done(0, loads[5]).when - start, network + 4 * device + 7 + network);
  EXPECT_GE(s.bench.homes[0]->statistics().waited, 4u);
}

TEST(PrivateCache, a_bank_takes_one_access_a_cycle) {
  BenchConfig config = roomy();
  config.cache.banks = 2;
  Scene s("gpu", 1, config);
  s.read(0, s.line(0)), s.read(0, s.line(1)), s.read(0, s.line(2));
  s.bench.run(100);
  Stall why = Stall::none;
  const auto access = [&](u32 line) {
    s.hands[0].all.push_back({AccessKind::load, 0, 4});
    const LineAccess a{.line = s.line(line),
                       .place = s.place(line),
                       .words = 1,
                       .access = static_cast<u32>(s.hands[0].all.size() - 1),
                       .kind = AccessKind::load};
    return s.bench.caches[0]->access(a, why);
  };
  EXPECT_EQ(access(0), Accepted::performed);
  EXPECT_EQ(access(1), Accepted::performed);
  EXPECT_EQ(access(2), Accepted::stalled);
  EXPECT_EQ(why, Stall::bank);
  s.bench.run(1);
  EXPECT_EQ(access(2), Accepted::performed);
}

TEST(PrivateCache, a_bank_moves_so_many_bytes_a_cycle) {
  BenchConfig config = roomy();
  config.cache.banks = 1;
  config.cache.bank_bytes = 8;
  Scene s("gpu", 1, config);
  s.read(0, s.line(0));
  s.bench.run(100);
  const auto access = [&](WordMask words) {
    s.hands[0].all.push_back({AccessKind::load, 0, 4});
    const u32 number = static_cast<u32>(s.hands[0].all.size() - 1);
    Stall why = Stall::none;
    return s.bench.caches[0]->access({.line = s.line(0), .place = s.place(0), .words = words, .access = number}, why);
  };
  EXPECT_EQ(access(0x1f), Accepted::performed);  // 20 bytes
  s.bench.run(2);
  EXPECT_EQ(access(0x1), Accepted::stalled);
  s.bench.run(1);
  EXPECT_EQ(access(0x1), Accepted::performed);
  s.bench.run(1);
  EXPECT_EQ(access(0x1), Accepted::performed);
}

TEST(PrivateCache, half_of_the_store_buffer_is_for_lines_on_their_way) {
  BenchConfig config = roomy();
  config.cache.write_buffer = 4;
  Scene s("gpu", 1, config);
  for (u32 i = 0; i < 2; ++i) EXPECT_EQ(s.store(0, s.line(i), i).accepted, Accepted::performed);
  EXPECT_EQ(s.bench.caches[0]->statistics().lines_written, 0u);
  EXPECT_EQ(s.store(0, s.line(2), 2).accepted, Accepted::performed);
  EXPECT_EQ(s.bench.caches[0]->statistics().lines_written, 1u) << "the oldest leaves";
  EXPECT_EQ(s.store(0, s.line(3), 3).accepted, Accepted::performed);
  const auto full = s.store(0, s.line(4), 4);
  EXPECT_EQ(full.accepted, Accepted::stalled);
  EXPECT_EQ(full.why, Stall::write_buffer);
  EXPECT_EQ(s.store(0, s.line(3) + 4, 1).accepted, Accepted::performed) << "a written line takes more";
  s.bench.run();
  EXPECT_EQ(s.store(0, s.line(4), 4).accepted, Accepted::performed);
}

TEST(PrivateCache, stores_of_a_line_leave_as_one_message) {
  Scene s("gpu", 1, roomy());
  for (u32 word = 0; word < 32; ++word) s.store(0, s.line(0) + 4 * word, word), s.bench.run(1);
  s.release(0);
  EXPECT_EQ(s.bench.network.statistics().messages[static_cast<u32>(memory::Traffic::write)], 2u);  // and the answer
  EXPECT_EQ(s.bench.network.data_bytes(memory::Traffic::write), 128u);
  EXPECT_EQ(s.bench.homes[0]->statistics().written_bytes, 128u);
}

TEST(PrivateCache, loads_of_a_line_merge) {
  BenchConfig config = roomy();
  config.cache.merges = 3;
  Scene s("gpu", 1, config);
  const auto first = s.load(0, s.line(0));
  const auto second = s.load(0, s.line(0) + 4);
  const auto third = s.load(0, s.line(0) + 64);
  EXPECT_EQ(s.load(0, s.line(0) + 8).why, Stall::merge);
  s.bench.run();
  EXPECT_EQ(s.done(0, first).by, ServedBy::device);
  EXPECT_EQ(s.done(0, second).by, ServedBy::merged);
  EXPECT_EQ(s.done(0, third).by, ServedBy::device) << "another sector is another request";
  EXPECT_EQ(s.bench.homes[0]->statistics().reads, 2u);
}

TEST(Hits, cost_no_event_and_say_so) {
  for (const coherence::Model& model : coherence::models()) {
    Scene s(std::string(model.name), 1);
    if (!s.bench.model.agent.keeps_copies()) continue;
    const u64 x = s.line(0);
    s.read(0, x);
    s.bench.run(20);
    const u64 events = s.bench.wheel.executed();
    EXPECT_EQ(s.load(0, x).accepted, Accepted::performed);
    EXPECT_EQ(s.bench.wheel.executed(), events);
    EXPECT_EQ(s.bench.wheel.pending(), 0u);
  }
}

TEST(Hits, are_served_where_they_should_be) {
  Scene s("mesi", 3);
  const u64 x = s.line(0);
  const auto cold = s.load(0, x);
  s.bench.run();
  EXPECT_EQ(s.done(0, cold).by, ServedBy::device);
  s.store(0, x, 1);
  s.bench.run();
  const auto remote = s.load(1, x);
  s.bench.run();
  EXPECT_EQ(s.done(1, remote).by, ServedBy::remote_cache);
  const auto home = s.load(2, x), merged = s.load(2, x + 4);
  s.bench.run();
  EXPECT_EQ(s.done(2, home).by, ServedBy::home);
  EXPECT_EQ(s.done(2, merged).by, ServedBy::merged);
  const auto host = s.load(2, s.bench.host, {.host = true, .scope = Scope::none});
  s.bench.run();
  EXPECT_EQ(s.done(2, host).by, ServedBy::host);
}

TEST(Impossible, messages_say_what_they_are) {
  Scene s("mesi", 1);
  Request answer{.line = s.line(3), .ticket = 5};
  answer.kind = RequestKind::data;
  EXPECT_DEATH(s.bench.caches[0]->receive(answer), "impossible: an answer to no request: data of line 0x.*ticket 5");
  EXPECT_DEATH(s.bench.homes[0]->receive(answer), "an answer came to a home");
  answer.kind = RequestKind::probe_answer;
  EXPECT_DEATH(s.bench.homes[0]->receive(answer), "an answer to no probe");
}

}  // namespace
}  // namespace ew::memory
