// What of an SM's memory is the L1 while a kernel runs.
#include "simt/carveout.hpp"

#include <gtest/gtest.h>

namespace ew::simt {
namespace {

constexpr u64 kib = 1024;

GpuLimits ampere() {
  GpuLimits limits;
  limits.warps_per_sm = 64;
  limits.blocks_per_sm = 32;
  limits.shared_bytes_per_sm = 164 * kib;
  limits.shared_bytes_per_block_optin = 163 * kib;
  limits.shared_reserved_per_block = kib;
  limits.unified_bytes = 192 * kib;
  limits.carveouts = carveouts_of({8, 0});
  return limits;
}

BlockNeeds block_of(u32 threads, u64 shared) {
  return {.threads = threads, .warps = threads / 32, .registers = 0, .shared_bytes = static_cast<u32>(shared)};
}

TEST(Carveout, one_size_where_nothing_is_unified) {
  GpuLimits limits = ampere();
  limits.unified_bytes = 0;
  EXPECT_EQ(l1_bytes_of(limits, block_of(256, 0), -1), 0u);
}

TEST(Carveout, shared_memory_for_all_blocks_that_fit_otherwise) {
  // Eight blocks of 256 threads, each with a kibibyte of the system's.
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 0), -1), (192 - 8) * kib);
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 1 * kib), -1), (192 - 16) * kib);
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 7 * kib), -1), (192 - 64) * kib);
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 8 * kib), -1), (192 - 100) * kib);
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(1024, 163 * kib), -1), (192 - 164) * kib);
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(32, 0), -1), (192 - 32) * kib) << "32 blocks";
}

TEST(Carveout, a_preference_is_rounded_up_and_a_block_always_fits) {
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 0), 0), (192 - 8) * kib) << "a block's own kibibyte";
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 0), 50), (192 - 100) * kib) << "82 of 164";
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 0), 100), (192 - 164) * kib);
  EXPECT_EQ(l1_bytes_of(ampere(), block_of(256, 40 * kib), 0), (192 - 64) * kib);
}

TEST(Carveout, sizes_by_compute_capability) {
  EXPECT_EQ(carveouts_of({7, 5}).front(), 32u);
  EXPECT_EQ(carveouts_of({8, 6}).back(), 100u);
  EXPECT_EQ(carveouts_of({9, 0}).back(), 228u);
  EXPECT_TRUE(carveouts_of({6, 1}).empty());
}

}  // namespace
}  // namespace ew::simt
