// How many blocks fit into an SM, as far as registers say so.
#include "simt/occupancy.hpp"

#include <gtest/gtest.h>

namespace ew::simt {
namespace {

class Occupancies : public testing::Test {
 protected:
  Occupancies() {
    limits_.registers_per_sm = limits_.registers_per_block = 65536;
    limits_.registers_per_thread = 255;
    limits_.register_allocation_unit = 256;
    limits_.warps_per_sm = 64;
    limits_.blocks_per_sm = 32;
    limits_.threads_per_block = 1024;
    kernel_.registers_per_thread = 100;
  }
  u32 blocks(u32 threads) { return blocks_per_sm(limits_, needs_of(limits_, kernel_, threads, 0)); }

  GpuLimits limits_{};
  ptx::Kernel kernel_;
};

TEST_F(Occupancies, LaunchBoundsLimitTheRegistersToThoseOfABlock) {
  EXPECT_EQ(blocks(288), 2u);  // 104 registers of 288 threads: 29,952
  kernel_.max_threads = {1024, 1, 1};
  EXPECT_EQ(blocks(288), 3u);  // 64 registers: 18,432
}

// The second number of __launch_bounds__ was read, and changed nothing.
TEST_F(Occupancies, LaunchBoundsWithBlocksLimitThemSoThatSoManyFit) {
  kernel_.max_threads = {288, 1, 1};
  for (u32 wanted = 1; wanted <= 7; ++wanted) {
    kernel_.min_blocks = wanted;
    EXPECT_GE(blocks(288), wanted);
  }
  EXPECT_EQ(blocks(288), 7u);  // 32 registers
  kernel_.registers_per_thread = 20;
  EXPECT_EQ(blocks(288), 7u) << "who needs less than the limit gets no more: warps are the limit then";
  EXPECT_EQ(blocks(32), 32u);
}

}  // namespace
}  // namespace ew::simt
