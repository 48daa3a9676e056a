// Functional mode: launches of which every warp polls in vain, or waits, end with a report of who polls what; those
// that may still end do not.
#include <gtest/gtest.h>

#include "case_file.hpp"
#include "simt/functional_gpu.hpp"

namespace ew::test {
namespace {

MakeGpu functional_gpu(bool unattended, bool other_thread = false) {
  return [=](const simt::GpuLimits& limits, memory::AddressSpace& space, simt::DeviceServices& services) {
    auto gpu = std::make_unique<simt::FunctionalGpu>(limits, space, services);
    gpu->set_unattended(unattended, [=] { return !other_thread; });
    return gpu;
  };
}

Case kernel_of_two_warps(const std::string& body) {
  Case c;
  c.ptx =
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pout)\n{\n  .reg .pred %p<8>;\n"
      "  .reg .b32 %r<24>;\n  .reg .b64 %rd<16>;\n  .shared .align 4 .u32 flag;\n  ld.param.u64 %rd1, [pout];\n"
      "  mov.u32 %r1, %tid.x;\n" +
      body + "  ret;\n}\n";
  c.block = {64, 1, 1};
  c.grid = {2, 1, 1};
  c.limit = 3'000'000;
  c.buffers.push_back({"out", "u32", std::vector<u8>(8)});
  c.parameters.push_back({"out", "", 0});
  return c;
}

/// How it ends, and what a person reads.
std::pair<std::string, std::string> end_of(const Case& c, bool unattended = true) {
  const Outcome outcome = run_case(c, 20'000, functional_gpu(unattended));
  EXPECT_EQ(outcome.refused, "");
  for (const auto& completion : outcome.completions)
    if (completion.fault) return {name_of(completion.fault->kind), completion.fault->report};
  return {"none", ""};
}

const char* const lock =
    "wait:\n  atom.global.cas.b32 %r2, [%rd1], 0, 1;\n  setp.ne.u32 %p1, %r2, 0;\n  nanosleep.u32 100;\n  @%p1 bra "
    "wait;\n";

TEST(Deadlock, a_lock_that_nobody_frees) {
  const auto [kind, report] = end_of(kernel_of_two_warps(lock));
  EXPECT_EQ(kind, "deadlock");
  EXPECT_NE(report.find("to change, which is 1 at each poll"), std::string::npos) << report;
  EXPECT_NE(report.find("allocation #1"), std::string::npos) << report;
  EXPECT_NE(report.find("warp"), std::string::npos) << report;
}

TEST(Deadlock, is_not_told_while_the_host_does_not_wait) {
  EXPECT_EQ(end_of(kernel_of_two_warps(lock), false).first, "instruction_limit");
}

TEST(Deadlock, a_barrier_with_a_spinner) {
  const auto [kind, report] = end_of(kernel_of_two_warps(
      "  setp.lt.u32 %p1, %r1, 32;\n  @%p1 bra wait;\n  bar.sync 0;\n  mov.u32 %r3, 1;\n"
      "  st.volatile.shared.u32 [flag], %r3;\n  bra end;\nwait:\n  ld.volatile.shared.u32 %r2, [flag];\n"
      "  setp.eq.u32 %p2, %r2, 0;\n  @%p2 bra wait;\n  bar.sync 0;\nend:\n"));
  EXPECT_EQ(kind, "deadlock");
  EXPECT_NE(report.find("barrier 0 (32 of 64 threads have come)"), std::string::npos) << report;
  EXPECT_NE(report.find("the word at 0x0 of shared memory to change, which is 0 at each poll"), std::string::npos)
      << report;
}

TEST(Deadlock, a_loop_on_a_plain_load) {
  EXPECT_EQ(
      end_of(kernel_of_two_warps("wait:\n  ld.global.u32 %r2, [%rd1];\n  setp.eq.u32 %p1, %r2, 0;\n  @%p1 bra wait;\n"))
          .first,
      "deadlock");
}

TEST(Deadlock, a_loop_that_counts_its_polls_may_end) {
  const char* const body =
      "  mov.u32 %r5, 0;\nwait:\n  ld.volatile.global.u32 %r2, [%rd1];\n  add.u32 %r5, %r5, 1;\n"
      "  setp.lt.u32 %p1, %r5, 20000;\n  @%p1 bra wait;\n";
  EXPECT_EQ(end_of(kernel_of_two_warps(body)).first, "none");
}

TEST(Deadlock, a_loop_that_looks_at_a_clock_may_end) {
  const char* const body =
      "  mov.u64 %rd2, %clock64;\nwait:\n  ld.volatile.global.u32 %r2, [%rd1];\n  mov.u64 %rd3, %clock64;\n"
      "  sub.u64 %rd3, %rd3, %rd2;\n  setp.lt.u64 %p1, %rd3, 200000;\n  @%p1 bra wait;\n";
  EXPECT_EQ(end_of(kernel_of_two_warps(body)).first, "none");
}

/// The longest sleep while everyone else polls: time goes on to whoever wakes.
TEST(Deadlock, one_that_sleeps_is_waited_for) {
  const char* const body =
      "  setp.lt.u32 %p1, %r1, 32;\n  @%p1 bra wait;\n  nanosleep.u32 1000000;\n  mov.u32 %r3, 1;\n"
      "  st.volatile.global.u32 [%rd1], %r3;\n  bra end;\nwait:\n  nanosleep.u32 20;\n"
      "  ld.volatile.global.u32 %r2, [%rd1];\n  setp.eq.u32 %p2, %r2, 0;\n  @%p2 bra wait;\nend:\n";
  Case c = kernel_of_two_warps(body);
  c.limit = 100'000'000;
  EXPECT_EQ(end_of(c).first, "none");
}

/// --max-instructions: within twice its number, whatever the loop does.
TEST(InstructionLimit, ends_every_loop_in_time) {
  const std::string call = "{\n  .param .b32 a;\n  st.param.b32 [a], %r1;\n  call f, (a);\n  }\n",
                    sleep = "  nanosleep.u32 50;\n";
  const std::string poll = "  ld.volatile.global.u32 %r2, [%rd1];\n", weak = "  ld.global.u32 %r2, [%rd1];\n",
                    atomic = "  atom.global.add.u32 %r2, [%rd1+4], 1;\n",
                    cas = "  atom.global.cas.b32 %r2, [%rd1], 1, 1;\n";
  for (const std::string& inside :
       {std::string(), poll, weak, atomic, cas, sleep, poll + sleep, call, call + poll + sleep}) {
    SCOPED_TRACE(inside);
    Case c = kernel_of_two_warps("wait:\n" + inside + "  bra wait;\n");
    c.ptx.insert(c.ptx.find(".visible"), ".func f(.param .b32 x)\n{\n  ret;\n}\n");
    c.limit = 300'000;
    const Outcome outcome = run_case(c, 20'000, functional_gpu(false));
    ASSERT_EQ(outcome.refused, "");
    ASSERT_EQ(outcome.completions.size(), 1u);
    ASSERT_TRUE(outcome.completions[0].fault.has_value());
    EXPECT_EQ(name_of(outcome.completions[0].fault->kind), "instruction_limit");
    EXPECT_LE(outcome.completions[0].counters.warp_instructions, 2 * c.limit);
    EXPECT_GE(outcome.completions[0].counters.warp_instructions, c.limit);
  }
}

}  // namespace
}  // namespace ew::test
