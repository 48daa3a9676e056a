#include "memory/address_space.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ew::memory {
namespace {

TEST(AddressSpace, bounds_are_those_of_live_allocations) {
  AddressSpace space(u64{1} << 30);
  const u64 a = space.allocate(Region::device, 1000, 256, "a");
  const u64 b = space.allocate(Region::constant, 64, 64, "b", true);
  ASSERT_NE(a, 0u);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(space.bounds(a).begin, a);
  EXPECT_EQ(space.bounds(a + 999).end, a + 1000);
  EXPECT_EQ(space.bounds(a + 1000).end, 0u);
  EXPECT_EQ(space.bounds(a - 1).end, 0u);
  EXPECT_FALSE(space.bounds(a).read_only);
  EXPECT_TRUE(space.bounds(b + 63).read_only);
  EXPECT_EQ(space.bounds(0).end, 0u);
  EXPECT_EQ(space.bounds(~u64{0}).end, 0u);
}

TEST(AddressSpace, bounds_of_pages) {
  constexpr u64 page = u64{2} << 20;
  AddressSpace space(u64{1} << 30, Reach::page);
  const u64 a = space.allocate(Region::device, 1000, 256, "a");
  EXPECT_EQ(space.bounds(a).begin, a / page * page);
  EXPECT_EQ(space.bounds(a + 1000).end, a / page * page + page) << "one past the end is in the page";
  EXPECT_EQ(space.bounds(a / page * page + page).end, 0u);
  *reinterpret_cast<char*>(a / page * page + page - 1) = 1;  // accessible
  const u64 b = space.allocate(Region::device, page, 256, "b");
  EXPECT_EQ(space.bounds(a).end, space.bounds(b).end) << "neighbouring pages are one stretch";
  EXPECT_EQ(space.bounds(b).end % page, 0u);
  *reinterpret_cast<char*>(space.bounds(b).end - 1) = 1;
  EXPECT_TRUE(space.release(b));
  EXPECT_EQ(space.bounds(a).end, a / page * page + page) << "a page goes with its last allocation";
  const u64 c = space.allocate(Region::constant, 64, 64, "c", true);
  EXPECT_EQ(space.bounds(c).end, c + 64);
  const u64 d = space.allocate(Region::host, 100, 64, "d");
  EXPECT_EQ(space.bounds(d + 100).end, d / 4096 * 4096 + 4096);
  std::vector<int> variable(100);
  const u64 e = reinterpret_cast<u64>(variable.data());
  ASSERT_TRUE(space.adopt(Region::managed, e, 400, "e"));
  EXPECT_EQ(space.bounds(e).end, e + 400) << "what is not in an arena has no pages of its own";
}

TEST(AddressSpace, a_release_changes_the_generation_and_the_bounds) {
  AddressSpace space(u64{1} << 30);
  const u64 a = space.allocate(Region::device, 4096, 256, "a");
  const u64 generation = space.generation();
  EXPECT_FALSE(space.release(a + 1));
  EXPECT_EQ(space.generation(), generation);
  EXPECT_TRUE(space.release(a));
  EXPECT_NE(space.generation(), generation);
  EXPECT_EQ(space.bounds(a).end, 0u);
  EXPECT_FALSE(space.release(a));
  ASSERT_TRUE(space.neighbours(a + 5).freed);
  EXPECT_EQ(space.neighbours(a + 5).freed->label, "a");
  EXPECT_NE(space.allocate(Region::device, 4096, 256, "b"), a) << "freed memory is kept apart for a while";
}

TEST(AddressSpace, capacity_is_counted_in_bytes_asked_for) {
  AddressSpace space(10'000);
  const u64 a = space.allocate(Region::device, 6'000, 256, "a");
  EXPECT_EQ(space.used(Region::device), 6'000u);
  EXPECT_EQ(space.allocate(Region::device, 4'001, 256, "b"), 0u);
  EXPECT_NE(space.allocate(Region::device, 4'000, 256, "c"), 0u);
  EXPECT_TRUE(space.release(a));
  EXPECT_EQ(space.used(Region::device), 4'000u);
  EXPECT_EQ(space.allocate(Region::device, ~u64{0}, 256, "d"), 0u);
  EXPECT_EQ(space.allocate(Region::device, 0, 256, "e"), 0u);
}

TEST(AddressSpace, freed_memory_is_used_again_once_enough_has_been_freed_since) {
  AddressSpace space(u64{1} << 30);
  constexpr u64 mebibyte = u64{1} << 20;
  const u64 first = space.allocate(Region::device, mebibyte, 256, "first");
  space.release(first);
  u64 last = first, again = 0;
  for (u32 i = 1; i < 500; ++i) {
    const u64 a = space.allocate(Region::device, mebibyte, 256, "later");
    last = std::max(last, a);
    if (a == first && !again) again = i;
    space.release(a);
  }
  EXPECT_GE(again, 64u);
  EXPECT_LE(again, 66u);
  EXPECT_LT(last - first, 70 * mebibyte);
}

TEST(AddressSpace, adopted_memory_may_not_overlap) {
  AddressSpace space(u64{1} << 20);
  std::vector<u8> host(1000);
  const u64 at = reinterpret_cast<u64>(host.data());
  EXPECT_TRUE(space.adopt(Region::registered, at, 500, "first"));
  EXPECT_FALSE(space.adopt(Region::registered, at + 499, 10, "second"));
  EXPECT_TRUE(space.adopt(Region::registered, at + 500, 500, "third"));
  EXPECT_FALSE(space.adopt(Region::registered, at, 0, "empty"));
  EXPECT_FALSE(space.adopt(Region::registered, ~u64{0} - 5, 100, "wraps"));
  EXPECT_EQ(space.bounds(at + 500).begin, at + 500);
  EXPECT_EQ(space.neighbours(at + 200).below->label, "first");
}

TEST(AddressSpace, two_spaces_of_a_process_are_apart) {
  AddressSpace one(u64{1} << 20), other(u64{1} << 20);
  const u64 a = one.allocate(Region::device, 256, 256, "a"), b = other.allocate(Region::device, 256, 256, "b");
  EXPECT_NE(a, b);
  EXPECT_EQ(one.bounds(b).end, 0u);
}

TEST(AddressSpace, bounds_may_be_read_while_others_allocate) {
  AddressSpace space(u64{1} << 30);
  const u64 fixed = space.allocate(Region::device, 256, 256, "fixed");
  std::atomic<bool> end{false};
  std::thread changes([&] {
    for (u32 i = 0; i < 2000; ++i) {
      const u64 a = space.allocate(Region::device, 64, 256, "passing");
      if (space.bounds(a + 63).begin != a || !space.release(a)) ADD_FAILURE();
    }
    end = true;
  });
  u64 wrong = 0;
  while (!end) wrong += space.bounds(fixed + 255).begin != fixed;
  changes.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace ew::memory
