// How long lanes that wait to meet others of their warp are kept while those spin: each time from the last moment at
// which lanes of the warp were let go. Times are cycles of functional mode.
#include <gtest/gtest.h>

#include "case_file.hpp"

namespace ew::test {
namespace {

/// Warp 0: lanes 0 and 1 take a lock. Lane 0 has it first and waits for lane 1 behind the loop; lanes 2 to 31 have
/// looked at the lock and wait for both behind the branch. Each lane tells how many go on with it from there. Warp 1
/// runs `other`; `section` stands behind the loop.
std::string go_on_together(const std::string& section, const std::string& other) {
  Case c;
  c.ptx =
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 plock, .param .u64 pout)\n{\n"
      "  .reg .pred %p<8>;\n  .reg .b32 %r<24>;\n  .reg .b64 %rd<16>;\n  ld.param.u64 %rd1, [plock];\n"
      "  ld.param.u64 %rd2, [pout];\n  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %rd3, %r1, 4;\n"
      "  add.s64 %rd2, %rd2, %rd3;\n  setp.ge.u32 %p1, %r1, 32;\n  @%p1 bra second;\n"
      "  setp.ge.u32 %p2, %r1, 2;\n  @%p2 bra look;\n"
      "wait:\n  atom.global.cas.b32 %r2, [%rd1], 0, 1;\n  setp.ne.u32 %p3, %r2, 0;\n  @%p3 bra wait;\n" +
      section +
      "  bra meet;\nlook:\n  ld.volatile.global.u32 %r2, [%rd1];\nmeet:\n  activemask.b32 %r3;\n  popc.b32 %r3, %r3;\n"
      "  st.global.u32 [%rd2], %r3;\n  bra end;\nsecond:\n" +
      other + "end:\n  ret;\n}\n";
  c.block = {64, 1, 1};
  c.grid = {1, 1, 1};
  c.sms = 1;
  c.buffers.push_back({"lock", "u32", std::vector<u8>(4)});
  c.buffers.push_back({"out", "u32", std::vector<u8>(128)});
  c.parameters.push_back({"lock", "", 0});
  c.parameters.push_back({"out", "", 0});
  const Outcome outcome = run_case(c);
  EXPECT_EQ(outcome.refused, "");
  for (const auto& completion : outcome.completions) EXPECT_FALSE(completion.fault) << completion.fault->report;
  return values_text("u32", outcome.memory.at("out"));
}

std::string compute_until(const std::string& name, u32 cycles) {
  return "  mov.u64 %rd4, %clock64;\n" + name + ":\n  mov.u64 %rd5, %clock64;\n  sub.u64 %rd5, %rd5, %rd4;\n" +
         "  setp.lt.u64 %p4, %rd5, " + std::to_string(cycles) + ";\n  @%p4 bra " + name + ";\n";
}

std::string all_32() {
  std::string text = "32";
  for (u32 i = 1; i < 32; ++i) text += " 32";
  return text;
}

const std::string free_the_lock = "  mov.u32 %r4, 0;\n  st.volatile.global.u32 [%rd1], %r4;\n";

/// Lane 0 is let go after 4096 cycles, to free the lock, which it does not. The others have as long again.
TEST(Patience, begins_again_when_lanes_of_an_inner_branch_have_been_let_go) {
  EXPECT_EQ(go_on_together("", compute_until("computing", 7000) + free_the_lock), all_32());
}

/// All warps wait at last, so lane 0 is let go before its time is over. From then on the others have all of theirs.
TEST(Patience, begins_again_when_the_whole_machine_has_stood_still) {
  EXPECT_EQ(go_on_together(compute_until("section", 2500) + free_the_lock, compute_until("computing", 3000)), all_32());
}

/// With its end they are let go.
TEST(Patience, ends) {
  EXPECT_NE(go_on_together("", compute_until("computing", 12000) + free_the_lock), all_32());
}

}  // namespace
}  // namespace ew::test
