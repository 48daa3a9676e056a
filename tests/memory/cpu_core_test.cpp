// A core of the host beside SMs, under every protocol: the image is current when a load is over, nobody has a copy of
// what a store has written, and nobody's bytes are lost.
#include "memory/cpu_core.hpp"

#include <random>

#include "scene.hpp"

namespace ew::memory {
namespace {

/// Two SMs, and the core at a node of its own.
class HostScene : public Scene {
 public:
  explicit HostScene(std::string_view protocol, BenchConfig config = {})
      : Scene(std::string(protocol), 3, config),
        core({.wheel = bench.wheel,
              .payloads = bench.payloads,
              .network = bench.network,
              .policy = bench.model.agent,
              .map = bench.map(),
              .id = 2,
              .agents = bench.config.agents,
              .line = bench.config.cache.line},
             [this] { ++over; }) {
    bench.network.attach(2, core);
  }
  ~HostScene() {
    core.let_go();
    bench.run();
    EXPECT_TRUE(core.quiescent()) << core.what_is_under_way();
  }

  /// Until the access is over, and to the end of that cycle: there the machine stands still.
  void host(u64 address, u64 bytes, bool store) {
    const u32 before = over;
    core.start(address, bytes, store);
    while (core.busy())
      if (!bench.step()) break;
    ASSERT_FALSE(core.busy()) << core.what_is_under_way() << bench.what_is_under_way();
    EXPECT_EQ(over, before + 1);
  }
  u32 host_load(u64 address) {
    host(address, 4, false);
    return image(address);
  }
  void host_store(u64 address, u32 value) {
    host(address, 4, true);
    std::memcpy(reinterpret_cast<void*>(address), &value, 4);
    core.let_go();
  }
  bool tracked() const { return bench.model.home().tracks(); }

  CpuCore core;
  u32 over = 0;
};

class HostCore : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, HostCore, ::testing::ValuesIn(protocol_names()), test_name);

TEST_P(HostCore, a_load_finds_what_an_owner_wrote) {
  HostScene s(GetParam());
  const u64 x = s.line(0) + 8;
  s.write(0, x, 77);
  s.release(0);
  EXPECT_EQ(s.image(x) == 77, !s.tracked());
  EXPECT_EQ(s.host_load(x), 77u);
  EXPECT_EQ(s.core.statistics().loads, 1u);
  EXPECT_GE(s.core.statistics().cycles, 2 * s.bench.network.latency);
}

TEST_P(HostCore, a_store_takes_the_copies_away) {
  HostScene s(GetParam());
  const u64 x = s.line(0) + 8;
  EXPECT_EQ(s.read(0, x), 0u);
  EXPECT_EQ(s.read(1, x), 0u);
  s.host_store(x, 6);
  for (const u32 sm : {0u, 1u}) {
    const AgentPolicy& policy = s.bench.model.agent;  // which copies the home does not know of
    EXPECT_EQ(s.bench.caches[sm]->peek(x).valid, policy.keeps_copies() && !policy.copies_are_current());
    s.acquire(sm);
    EXPECT_EQ(s.read(sm, x), 6u);
  }
}

TEST_P(HostCore, asks_once_and_is_counted_by_what_it_asks) {
  HostScene s(GetParam());
  const auto asked = [&](memory::Traffic traffic) {
    return s.bench.network.statistics().messages[static_cast<u32>(traffic)];
  };
  s.host_load(s.line(0));
  EXPECT_EQ(asked(memory::Traffic::own) + asked(memory::Traffic::write), 0u);
  const u64 reads = asked(memory::Traffic::read);
  EXPECT_EQ(reads, 2u) << "with its answer";
  s.host_store(s.line(1), 6);
  s.bench.run();
  EXPECT_EQ(asked(s.tracked() ? memory::Traffic::own : memory::Traffic::write), 2u);
  EXPECT_EQ(asked(s.tracked() ? memory::Traffic::write : memory::Traffic::own), 0u);
  EXPECT_EQ(asked(memory::Traffic::read), reads);
}

// An SM that asked while the store was under way was answered with the bytes of before, and owned them.
TEST_P(HostCore, an_sm_that_spins_sees_each_value) {
  for (u32 slow = 0; slow < 24; ++slow) {
    HostScene s(GetParam());
    s.slow = [&](Node from, Node, const Request&) { return from == 2 ? slow : 0; };
    const u64 x = s.line(0) + 8;
    auto look = s.load(0, x, strong);
    for (u32 value = 1; value < 6; ++value) {
      s.core.start(x, 4, true);
      while (s.core.busy()) {
        ASSERT_TRUE(s.bench.step());
        if (s.done(0, look).performed) look = s.load(0, x, strong);
      }
      std::memcpy(reinterpret_cast<void*>(x), &value, 4);
      s.core.let_go();
      for (u32 looks = 0; s.done(0, look).value != value || !s.done(0, look).performed; ++looks) {
        ASSERT_LT(looks, 100u) << "the host's " << value << " is never seen";
        s.bench.run(10);
        if (s.done(0, look).performed && s.done(0, look).value != value) look = s.load(0, x, strong);
      }
    }
  }
}

TEST_P(HostCore, neighbours_that_an_sm_has_written_are_not_lost) {
  HostScene s(GetParam());
  const u64 x = s.line(0), y = x + 16;
  for (u32 value = 1; value < 8; ++value) {
    s.write(0, x, value);  // with ownership, the bytes go to the core, which has nowhere to keep them
    s.host_store(y, 100 + value);
    s.acquire(1);
    EXPECT_EQ(s.read(1, y, strong), 100 + value);
    s.release(0);
    EXPECT_EQ(s.host_load(x), value);
    EXPECT_EQ(s.image(y), 100 + value);
  }
}

TEST_P(HostCore, who_asks_before_the_host_has_written_waits) {
  HostScene s(GetParam());
  const u64 x = s.line(0);
  s.host(x, 4, true);
  const auto look = s.load(0, x);
  s.bench.run(500);
  EXPECT_EQ(s.done(0, look).performed, !s.tracked());
  EXPECT_EQ(s.core.quiescent(), !s.tracked());
  const u32 value = 9;
  std::memcpy(reinterpret_cast<void*>(x), &value, 4);
  s.core.let_go();
  s.bench.run();
  EXPECT_EQ(s.done(0, look).value, s.tracked() ? 9u : 0u);
}

TEST_P(HostCore, a_line_that_it_had_may_leave_the_home) {
  BenchConfig config;
  config.home.bytes = 512, config.home.ways = 2;
  HostScene s(GetParam(), config);
  for (u32 round = 1; round < 3; ++round)
    for (u32 i = 0; i < 16; ++i) s.host_store(s.line(i), 10 * round + i);
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(s.read(0, s.line(i), strong), 20 + i);
}

TEST_P(HostCore, an_access_visits_every_line_that_it_touches) {
  HostScene s(GetParam());
  std::vector<u64> lines;
  s.bench.network.watch = [&](Node to, const Request& request, bool before) {
    if (before && to == s.home()) lines.push_back(request.line);
  };
  s.host(s.line(0) + 100, 128 + 64, false);  // 28 bytes, a line, and 36 bytes
  EXPECT_EQ(lines, (std::vector<u64>{s.line(0), s.line(1), s.line(2)}));
  lines.clear();
  s.host(s.line(4) + 126, 4, true);  // one instruction, two lines
  EXPECT_EQ(lines, (std::vector<u64>{s.line(4), s.line(5)}));
  s.bench.network.watch = {};
}

TEST_P(HostCore, pinned_memory_is_nobodys_copy) {
  HostScene s(GetParam());
  constexpr Options pinned{.strong = true, .host = true, .scope = Scope::sys};
  for (u32 value = 1; value < 4; ++value) {
    s.host_store(s.bench.host, value);
    EXPECT_EQ(s.read(0, s.bench.host, pinned), value);
    s.write(0, s.bench.host, value + 50, pinned);
    EXPECT_EQ(s.host_load(s.bench.host), value + 50);
  }
}

/// Each of the three writes words of its own in lines that all share, upwards, and reads everybody's: nothing that was
/// seen goes back, and in the end all is there.
TEST_P(HostCore, random_accesses_lose_nothing_and_never_go_back) {
  constexpr u32 shared_lines = 4, words = 3;  // of each writer in a line
  for (u32 seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    HostScene s(GetParam());
    s.slow = [&](Node, Node, const Request&) { return random() % 30; };
    u32 written[3][shared_lines][words] = {}, seen[3][3][shared_lines][words] = {};
    const auto address = [&](u32 writer, u32 line, u32 word) { return s.line(line) + 4 * (writer + 3 * word); };
    const auto check = [&](u32 reader, u32 writer, u32 line, u32 word, u64 value) {
      u32& before = seen[reader][writer][line][word];
      EXPECT_GE(value, before) << "reader " << reader << " sees writer " << writer << " go back, seed " << seed;
      EXPECT_LE(value, written[writer][line][word]);
      before = static_cast<u32>(value);
    };
    struct Look {
      Scene::Handle handle;
      u32 writer, line, word;
    };
    std::deque<Look> looks[2];
    for (u32 round = 0; round < 4000; ++round) {
      const u32 agent = random() % 3, line = random() % shared_lines, word = random() % words, writer = random() % 3;
      if (agent == 2) {
        if (random() % 2) {
          s.host_store(address(2, line, word), ++written[2][line][word]);
        } else {
          check(2, writer, line, word, s.host_load(address(writer, line, word)));
        }
      } else if (random() % 2) {
        if (s.store(agent, address(agent, line, word), written[agent][line][word] + 1).accepted != Accepted::stalled)
          ++written[agent][line][word];
      } else {
        const auto look = s.load(agent, address(writer, line, word), strong);
        if (look.accepted != Accepted::stalled) looks[agent].push_back({look, writer, line, word});
      }
      for (const u32 sm : {0u, 1u})
        for (; !looks[sm].empty() && s.done(sm, looks[sm].front().handle).performed; looks[sm].pop_front()) {
          const Look& look = looks[sm].front();
          check(sm, look.writer, look.line, look.word, s.done(sm, look.handle).value);
        }
      if (random() % 3 == 0) s.bench.run(random() % 40);
    }
    s.bench.run();
    s.flush(0);
    s.flush(1);
    for (u32 writer = 0; writer < 3; ++writer)
      for (u32 line = 0; line < shared_lines; ++line)
        for (u32 word = 0; word < words; ++word)
          EXPECT_EQ(s.image(address(writer, line, word)), written[writer][line][word]);
  }
}

TEST_P(HostCore, says_what_it_waits_for) {
  HostScene s(GetParam());
  s.core.start(s.line(0) + 4, 4, true);
  EXPECT_NE(s.core.what_is_under_way().find("the host's store of 4 bytes"), std::string::npos);
  s.bench.run();
  EXPECT_EQ(s.core.what_is_under_way(), "");
}

}  // namespace
}  // namespace ew::memory
