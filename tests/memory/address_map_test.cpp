#include "memory/address_map.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <set>
#include <vector>

#include "memory/request.hpp"

namespace ew::memory {
namespace {

TEST(AddressMap, every_round_of_blocks_meets_every_slice_once) {
  AddressSpace space(u64{1} << 30);
  for (const bool hashed : {false, true}) {
    const AddressMap map({.slices = 24, .channels = 12, .line = 128, .interleave = 256, .hashed = hashed}, space);
    const u64 begin = space.windows()[0].begin;
    for (u64 round = 0; round < 100; ++round) {
      std::set<u16> seen;
      for (u64 block = 0; block < 24; ++block) {
        const Place place = map.place(begin + (round * 24 + block) * 256);
        const u16 slice = map.slice_of(place);
        EXPECT_EQ(slice, map.slice_of(map.place(begin + (round * 24 + block) * 256 + 128)));
        EXPECT_FALSE(place.host);
        seen.insert(slice);
      }
      EXPECT_EQ(seen.size(), 24u);
    }
  }
}

TEST(AddressMap, strides_do_not_stay_on_one_slice) {
  AddressSpace space(u64{1} << 30);
  const AddressMap map({.slices = 24, .channels = 12}, space);
  const u64 begin = space.windows()[0].begin;
  for (const u64 stride : {u64{24} * 256, u64{48} * 256, u64{4096}, u64{65536}, u64{24} * 4096}) {
    std::map<u16, u32> uses;
    for (u64 i = 0; i < 2400; ++i) ++uses[map.slice_of(map.place(begin + i * stride))];
    EXPECT_EQ(uses.size(), 24u) << stride;
    for (const auto& [slice, count] : uses) EXPECT_LT(count, 200u) << "slice " << slice << ", stride " << stride;
  }
}

TEST(AddressMap, pools_lie_behind_the_host_link_or_in_channels_of_their_own) {
  AddressSpace space(u64{1} << 30);
  const auto [begin, bytes] = space.pool_range();
  const AddressMap far({.slices = 24, .channels = 12}, space);
  const AddressMap near({.slices = 24, .channels = 12, .nvm_channels = 6}, space);
  std::map<u16, std::set<u64>> lines;
  for (u64 at = begin; at < begin + (u64{1} << 16); at += 128) {
    const Place place = far.place(at);
    EXPECT_TRUE(place.persistent);
    EXPECT_FALSE(place.host) << "private caches keep it";
    EXPECT_EQ(far.in_device(place).device, 13u) << "after the channels and the host's memory";
    EXPECT_EQ(near.place(at).physical, place.physical);
    EXPECT_EQ(near.slice_of(place), far.slice_of(place));
    const DevicePlace channel = near.in_device(place);
    EXPECT_EQ(channel.device, 13u + near.slice_of(place) / 4);
    EXPECT_EQ(channel.address % 256, at % 256) << "a granule lies in one channel";
    EXPECT_TRUE(lines[channel.device].insert(channel.address).second);
  }
  EXPECT_EQ(lines.size(), 6u);
  EXPECT_TRUE(far.place(begin + bytes - 128).persistent);
  EXPECT_FALSE(far.place(begin + bytes).persistent);
  EXPECT_FALSE(far.place(begin - 128).persistent);
  EXPECT_FALSE(far.place(space.windows()[0].begin).persistent);
}

TEST(AddressMap, a_devices_addresses_have_no_gaps_and_no_twins) {
  AddressSpace space(u64{1} << 30);
  for (const u32 channels : {1u, 5u, 8u, 12u, 24u}) {
    const AddressMap map({.slices = 24, .channels = channels, .line = 64}, space);
    const u64 begin = space.windows()[0].begin;
    std::map<u16, std::set<u64>> lines;
    constexpr u64 rounds = 10;
    for (u64 offset = 0; offset < rounds * 24 * 256; offset += 64) {
      const DevicePlace place = map.in_device(map.place(begin + offset));
      EXPECT_TRUE(lines[place.device].insert(place.address).second);
    }
    EXPECT_EQ(lines.size(), channels);
    for (const auto& [device, physical] : lines)
      EXPECT_EQ(*physical.rbegin() - *physical.begin(), (physical.size() - 1) * 64);
  }
}

TEST(AddressMap, pools_have_physical_addresses_in_the_order_of_mapping_wherever_they_stand) {
  const std::vector<u64> places[] = {{0, 7}, {9, 3}};  // frames of the arena: what file names pick
  std::vector<u64> physical[2];
  std::vector<u16> slices[2];
  for (int order = 0; order < 2; ++order) {
    AddressSpace space(u64{1} << 30);
    AddressMap map({.slices = 24, .channels = 12}, space);
    const u64 arena = space.pool_range().first;
    const u64 first = arena + places[order][0] * pool_frame, second = arena + places[order][1] * pool_frame;
    ASSERT_TRUE(space.adopt(Region::pool, first, pool_frame + 4096, "first"));
    map.refresh();
    ASSERT_TRUE(space.adopt(Region::pool, second, 4096, "second"));
    map.refresh();
    for (const u64 line : {first, first + 6144, first + pool_frame, second, second + 128}) {
      EXPECT_FALSE(map.place(line).host);
      physical[order].push_back(map.place(line).physical);
      slices[order].push_back(map.slice_of(map.place(line)));
    }
    EXPECT_EQ(physical[order][2], physical[order][0] + pool_frame) << "one pool's frames follow each other";
    ASSERT_TRUE(space.release(first));
    map.refresh();
    EXPECT_EQ(map.place(first).physical, physical[order][0]) << "what caches hold of it is found again";
    ASSERT_TRUE(space.adopt(Region::pool, first, 4096, "first, again"));
    map.refresh();
    EXPECT_EQ(map.place(first).physical, physical[order][0]);
    EXPECT_EQ(map.place(second).physical, physical[order][3]);
  }
  EXPECT_EQ(physical[0], physical[1]);
  EXPECT_EQ(slices[0], slices[1]);
}

TEST(AddressMap, adopted_host_pages_follow_each_other_wherever_they_stand) {
  constexpr u64 bytes = 3 * 4096;
  std::vector<u64> physical[2];
  for (int order = 0; order < 2; ++order) {
    AddressSpace space(u64{1} << 30);
    AddressMap map({.slices = 4, .channels = 2}, space);
    void* const a = mmap(nullptr, 8 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(a, MAP_FAILED);
    const u64 base = reinterpret_cast<u64>(a);
    const u64 first = order ? base + 4 * bytes : base, second = order ? base : base + 4 * bytes;
    ASSERT_TRUE(space.adopt(Region::registered, first + 100, bytes - 200, "first"));
    ASSERT_TRUE(space.adopt(Region::registered, second + 100, bytes - 200, "second"));
    map.refresh();
    for (const u64 line : {first, first + 4096, second, second + 4096}) {
      const Place place = map.place(line);
      EXPECT_TRUE(place.host);
      EXPECT_EQ(map.in_device(place).device, 2);
      physical[order].push_back(place.physical);
    }
    ASSERT_TRUE(space.release(first + 100));
    map.refresh();
    EXPECT_EQ(map.place(second).physical, physical[order][2]);
    munmap(a, 8 * bytes);
  }
  EXPECT_EQ(physical[0], physical[1]);
  EXPECT_EQ(physical[0][2], physical[0][0] + bytes);
}

TEST(Payloads, are_used_again_and_stay_where_they_are) {
  Payloads pool;
  const PayloadId first = pool.take();
  Payload* const where = &pool[first];
  std::vector<PayloadId> more;
  for (int i = 0; i < 1000; ++i) more.push_back(pool.take());
  EXPECT_EQ(&pool[first], where);
  EXPECT_EQ(pool.in_use(), 1001u);
  EXPECT_EQ(std::set<PayloadId>(more.begin(), more.end()).size(), 1000u);
  for (const PayloadId id : more) pool.give_back(id);
  pool[first].valid.bits[0] = 1;
  pool.give_back(first);
  EXPECT_EQ(pool.in_use(), 0u);
  EXPECT_FALSE(pool[pool.take()].valid.any());
}

}  // namespace
}  // namespace ew::memory
