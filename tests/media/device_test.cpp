// What every medium promises, asked of every entry of the table.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "device_bench.hpp"
#include "memory/distant_device.hpp"

namespace ew::media {
namespace {

using namespace core::literals;

constexpr core::Kilohertz sm_clock{1'365'000};

class EveryMedium : public testing::TestWithParam<std::string_view> {
 protected:
  std::unique_ptr<DeviceBench> bench(const MediaConfig& config = {}) const {
    return std::make_unique<DeviceBench>(GetParam(), config, sm_clock);
  }
  /// Reads and writes of 32 to 128 bytes inside 1 MiB, with pauses now and then.
  static void ask_randomly(DeviceBench& bench, u32 requests, u32 seed) {
    std::mt19937 random(seed);
    for (u32 i = 0; i < requests; ++i) {
      bench.ask(random() % (1 << 20) / 128 * 128, 32u << random() % 3, random() % 3 == 0);
      if (random() % 100 == 0) {
        bench.offer();
        bench.idle(random() % 5000);
      }
    }
    bench.run();
  }
};

INSTANTIATE_TEST_SUITE_P(Media, EveryMedium, testing::ValuesIn([] {
                           std::vector<std::string_view> names;
                           for (const MediaKind& kind : media_kinds()) names.push_back(kind.name);
                           return names;
                         }()),
                         [](const auto& name) {
                           std::string text(name.param);
                           for (char& c : text) c = c == '-' ? '_' : c;
                           return text;
                         });

TEST_P(EveryMedium, EveryRequestIsDoneOnceAndCounted) {
  const auto b = bench();
  ask_randomly(*b, 20'000, 1);
  b->expect_all_done_once();
  EXPECT_EQ(b->wheel.pending(), 0u);
  u64 reads = 0, writes = 0, read_bytes = 0, written_bytes = 0;
  for (const auto& one : b->asked) {
    (one.request.write ? writes : reads) += 1;
    (one.request.write ? written_bytes : read_bytes) += one.request.bytes;
  }
  const memory::DeviceStatistics& counts = b->device().statistics();
  EXPECT_EQ(counts.reads, reads);
  EXPECT_EQ(counts.writes, writes);
  EXPECT_EQ(counts.read_bytes, read_bytes);
  EXPECT_EQ(counts.written_bytes, written_bytes);
}

/// A stream of whole lines, as many under way as the device takes, is at most as fast as it says.
TEST_P(EveryMedium, NoStreamIsFasterThanItsPeak) {
  const MediaKind& kind = *find_media_kind(GetParam());
  if (!kind.peak || !kind.peak({}, 1)) return;  // it says no limit
  for (const bool write : {false, true}) {
    const auto b = bench();
    for (u32 i = 0; i < 20'000; ++i) b->ask(u64{i} * 128, 128, write);
    b->run();
    EXPECT_LE(20'000 * 128 / b->seconds(), static_cast<double>(kind.peak({}, 1)) * 1.0001);
  }
}

/// A machine file finds its section, with a sentence, and each key has what every field has.
TEST_P(EveryMedium, ItsOwnKeysHaveTheirDefaultsInRange) {
  const MediaKind& kind = *find_media_kind(GetParam());
  EXPECT_EQ(kind.section.collect != nullptr, !kind.section.sentence.empty());
  core::ModelSections sections;
  std::vector<core::Field> fields;
  if (kind.section.collect) kind.section.collect(sections, core::FieldCollector(fields, kind.name));
  for (const core::Field& field : fields)
    EXPECT_NO_THROW(core::apply_setting(field.key() + "=" + core::value_text(field), fields)) << field.key();
}

TEST_P(EveryMedium, NothingTakesNoTime) {
  const auto b = bench();
  for (u32 i = 0; i < 50; ++i) EXPECT_GT(b->lone(i * 4096, 32, i % 2), 20u);
}

TEST_P(EveryMedium, AReadIsNotDoneBeforeAnEarlierWriteOfItsBytes) {
  const auto b = bench();
  std::mt19937 random(5);
  for (u32 i = 0; i < 30'000; ++i) b->ask(random() % 300 * 32, 32, random() % 2);
  b->run();
  std::map<u64, u32> last_write;
  for (u32 i = 0; i < b->asked.size(); ++i) {
    const auto& one = b->asked[i];
    if (one.request.write) {
      last_write[one.request.address] = i;
    } else if (const auto at = last_write.find(one.request.address); at != last_write.end()) {
      ASSERT_LT(b->asked[at->second].turn, one.turn) << "read " << i;
    }
  }
}

TEST_P(EveryMedium, ARefusedClientIsToldOnce) {
  const auto b = bench();
  for (u32 i = 0; i < 5000; ++i) b->ask(u64{i} * 8192, 128, i / 1000 % 2);
  b->run();
  EXPECT_GT(b->refused, 0u);
  EXPECT_EQ(b->notified, b->refused);
  b->expect_all_done_once();
}

/// Several wait at one full device, some to read and some to write: each is told, in order of asking, and nobody is
/// lost.
TEST_P(EveryMedium, SeveralWaitInOrder) {
  struct Client {
    DeviceBench* bench;
    std::vector<u32>* told;
    u32 number;
    bool write;
    u32 left = 30;
    bool ask() { return bench->device().serve({u64{number} * 65'536 + left * 128, 128, write, 0, nullptr}); }
    void go() {
      while (left && ask()) --left;
      if (left)
        bench->device().notify_when_free(
            write, [](void* client, u64, u64) { static_cast<Client*>(client)->wake(); }, this, 0);
    }
    void wake() {
      told->push_back(number);
      const u32 before = left;
      go();
      EXPECT_LT(left, before) << "told, and refused again";
    }
  };
  const auto b = bench();
  std::vector<u32> told;
  std::vector<Client> clients;
  for (u32 i = 0; i < 40; ++i) clients.push_back({b.get(), &told, i, i % 2 == 1});
  for (Client& client : clients) client.go();
  b->run();
  for (const Client& client : clients) EXPECT_EQ(client.left, 0u) << client.number;
  EXPECT_EQ(b->device().in_flight(), 0u);
  for (const bool write : {false, true}) {
    std::vector<u32> first;
    for (const u32 number : told)
      if (number % 2 == write && std::find(first.begin(), first.end(), number) == first.end()) first.push_back(number);
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
    EXPECT_FALSE(first.empty());
  }
}

TEST_P(EveryMedium, NothingHappensWhileIdle) {
  const auto b = bench();
  ask_randomly(*b, 100, 3);
  const u64 executed = b->wheel.executed();
  EXPECT_EQ(b->wheel.pending(), 0u);
  b->idle(10'000'000);
  EXPECT_EQ(b->wheel.executed(), executed);
}

TEST_P(EveryMedium, TheSameRequestsAreDoneInTheSameCycles) {
  const auto first = bench(), second = bench();
  for (DeviceBench* b : {first.get(), second.get()}) ask_randomly(*b, 5000, 9);
  for (u32 i = 0; i < first->asked.size(); ++i) ASSERT_EQ(first->asked[i].done, second->asked[i].done);
}

/// Behind a distance every answer comes exactly so much later, and refusals and calls back are the device's own.
TEST_P(EveryMedium, ADistanceIsAddedToEveryAnswer) {
  struct Client final : memory::DeviceClient {
    void served(u64 token) override { done.push_back({token, wheel->now()}); }
    core::TimeWheel* wheel = nullptr;
    std::vector<std::pair<u64, core::Cycle>> done;
  };
  const auto near = bench(), far = bench();
  memory::DistantDevice distant(far->device(), far->wheel, 32);
  Client clients[2];
  clients[0].wheel = &near->wheel;
  clients[1].wheel = &far->wheel;
  for (u64 i = 0; i < 1000; ++i) {
    const memory::DeviceRequest request{i * 4096, 64, i % 3 == 0, i + 7, &clients[0]};
    memory::DeviceRequest same = request;
    same.client = &clients[1];
    EXPECT_EQ(near->device().serve(request), distant.serve(same)) << i;
  }
  EXPECT_TRUE(distant.serve({1 << 20, 64, true, 0, nullptr}) == near->device().serve({1 << 20, 64, true, 0, nullptr}));
  EXPECT_GT(distant.in_flight(), 0u);
  near->run();
  far->run();
  EXPECT_EQ(distant.in_flight(), 0u);
  for (auto& [token, when] : clients[0].done) when += 32;
  EXPECT_FALSE(clients[0].done.empty());
  EXPECT_EQ(clients[0].done, clients[1].done);
}

TEST(Media, AnUnknownOneIsRefusedByName) {
  core::TimeWheel wheel;
  try {
    make_medium("drum", {}, {.wheel = wheel, .clock = sm_clock});
    FAIL();
  } catch (const core::UserError& error) {
    EXPECT_NE(std::string(error.what()).find("no medium is called \"drum\"; there are dram, simple, host-memory"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace ew::media
