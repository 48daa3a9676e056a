// What waits for stores that the private cache has performed and that nobody else sees yet, under each consistency
// model.
#include <gtest/gtest.h>

#include <cstring>

#include "case_file.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

/// Cycles from a store, which everyone sees after 500, to behind `what`.
u32 cycles_behind_a_store(const char* consistency, const std::string& what) {
  Case c;
  c.ptx =
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pout)\n{\n  .reg .b32 %r<8>;\n"
      "  .reg .b64 %rd<8>;\n  ld.param.u64 %rd1, [pout];\n  mov.u32 %r1, %clock;\n  st.global.u32 [%rd1+128], %r1;\n" +
      what + "  mov.u32 %r2, %clock;\n  sub.u32 %r2, %r2, %r1;\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n";
  c.grid = {1, 1, 1};
  c.block = {32, 1, 1};
  c.sms = 1;
  c.buffers = {{"out", "u32", std::vector<u8>(512)}};
  c.parameters.push_back({"out", "", 0});
  TimingSetup setup;
  setup.consistency = consistency;
  setup.stores_at_once = true;
  setup.fastest = setup.slowest = 500;
  const Outcome outcome = run_case(c, 1'000'000, timing_machine(setup));
  EXPECT_EQ(outcome.refused, "");
  u32 cycles = 0;
  std::memcpy(&cycles, outcome.memory.at("out").data(), sizeof cycles);
  return cycles;
}

TEST(VisibleStores, are_waited_for_by_releases_above_the_block_alone) {
  EXPECT_GE(cycles_behind_a_store("ptx", "  fence.acq_rel.gpu;\n"), 500u);
  EXPECT_GE(cycles_behind_a_store("ptx", "  st.release.gpu.global.u32 [%rd1+256], %r1;\n"), 500u);
  for (const char* what : {"", "  bar.sync 0;\n", "  bar.warp.sync 0xffffffff;\n", "  fence.acq_rel.cta;\n",
                           "  st.release.cta.global.u32 [%rd1+256], %r1;\n"})
    EXPECT_LT(cycles_behind_a_store("ptx", what), 100u) << what;
}

/// Under sequential consistency by whatever comes next, a barrier of the block, too: another thread of the block may
/// tell others of it.
TEST(VisibleStores, are_waited_for_by_everything_under_sc) {
  for (const char* what : {"  bar.sync 0;\n", "  bar.warp.sync 0xffffffff;\n", "  fence.acq_rel.cta;\n",
                           "  st.relaxed.cta.global.u32 [%rd1+256], %r1;\n", "  ld.global.u32 %r3, [%rd1+256];\n"})
    EXPECT_GE(cycles_behind_a_store("sc", what), 500u) << what;
  EXPECT_LT(cycles_behind_a_store("sc", "  add.u32 %r3, %r1, 1;\n"), 100u);
}

}  // namespace
}  // namespace ew::test
