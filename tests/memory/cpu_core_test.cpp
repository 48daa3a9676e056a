// A core of the host beside SMs, under every protocol: the image is current when a load is over, nobody has a copy of
// what a store has written, and nobody's bytes are lost.
#include "memory/cpu_core.hpp"

#include <cstdlib>
#include <random>

#include "scene.hpp"

namespace ew::memory {
namespace {

/// A protocol of the SMs, and one of the host beside it.
struct Pair {
  std::string sms, host;
};
std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const coherence::Model& sms : all_models())
    for (const coherence::Model& host : all_models())
      if (coherence::common_home(sms, host)) all.push_back({std::string(sms.name), std::string(host.name)});
  return all;
}
void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.sms << " beside " << pair.host;
}
std::string pair_name(const ::testing::TestParamInfo<Pair>& info) {
  std::string name = info.param.sms + "_beside_" + info.param.host;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Two SMs, and cores of the host at nodes of their own.
class HostScene : public Scene {
 public:
  explicit HostScene(const Pair& pair, BenchConfig config = {}, u64 bytes = 1024, u32 count = 1)
      : Scene(pair.sms, 2 + count, with_host(config, pair.host)), host_model(model_named(pair.host)) {
    for (u32 i = 0; i < count; ++i) {
      const CpuCore::Parts parts{.wheel = bench.wheel,
                                 .payloads = bench.payloads,
                                 .network = bench.network,
                                 .policy = host_model.agent,
                                 .home = bench.home_policy().kind(),
                                 .map = bench.map(),
                                 .config = {.bytes = bytes, .line = bench.config.cache.line, .ways = 2, .latency = 3},
                                 .id = static_cast<AgentId>(2 + i),
                                 .agents = bench.config.agents};
      cores.push_back(std::make_unique<CpuCore>(parts, [this] { ++over; }));
      bench.network.attach(static_cast<Node>(2 + i), *cores.back());
    }
  }
  ~HostScene() {
    for (const auto& one : cores) one->let_go();
    bench.run();
    for (const auto& one : cores) EXPECT_TRUE(one->quiescent()) << one->what_is_under_way();
  }
  static BenchConfig with_host(BenchConfig config, const std::string& host) {
    config.host = host;
    return config;
  }

  /// Until the access is over, and to the end of that cycle: there the machine stands still.
  void host(u64 address, u64 bytes, bool store, bool alone = false) {
    const u32 before = over;
    core().start({.address = address, .bytes = bytes, .store = store, .alone = alone});
    while (core().busy())
      if (!bench.step()) break;
    ASSERT_FALSE(core().busy()) << core().what_is_under_way() << bench.what_is_under_way();
    EXPECT_EQ(over, before + 1);
  }
  u32 host_load(u64 address, bool alone = false) {
    host(address, 4, false, alone);
    return image(address);
  }
  void host_store(u64 address, u32 value, bool alone = false) {
    host(address, 4, true, alone);
    std::memcpy(reinterpret_cast<void*>(address), &value, 4);
    core().let_go();
  }
  CpuCore& core() { return *cores[0]; }
  bool tracked() const { return bench.home_policy().tracks(); }
  /// The host writes only what it owns.
  bool owns() const { return host_model.agent.owns(); }
  u64 asked(Traffic traffic) const { return bench.network.statistics().messages[static_cast<u32>(traffic)]; }
  u64 asked_in_all() const {
    u64 sum = 0;
    for (u32 i = 0; i < traffic_classes; ++i) sum += bench.network.statistics().messages[i];
    return sum;
  }

  const coherence::Model& host_model;
  std::vector<std::unique_ptr<CpuCore>> cores;
  u32 over = 0;
};

/// Of each random test; EW_HOST_SEEDS is for longer searches by hand.
u32 seeds() {
  const char* const wanted = std::getenv("EW_HOST_SEEDS");
  return wanted ? static_cast<u32>(std::strtoul(wanted, nullptr, 10)) : 8;
}

class HostCore : public ::testing::TestWithParam<Pair> {};
INSTANTIATE_TEST_SUITE_P(Pairs, HostCore, ::testing::ValuesIn(pairs()), pair_name);

TEST_P(HostCore, a_load_finds_what_an_owner_wrote) {
  HostScene s(GetParam());
  const u64 x = s.line(0) + 8;
  s.write(0, x, 77);
  s.release(0);
  EXPECT_EQ(s.image(x) == 77, !s.bench.model.agent.owns());
  EXPECT_EQ(s.host_load(x), 77u);
  EXPECT_EQ(s.core().statistics().loads, 1u);
  EXPECT_GE(s.core().statistics().cycles, 2 * s.bench.network.latency);
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
  const auto owns = [&](Use use) {
    const Otherwise otherwise = s.host_model.agent.on(use, DataKind::ordinary).otherwise;
    return otherwise == Otherwise::own || otherwise == Otherwise::own_written;
  };
  s.host_load(s.line(0));
  EXPECT_EQ(s.asked(owns(Use::fresh_load) ? Traffic::own : Traffic::read), 2u) << "with its answer";
  EXPECT_EQ(s.asked_in_all(), 2u);
  s.host_store(s.line(1), 6);
  s.bench.run();
  EXPECT_EQ(s.asked(owns(Use::fresh_store) ? Traffic::own : Traffic::write), owns(Use::fresh_load) ? 4u : 2u);
  EXPECT_EQ(s.asked_in_all(), 4u);
}

TEST_P(HostCore, what_it_owns_it_asks_for_once) {
  HostScene s(GetParam());
  const u64 x = s.line(0) + 8;
  s.host_store(x, 1);
  s.bench.run();
  const u64 before = s.asked_in_all(), hits = s.core().statistics().hits;
  s.host_store(x, 2);
  EXPECT_EQ(s.host_load(x), 2u);
  s.bench.run();
  EXPECT_EQ(s.asked_in_all() == before, s.owns());
  EXPECT_EQ(s.core().statistics().hits - hits, s.owns() ? 2u : 0u);
  EXPECT_EQ(s.core().copy(s.line(0)).owned != 0, s.owns());
}

TEST_P(HostCore, an_sm_that_writes_takes_the_word_away) {
  HostScene s(GetParam());
  const u64 x = s.line(0) + 8, y = x + 4;
  s.host_store(x, 1);
  s.host_store(y, 2);
  s.write(0, x, 7, strong);
  EXPECT_FALSE(s.core().copy(s.line(0)).owned >> 2 & 1)
      << "a write-through, too, revokes the host's word before it is over";
  EXPECT_EQ(s.core().copy(s.line(0)).owned >> 3 & 1, s.owns() && !s.host_model.agent.whole_lines)
      << "and no other word";
  EXPECT_EQ(s.host_load(x), 7u);
  EXPECT_EQ(s.host_load(y), 2u);
  EXPECT_EQ(s.value(1, s.add(1, x, 10)), 7u);
  EXPECT_EQ(s.host_load(x), 17u);
}

TEST_P(HostCore, an_sm_that_reads_lets_it_keep_its_words) {
  HostScene s(GetParam());
  const u64 x = s.line(0) + 8;
  s.host_store(x, 1);
  const WordMask before = s.core().copy(s.line(0)).owned;
  EXPECT_EQ(s.read(0, x), 1u);
  s.flush(0);
  if (!s.host_model.agent.whole_lines) {
    EXPECT_EQ(s.core().copy(s.line(0)).owned, before);
  }
  s.host_store(x, 2);
  s.bench.run();
  s.acquire(0);
  EXPECT_EQ(s.read(0, x), 2u);
}

// Nothing else runs: loads are of data.
TEST_P(HostCore, copies_of_data_stay_until_a_kernel_begins) {
  HostScene s(GetParam());
  const AgentPolicy& policy = s.host_model.agent;
  const u64 x = s.line(0) + 8;
  s.host_load(x, true);
  const u64 before = s.asked_in_all();
  s.host_load(x, true);
  EXPECT_EQ(s.asked_in_all() == before, policy.keeps_copies());
  s.core().acquire();
  EXPECT_EQ(s.core().copy(s.line(0)).valid != 0, policy.keeps_copies() && !policy.drops_at_acquire);
  s.write(0, x, 5, strong);
  s.flush(0);
  EXPECT_EQ(s.host_load(x, true), 5u);
}

TEST_P(HostCore, a_full_cache_gives_lines_back_with_what_was_written) {
  HostScene s(GetParam(), {}, 512);  // four lines
  for (u32 i = 0; i < 16; ++i) s.host_store(s.line(i) + 4, 30 + i);
  s.bench.run();
  EXPECT_EQ(s.core().statistics().write_backs, s.owns() ? 12u : 0u);
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(s.read(0, s.line(i) + 4, strong), 30 + i);
  s.host(s.line(0), 16 * s.bench.config.cache.line, false);  // one access, more lines than the cache has
  for (u32 i = 0; i < 16; ++i) EXPECT_EQ(s.host_load(s.line(i) + 4), 30 + i);
}

// An SM that asked while the store was under way was answered with the bytes of before, and owned them.
TEST_P(HostCore, an_sm_that_spins_sees_each_value) {
  for (u32 slow = 0; slow < 24; ++slow) {
    HostScene s(GetParam());
    s.slow = [&](Node from, Node, const Request&) { return from == 2 ? slow : 0; };
    const u64 x = s.line(0) + 8;
    auto look = s.load(0, x, strong);
    for (u32 value = 1; value < 6; ++value) {
      s.core().start({.address = x, .bytes = 4, .store = true});
      while (s.core().busy()) {
        ASSERT_TRUE(s.bench.step());
        if (s.done(0, look).performed) look = s.load(0, x, strong);
      }
      std::memcpy(reinterpret_cast<void*>(x), &value, 4);
      s.core().let_go();
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
  EXPECT_EQ(s.core().quiescent(), !s.tracked());
  const u32 value = 9;
  std::memcpy(reinterpret_cast<void*>(x), &value, 4);
  s.core().let_go();
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
  for (u32 seed = 1; seed <= seeds(); ++seed) {
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

/// The same, with two cores whose accesses overlap, caches of two lines, and accesses of several words.
TEST_P(HostCore, cores_side_by_side_lose_nothing_and_never_go_back) {
  constexpr u32 writers = 4, shared_lines = 5, words = 4, all = writers * words;  // words of each writer in a line
  for (u32 seed = 1; seed <= seeds(); ++seed) {
    std::mt19937 random(seed);
    HostScene s(GetParam(), {}, 256, 2);
    s.slow = [&](Node, Node, const Request&) { return random() % 30; };
    u32 written[shared_lines][all] = {}, seen[writers][shared_lines][all] = {};
    struct Access {
      bool under_way = false, store = false;
      u32 line = 0, first = 0, count = 0;  // words
      Scene::Handle handle{};
    };
    Access of[writers];
    const auto address = [&](const Access& access) { return s.line(access.line) + 4 * access.first; };
    const auto perform = [&](u32 agent, const Access& access) {
      for (u32 word = access.first; word < access.first + access.count; ++word) {
        u32& now = written[access.line][word];
        const u64 at = s.line(access.line) + 4 * word;
        if (access.store) {  // the host's instruction
          ++now;
          std::memcpy(reinterpret_cast<void*>(at), &now, 4);
          continue;
        }
        u32 value = agent >= 2 ? s.image(at) : 0;
        if (agent < 2) value = static_cast<u32>(s.done(agent, access.handle).value >> (32 * (word - access.first)));
        u32& before = seen[agent][access.line][word];
        EXPECT_GE(value, before) << "agent " << agent << " sees word " << word << " go back, seed " << seed;
        EXPECT_LE(value, now);
        before = value;
      }
    };
    u32 performed = 0;
    for (u32 cycles = 0; performed < 6000; ++cycles) {
      ASSERT_LT(cycles, 10'000'000u) << s.core().what_is_under_way() << s.bench.what_is_under_way();
      for (u32 agent = 0; agent < writers; ++agent) {
        Access& access = of[agent];
        const bool host = agent >= 2;
        if (access.under_way && (host ? s.cores[agent - 2]->busy() : !s.done(agent, access.handle).performed)) continue;
        if (access.under_way && (host || !access.store)) perform(agent, access);
        if (access.under_way) ++performed;
        access = {.store = random() % 2 == 0, .line = static_cast<u32>(random() % shared_lines)};
        access.count = 1 + random() % (host ? words : 2);
        access.first = random() % (access.store ? words - access.count + 1 : all - access.count + 1);
        if (access.store) access.first += agent * words;
        if (host) {
          s.cores[agent - 2]->start({.address = address(access), .bytes = 4 * access.count, .store = access.store});
          access.under_way = true;
          continue;
        }
        u64 value = 0;
        for (u32 i = 0; i < access.count; ++i) value |= u64{written[access.line][access.first + i] + 1} << (32 * i);
        access.handle = access.store ? s.store(agent, address(access), value, weak, 4 * access.count)
                                     : s.load(agent, address(access), strong, 4 * access.count);
        access.under_way = access.handle.accepted != Accepted::stalled;
        if (access.store && access.under_way)
          for (u32 i = 0; i < access.count; ++i) ++written[access.line][access.first + i];
      }
      if (!s.bench.step()) s.bench.run(1);
    }
    for (u32 left = 2; left > 0;) {
      for (u32 agent = 2; agent < writers; ++agent) {
        if (!of[agent].under_way || s.cores[agent - 2]->busy()) continue;
        perform(agent, of[agent]);
        s.cores[agent - 2]->let_go();
        of[agent].under_way = false;
        --left;
      }
      if (left) {
        ASSERT_TRUE(s.bench.step()) << s.core().what_is_under_way() << s.bench.what_is_under_way();
      }
    }
    s.bench.run();
    s.flush(0);
    s.flush(1);
    for (u32 line = 0; line < shared_lines; ++line)
      for (u32 word = 0; word < all; ++word)
        EXPECT_EQ(s.image(s.line(line) + 4 * word), written[line][word]) << "seed " << seed;
  }
}

TEST_P(HostCore, says_what_it_waits_for) {
  HostScene s(GetParam());
  s.core().start({.address = s.line(0) + 4, .bytes = 4, .store = true});
  EXPECT_NE(s.core().what_is_under_way().find("the host's store of 4 bytes"), std::string::npos);
  s.bench.run();
  EXPECT_EQ(s.core().what_is_under_way(), "");
}

}  // namespace
}  // namespace ew::memory
