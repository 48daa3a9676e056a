// Registers of a device, and .mmio accesses of memory: past every cache, each by itself, in program order; under every
// protocol.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../memory/scene.hpp"

namespace ew::coherence {
namespace {

constexpr Options on_register{.strong = true, .at_home = true, .host = true, .scope = Scope::sys, .mmio = true};
constexpr Options on_memory{.strong = true, .at_home = true, .scope = Scope::sys, .mmio = true};

class Mmio : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::string protocol() const { return std::string(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Protocols, Mmio, ::testing::ValuesIn(protocol_names()), test_name);

TEST_P(Mmio, every_access_reaches_the_device_and_no_cache_keeps_it) {
  for (const bool keep_host_lines : {false, true}) {
    BenchConfig config;
    config.home.keep_host_lines = keep_host_lines;
    Scene s(protocol(), 2, config);
    BenchDevice& device = *s.bench.devices.back();
    device.remember = true;
    const u64 x = s.bench.mmio + 64;
    s.write(0, x, 5, on_register);
    s.write(0, x, 5, on_register);
    EXPECT_EQ(s.read(0, x, on_register), 5u);
    EXPECT_EQ(s.read(1, x, on_register), 5u);
    EXPECT_EQ(s.read(1, x, on_register), 5u);
    EXPECT_EQ(s.value(1, s.add(1, x, 2, AccessKind::atomic, on_register)), 5u);
    EXPECT_NE(s.add(1, x, 2, AccessKind::reduction, on_register).accepted, Accepted::stalled);
    s.bench.run();
    EXPECT_EQ(s.image(x), 9u);
    ASSERT_EQ(device.served.size(), 7u);
    for (const DeviceRequest& request : device.served) {
      EXPECT_TRUE(request.mmio);
      EXPECT_EQ(request.bytes, 32u);
    }
    EXPECT_EQ(std::count_if(device.served.begin(), device.served.end(), [](const auto& r) { return r.write; }), 2);
    for (const auto& cache : s.bench.caches) {
      EXPECT_FALSE(cache->peek(x).valid);
      EXPECT_FALSE(cache->peek(x).owned);
    }
    EXPECT_EQ(s.bench.homes[0]->statistics().read_hits, 0u);
  }
}

TEST_P(Mmio, performed_where_the_device_is) {
  Scene s(protocol(), 2);
  const u64 x = s.bench.mmio, there = s.bench.network.latency + s.bench.devices.back()->latency;
  const auto first = s.store(0, x, 7, on_register);
  s.bench.run(there - 1);
  EXPECT_EQ(s.image(x), 0u);
  s.bench.run(1);
  EXPECT_EQ(s.image(x), 7u);
  EXPECT_FALSE(s.done(0, first).completed);
  s.bench.run();
  EXPECT_EQ(s.done(0, first).by, ServedBy::host);
  const auto second = s.load(1, x, on_register);
  s.bench.run(there - 1);
  EXPECT_EQ(s.done(1, second).value, 0u);
  const u32 fresh = 8;  // the device changes its register just before
  std::memcpy(reinterpret_cast<void*>(x), &fresh, sizeof fresh);
  EXPECT_EQ(s.value(1, second), 8u);
}

/// The first goes a long way, the second would overtake it.
TEST_P(Mmio, a_warps_accesses_are_performed_one_after_the_other) {
  BenchConfig config;
  config.slices = 2;
  constexpr std::array kinds{AccessKind::load, AccessKind::store, AccessKind::atomic, AccessKind::reduction};
  for (const AccessKind older : kinds)
    for (const AccessKind younger : kinds) {
      Scene s(protocol(), 2, config);
      const u64 x = s.bench.mmio;
      u64 y = x;
      while (&s.bench.home_of(y) == &s.bench.home_of(x)) y += 256;
      const Node far = static_cast<Node>(s.bench.config.agents + (&s.bench.home_of(x) == s.bench.homes[1].get()));
      s.slow = [&](Node from, Node to, const Request&) { return from == 0 && to == far ? 500 : 0; };
      const auto first = s.access(0, older, x, 4, 1, on_register);
      ASSERT_EQ(first.accepted, Accepted::pending);
      auto second = s.access(0, younger, y, 4, 2, on_register);
      EXPECT_EQ(second.accepted, Accepted::stalled);
      EXPECT_EQ(second.why, Stall::line);
      EXPECT_EQ(s.store(1, y, 3, on_register).accepted, Accepted::pending) << "another agent's does not wait";
      EXPECT_NE(s.load(0, s.line(0)).accepted, Accepted::stalled) << "nor does an access of memory";
      const u32 wakes = s.hands[0].wakes;
      s.bench.run();
      EXPECT_GT(s.hands[0].wakes, wakes);
      EXPECT_TRUE(s.done(0, first).completed);
      second = s.access(0, younger, y, 4, 2, on_register);
      EXPECT_EQ(second.accepted, Accepted::pending);
    }
}

TEST_P(Mmio, a_doorbell_behind_a_release_comes_after_what_was_written) {
  BenchConfig config;
  config.cache.drain_after = 0;
  Scene s(protocol(), 2, config);
  const u64 data = s.line(0), doorbell = s.bench.mmio;
  s.store(0, data, 42);
  s.release(0);
  s.bench.run();
  s.store(0, doorbell, 1, on_register);
  while (!s.image(doorbell)) ASSERT_TRUE(s.bench.step());
  EXPECT_EQ(s.read(1, data, Options{.strong = true, .at_home = true, .scope = Scope::sys}), 42u);
}

TEST_P(Mmio, of_memory_leaves_no_copy_and_no_owner) {
  BenchConfig config;
  config.cache.drain_after = 0;
  Scene s(protocol(), 2, config);
  const u64 x = s.line(0);
  EXPECT_EQ(s.read(0, x + 4), 0u);
  s.write(0, x, 3);
  EXPECT_EQ(s.read(0, x, on_memory), 3u) << "the agent's own bytes go first";
  EXPECT_EQ(s.image(x), 3u);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).valid);
  s.read(1, x);
  s.write(1, x + 4, 1);
  s.write(0, x, 9, on_memory);
  EXPECT_EQ(s.image(x), 9u);
  EXPECT_FALSE(s.bench.caches[0]->peek(x).owned);
  EXPECT_EQ(s.bench.home_of(x).directory(x).owner[0], no_agent);
  EXPECT_EQ(s.read(1, x, on_memory), 9u);
  EXPECT_EQ(s.read(0, x), 9u) << "no older copy of its own";
  s.write(0, x, 10);
  s.write(1, x, 11, on_memory);
  s.flush(0);
  EXPECT_EQ(s.read(1, x + 4, on_memory), 1u);
}

TEST_P(Mmio, waits_for_a_line_that_is_under_way) {
  Scene s(protocol(), 1);
  const u64 x = s.line(0);
  const auto weak_load = s.load(0, x);
  auto direct = s.store(0, x, 4, on_memory);
  if (direct.accepted == Accepted::stalled) {
    EXPECT_EQ(direct.why, Stall::line);
    s.bench.run();
    direct = s.store(0, x, 4, on_memory);
  }
  ASSERT_EQ(direct.accepted, Accepted::pending);
  s.bench.run();
  EXPECT_EQ(s.done(0, weak_load).value, 0u);
  EXPECT_EQ(s.read(0, x), 4u);
}

struct Log final : HomeObserver {
  void performed(const Request& request) override { all.push_back(request); }
  std::vector<Request> all;
};

/// Four agents, two homes, little room: each agent's accesses of registers are performed once, in its order.
TEST_P(Mmio, exactly_once_in_program_order) {
  Log log;
  BenchConfig config;
  config.slices = 2;
  config.home.mshrs = 3;
  config.observer = &log;
  Scene s(protocol(), 4, config);
  std::mt19937 random(7);
  s.slow = [&](Node, Node, const Request&) { return random() % 60; };
  constexpr u32 each = 300;
  u32 rounds = 0;
  std::array<std::vector<u32>, 4> accepted;
  std::array<u32, 4> adds{};
  const u64 counter = s.bench.mmio + 4000;
  while (std::any_of(accepted.begin(), accepted.end(), [](const auto& list) { return list.size() < each; })) {
    ASSERT_LT(++rounds, 2'000'000u) << s.bench.what_is_under_way();
    for (u32 agent = 0; agent < 4; ++agent) {
      if (random() % 2)
        s.access(agent, random() % 2 ? AccessKind::load : AccessKind::store, s.line(random() % 8), 4, 1, weak);
      if (accepted[agent].size() == each) continue;
      const AccessKind kind = static_cast<AccessKind>(random() % 4);
      const bool adding = kind == AccessKind::atomic || kind == AccessKind::reduction;
      const auto handle =
          s.access(agent, kind, adding ? counter : s.bench.mmio + random() % 900 * 4, 4, 1, on_register);
      if (handle.accepted == Accepted::stalled) continue;
      ASSERT_EQ(handle.accepted, Accepted::pending);
      accepted[agent].push_back(handle.number);
      adds[agent] += adding;
    }
    s.bench.step();
  }
  s.bench.run();
  std::array<std::vector<u32>, 4> performed;
  for (const Request& request : log.all)
    if (request.line >= s.bench.mmio && request.line < s.bench.mmio + 4096)
      performed[request.origin].push_back(request.access);
  for (u32 agent = 0; agent < 4; ++agent) EXPECT_EQ(performed[agent], accepted[agent]) << "agent " << agent;
  EXPECT_EQ(s.image(counter), adds[0] + adds[1] + adds[2] + adds[3]);
}

}  // namespace
}  // namespace ew::coherence
