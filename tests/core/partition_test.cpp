// What parts of a machine that run ahead give each other: posts for a cycle (Inbox), items of a window (CycleBuckets).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/cycle_buckets.hpp"
#include "core/inbox.hpp"

namespace ew::core {
namespace {

struct Seen {
  std::vector<u64> posts;
  void note(u64 number, u64) { posts.push_back(number); }
};

TEST(Inbox, TakesThePostsOfACycleInTheirOrder) {
  Seen seen;
  Agenda agenda(1);
  Inbox inbox(Agenda::Line(agenda, 0));
  inbox.post<&Seen::note>(7, seen, 0);
  EXPECT_EQ(agenda.next(), 7u);
  inbox.post<&Seen::note>(5, seen, 1);
  EXPECT_EQ(agenda.next(), 5u);
  inbox.post<&Seen::note>(7, seen, 2);
  inbox.post<&Seen::note>(5, seen, 3);
  EXPECT_EQ(inbox.next(), 5u);
  inbox.run_due(5);
  EXPECT_EQ(seen.posts, (std::vector<u64>{1, 3}));
  EXPECT_EQ(inbox.next(), 7u);
  inbox.run_due(7);
  EXPECT_EQ(seen.posts, (std::vector<u64>{1, 3, 0, 2}));
  EXPECT_EQ(inbox.next(), never);
}

/// Against a stable sort, with posts that come while others are taken.
TEST(Inbox, AgreesWithAStableSort) {
  std::mt19937_64 random(3);
  Seen seen;
  Agenda agenda(1);
  Inbox inbox(Agenda::Line(agenda, 0));
  std::vector<std::pair<Cycle, u64>> expected;
  for (Cycle now = 0; now < 5000; ++now) {
    for (u64 i = random() % 3; i > 0; --i) {
      const Cycle when = now + random() % 40;
      inbox.post<&Seen::note>(when, seen, expected.size());
      expected.emplace_back(when, expected.size());
    }
    inbox.run_due(now);
  }
  std::erase_if(expected, [](const auto& post) { return post.first >= 5000; });
  std::ranges::stable_sort(expected, {}, &std::pair<Cycle, u64>::first);
  ASSERT_EQ(seen.posts.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(seen.posts[i], expected[i].second);
}

/// Parts bring each other forward while they run, within one word of bits and across words.
TEST(Agenda, RunsThePartsThatAreDueInTheirOrder) {
  constexpr u32 parts = 130;
  std::mt19937_64 random(5);
  Agenda agenda(parts);
  std::vector<Cycle> due(parts, never);
  const auto sooner = [&](u32 part, Cycle when) {
    Agenda::Line(agenda, part).sooner(when);
    due[part] = std::min(due[part], when);
  };
  for (Cycle end = 8; end < 4000; end += 8) {
    for (u32 i = 0; i < 3; ++i) sooner(random() % parts, end + random() % 30 - 8);
    u32 expected = 0;
    agenda.each_before(end, [&](u32 part) {
      for (; expected < part; ++expected) ASSERT_GE(due[expected], end) << "part " << expected << " was passed over";
      ASSERT_LT(due[part], end);
      ++expected;
      due[part] = random() % 2 ? never : end + random() % 40;
      Agenda::Line(agenda, part).set(due[part]);
      const u32 behind = part + 1 + random() % 3;
      if (behind < parts) sooner(behind, end - 1 + random() % 2);
    });
    for (; expected < parts; ++expected) ASSERT_GE(due[expected], end) << "part " << expected << " was passed over";
    ASSERT_EQ(agenda.next(), *std::ranges::min_element(due));
  }
}

TEST(CycleBuckets, GivesTheItemsOfEachCycleOnce) {
  CycleBuckets<u32> buckets;
  EXPECT_EQ(buckets.next(1000), never);
  buckets.put(1063, 1);  // the window's last cycle: its bucket is behind those of the first in the ring
  buckets.put(1001, 2);
  buckets.put(1001, 3);
  std::vector<u32> seen;
  const auto note = [&](u32 item) { seen.push_back(item); };
  EXPECT_EQ(buckets.next(1000), 1001u);
  buckets.take(1000, note);
  EXPECT_TRUE(seen.empty());
  buckets.take(1001, note);
  EXPECT_EQ(seen, (std::vector<u32>{2, 3}));
  EXPECT_EQ(buckets.next(1002), 1063u);
  EXPECT_FALSE(buckets.empty());
  buckets.take(1063, note);
  EXPECT_EQ(seen, (std::vector<u32>{2, 3, 1}));
  EXPECT_TRUE(buckets.empty());
}

TEST(CycleBuckets, AnItemMayPutOthersIntoLaterCycles) {
  CycleBuckets<u32> buckets;
  std::vector<u32> seen;
  buckets.put(0, 0);
  for (Cycle now = 0; now < 200; now = buckets.next(now))
    buckets.take(now, [&](u32 item) {
      seen.push_back(item);
      if (item < 20) buckets.put(now + 1 + item % 7, item + 1);
    });
  EXPECT_EQ(seen.size(), 21u);
}

}  // namespace
}  // namespace ew::core
