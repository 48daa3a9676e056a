// Random control flow, run twice: by warps of 32 lanes, whose lanes part and meet, and by blocks of one thread, where
// nothing ever parts. What every thread computes must be the same. Seeds are fixed: a failure names the one to look at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "case_file.hpp"
#include "delayed_performer.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

class Generator {
 public:
  explicit Generator(u32 seed) : random_(seed) {}

  std::string kernel() {
    const u32 functions = 1 + below(3), blocks = 4 + below(10);
    std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n";
    for (u32 f = 0; f < functions; ++f) text += function(f);
    text +=
        ".visible .entry flow(.param .u64 pout, .param .u64 pcells)\n{\n  .reg .pred %p<4>;\n  .reg .b32 %r<12>;\n"
        "  .reg .b64 %rd<8>;\n  ld.param.u64 %rd1, [pout];\n  ld.param.u64 %rd2, [pcells];\n  mov.u32 %r4, %ctaid.x;\n"
        "  mov.u32 %r5, %ntid.x;\n  mov.u32 %r6, %tid.x;\n  mad.lo.u32 %r1, %r4, %r5, %r6;\n  mul.wide.u32 %rd3, %r1, "
        "4;\n"
        "  add.s64 %rd1, %rd1, %rd3;\n  add.s64 %rd2, %rd2, %rd3;\n  mul.lo.u32 %r2, %r1, 2654435761;\n"
        "  mov.u32 %r3, 80;\n";
    text += fmt::format("targets: .branchtargets L{}, L{}, L{};\n", below(blocks), below(blocks), below(blocks));
    for (u32 b = 0; b < blocks; ++b) text += block(b, blocks, functions);
    text += "END:\n  bar.sync 0;\n  xor.b32 %r2, %r2, %r3;\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n";
    return text;
  }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }

  /// %p1: a bit of the thread's state.
  std::string condition() {
    return fmt::format("  shr.u32 %r7, %r2, {};\n  and.b32 %r7, %r7, {};\n  setp.eq.u32 %p1, %r7, 0;\n", 5 + below(20),
                       below(4) ? 1 : 7);
  }

  std::string mix() {
    return fmt::format("  mad.lo.u32 %r2, %r2, {}, {};\n  shr.u32 %r7, %r2, 15;\n  xor.b32 %r2, %r2, %r7;\n",
                       (below(1u << 20) << 3) + 5, below(1u << 20));
  }

  /// Loops, returns early on some lanes, calls a function with a lower number or itself.
  std::string function(u32 number) {
    std::string text = fmt::format(
        ".func (.param .b32 result) f{}(.param .b32 x)\n{{\n  .reg .pred %p<4>;\n  .reg .b32 %r<12>;\n"
        "  ld.param.b32 %r2, [x];\n  and.b32 %r3, %r2, 7;\n",
        number);
    text += "LOOP:\n" + mix() + condition();
    if (below(2)) text += "  @%p1 bra EARLY;\n";
    if (number > 0 && below(2))
      text += condition() + "  @%p1 bra OVER;\n" + call(fmt::format("f{}", below(number))) + "OVER:\n";
    text += "  sub.u32 %r3, %r3, 1;\n  setp.lt.s32 %p2, %r3, 0;\n  @!%p2 bra LOOP;\n";
    if (below(2)) text += condition() + "  @%p1 bra EARLY;\n" + mix();
    text += "  st.param.b32 [result], %r2;\n  ret;\nEARLY:\n";
    if (below(2)) text += "  not.b32 %r2, %r2;\n";
    return text + "  st.param.b32 [result], %r2;\n  ret;\n}\n";
  }

  std::string call(const std::string& target) {
    return fmt::format(
        "  {{\n  .param .b32 a;\n  .param .b32 r;\n  st.param.b32 [a], %r2;\n  call (r), {}, (a);\n"
        "  ld.param.b32 %r2, [r];\n  }}\n",
        target);
  }

  std::string block(u32 number, u32 blocks, u32 functions) {
    std::string text =
        fmt::format("L{}:\n  sub.u32 %r3, %r3, 1;\n  setp.le.s32 %p2, %r3, 0;\n  @%p2 bra END;\n", number);
    text += mix();
    switch (below(8)) {
      case 0:
        text += call(fmt::format("f{}", below(functions)));
        break;
      case 1:
        text += condition() + fmt::format("  @%p1 bra O{0};\n{1}O{0}:\n", number, call("f0"));
        break;
      case 2:
        text += "  and.b32 %r7, %r2, 63;\n  nanosleep.u32 %r7;\n";
        break;
      case 3:
        text += "  atom.global.add.u32 %r7, [%rd2], %r2;\n  xor.b32 %r2, %r2, %r7;\n";
        break;
      case 4:
        text += condition() +
                "  @%p1 st.volatile.global.u32 [%rd2], %r2;\n  ld.volatile.global.u32 %r7, [%rd2];\n"
                "  add.u32 %r2, %r2, %r7;\n";
        break;
      case 5:
        text +=
            "  shr.u32 %r7, %r2, 9;\n  and.b32 %r7, %r7, 63;\n  setp.eq.u32 %p3, %r7, 0;\n"
            "  @%p3 st.global.u32 [%rd1], %r2;\n  @%p3 exit;\n";
        break;
      case 6:
        text += condition() + "  @!%p1 mad.lo.u32 %r2, %r2, 77, 1;\n";
        break;
      default:
        break;
    }
    switch (below(5)) {
      case 0:
        text += "  shr.u32 %r7, %r2, 11;\n  rem.u32 %r7, %r7, 3;\n  brx.idx %r7, targets;\n";
        break;
      case 1:
        text += fmt::format("  bra L{};\n", below(blocks));
        break;
      case 2:
        text += condition() + fmt::format("  @%p1 bra L{};\n  bra L{};\n", below(blocks), below(blocks));
        break;
      default:
        text += condition() + fmt::format("  @{}%p1 bra L{};\n", below(2) ? "" : "!", below(blocks));
        break;
    }
    return text + (number + 1 == blocks ? "  bra L0;\n" : "");
  }

  std::mt19937 random_;
};

Case launch(const std::string& ptx, u32 grid, u32 block) {
  Case c;
  c.ptx = ptx;
  c.grid = {grid, 1, 1};
  c.block = {block, 1, 1};
  c.limit = 5'000'000;
  c.buffers = {{"out", "u32", std::vector<u8>(96 * 4)}, {"cells", "u32", std::vector<u8>(96 * 4)}};
  for (const char* name : {"out", "cells"}) {
    Parameter parameter;
    parameter.buffer = name;
    c.parameters.push_back(parameter);
  }
  return c;
}

TEST(RandomFlow, warps_compute_what_single_threads_do) {
  for (u32 seed = 0; seed < 200; ++seed) {
    const std::string ptx = Generator(seed).kernel();
    const Outcome alone = run_case(launch(ptx, 96, 1));
    ASSERT_FALSE(alone.completions.at(0).fault) << "seed " << seed << "\n" << alone.completions[0].fault->report << ptx;
    for (const u32 block : {32u, 48u, 96u}) {
      const Outcome together = run_case(launch(ptx, 96 / block, block));
      ASSERT_FALSE(together.completions.at(0).fault) << "seed " << seed << ", blocks of " << block << "\n"
                                                     << together.completions[0].fault->report;
      ASSERT_EQ(alone.memory, together.memory) << "seed " << seed << ", blocks of " << block;
    }
  }
}

TEST(RandomFlow, late_performers_change_nothing) {
  for (u32 seed = 0; seed < 60; ++seed) {
    const Case c = launch(Generator(seed).kernel(), 2, 48);
    const Outcome at_once = run_case(c);
    ASSERT_FALSE(at_once.completions.at(0).fault) << "seed " << seed;
    for (const bool goes_on : {false, true}) {
      Traffic traffic;
      const Outcome late = run_case(c, 1'000'000, [&](memory::AddressSpace& space, Guard& guard) {
        guard.leave_open();
        return std::make_unique<DelayedPerformer>(space, seed, goes_on, traffic, guard);
      });
      ASSERT_FALSE(late.completions.at(0).fault) << "seed " << seed << "\n" << late.completions[0].fault->report;
      ASSERT_EQ(at_once.memory, late.memory) << "seed " << seed;
    }
  }
}

TEST(RandomFlow, timing_machines_change_nothing) {
  TimingSetup plain, wild;
  wild.timing.schedulers = 1;
  wild.timing.policy = "lrr";
  wild.consistency = "sc";
  wild.hits = 30;
  wild.stalls = 20;
  wild.fastest = 1;
  wild.slowest = 300;
  wild.skew = 3;
  for (u32 seed = 0; seed < 60; ++seed) {
    const Case c = launch(Generator(seed).kernel(), 2, 48);
    const Outcome functional = run_case(c);
    ASSERT_FALSE(functional.completions.at(0).fault) << "seed " << seed;
    wild.seed = seed;
    for (const TimingSetup& setup : {plain, wild}) {
      const Outcome timed = run_case(c, 1'000'000, timing_machine(setup));
      ASSERT_FALSE(timed.completions.at(0).fault) << "seed " << seed << "\n" << timed.completions[0].fault->report;
      ASSERT_EQ(functional.memory, timed.memory) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ew::test
