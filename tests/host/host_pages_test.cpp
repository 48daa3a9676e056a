// Pages of the host get their frames in the order of first use: neither where the host has put them nor where the first
// thread's stack begins changes where the machine sees them.
#include "memory/host_pages.hpp"

#include <gtest/gtest.h>

#include "memory/address_space.hpp"

namespace ew::memory {
namespace {

class HostPagesOf : public testing::Test {
 protected:
  AddressSpace space{u64{64} << 20};
  AddressMap map{{.slices = 1, .channels = 1, .line = 128}, space};
};

TEST_F(HostPagesOf, KeepTheOffsetOfAPageAndNumberPagesByFirstUse) {
  const u64 heap = 0x5555'0000'0000;
  HostPages one(map), other(map);
  const u64 a = one.in_device(heap + 40).address, b = one.in_device(heap + 9 * 4096 + 8).address;
  EXPECT_EQ(a % 4096, 40u);
  EXPECT_EQ(b, a - 40 + 4096 + 8);
  EXPECT_EQ(one.in_device(heap + 48).address, a + 8);
  EXPECT_EQ(other.in_device(heap + 7 * 4096 + 40).address, a) << "randomised by whole pages";
}

TEST_F(HostPagesOf, AStackThatBeginsElsewhereInAPageHasTheSameLines) {
  const u64 end = 0x7fff'1234'5670;
  for (const u64 shift : {u64{16}, u64{48}, u64{2032}, u64{0x3'0000'0010}}) {
    HostPages one(map, end), other(map, end + shift);
    for (const u64 depth : {u64{100}, u64{108}, u64{5000}, u64{1} << 20})
      EXPECT_EQ(one.in_device(end - depth).address, other.in_device(end + shift - depth).address) << depth;
    EXPECT_NE(one.in_device(end - 100).address / 4096, one.in_device(end - (u64{80} << 20)).address / 4096);
  }
}

TEST_F(HostPagesOf, ACopyTakesWholeLinesWhereverMallocHasPutTheBuffer) {
  const u64 heap = 0x5555'0000'0000;
  HostPages pages(map);
  pages.name();
  const u64 first = pages.copied(heap, 128);
  EXPECT_EQ(first % 64, 0u);
  for (const u64 shift : {u64{16}, u64{32}, u64{48}}) {
    EXPECT_EQ(pages.copied(heap + shift, 128), first);
    EXPECT_EQ(pages.copied(heap + 128 + shift, 128), first + 128) << "the next piece";
  }
}

}  // namespace
}  // namespace ew::memory
