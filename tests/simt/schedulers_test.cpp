// What every warp scheduler must do, over the table: a new row is tested without a line here. And what single rows do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "simt/schedulers/models.hpp"
#include "simt/sm/scheduler.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

using simt::Scheduler;
using simt::SchedulerPolicy;

class EveryScheduler : public testing::TestWithParam<SchedulerPolicy> {};
INSTANTIATE_TEST_SUITE_P(Table, EveryScheduler,
                         testing::ValuesIn(simt::scheduler_policies().begin(), simt::scheduler_policies().end()),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

constexpr u64 every_fourth = 0x1111111111111111;

/// One scheduler with 16 slots, whose warps come, wait and go by chance.
class World {
 public:
  World(const SchedulerPolicy& policy, u64 seed) : scheduler_(policy, {every_fourth, seed}, 0), random_(seed) {}

  /// 64: nobody could issue.
  u32 step() {
    const u32 slot = static_cast<u32>(random_() % 16 * 4);
    const u64 bit = u64{1} << slot;
    const u64 event = random_() % 8;
    if (event == 0 && !(present_ & bit)) arrive(slot);
    if (event == 1 && present_ & bit) end(slot);
    if (event == 2 && present_ & bit) wait(slot);
    if (event == 3) waiting_ &= ~bit;
    offered_ = present_ & ~waiting_ & random_();
    return offered_ ? scheduler_.choose(offered_, age_.data()) : 64;
  }
  u64 offered() const { return offered_; }

 private:
  void arrive(u32 slot) {
    present_ |= u64{1} << slot;
    age_[slot] = ++arrivals_;
    if (scheduler_.state()) scheduler_.state()->arrived(slot);
  }
  void end(u32 slot) {
    present_ &= ~(u64{1} << slot);
    waiting_ &= ~(u64{1} << slot);
    if (scheduler_.state()) scheduler_.state()->ended(slot);
  }
  void wait(u32 slot) {
    waiting_ |= u64{1} << slot;
    if (scheduler_.state()) scheduler_.state()->waits_for_memory(slot);
  }

  Scheduler scheduler_;
  std::mt19937_64 random_;
  u64 present_ = 0, waiting_ = 0, offered_ = 0, arrivals_ = 0;
  std::array<u64, 64> age_{};
};

TEST_P(EveryScheduler, chooses_in_one_way) {
  EXPECT_NE(GetParam().choose != nullptr, GetParam().make != nullptr);
}

TEST_P(EveryScheduler, that_is_greedy_need_not_be_asked) {
  if (!GetParam().greedy) return;
  std::mt19937_64 random(1);
  std::array<u64, 64> age{};
  std::iota(age.begin(), age.end(), 1);
  for (u32 i = 0; i < 5000; ++i) {
    std::shuffle(age.begin(), age.end(), random);
    const u64 offered = random() & random() & random();
    const u32 last = static_cast<u32>(random() % 64);
    if (!offered) continue;
    const u32 expected = offered >> last & 1 ? last : simt::oldest_of(offered, age.data());
    ASSERT_EQ(GetParam().choose({offered, last, age.data()}), expected) << "step " << i;
  }
}

TEST_P(EveryScheduler, takes_one_of_those_offered) {
  for (u64 seed = 1; seed <= 20; ++seed) {
    World world(GetParam(), seed);
    u32 issued = 0;
    for (u32 i = 0; i < 5000; ++i)
      if (const u32 slot = world.step(); slot != 64) {
        ASSERT_TRUE(world.offered() >> slot & 1) << "seed " << seed << ", step " << i;
        ++issued;
      }
    EXPECT_GT(issued, 2000u);
  }
}

TEST_P(EveryScheduler, chooses_alike_with_one_seed) {
  World one(GetParam(), 7), other(GetParam(), 7);
  for (u32 i = 0; i < 20000; ++i) ASSERT_EQ(one.step(), other.step()) << i;
}

/// Whom a policy would pass over for ever goes first in the end: the machinery's patience, not the policy's.
TEST_P(EveryScheduler, every_ready_warp_issues_in_the_end) {
  Scheduler scheduler(GetParam(), {every_fourth, 1}, 0);
  std::array<u64, 64> age{};
  simt::ReadySets ready;
  for (u32 slot = 0; slot < 64; slot += 4) {
    age[slot] = 100 - slot;
    ready.needs(slot, simt::Unit::integer);
    ready.add(u64{1} << slot);
    if (scheduler.state()) scheduler.state()->arrived(slot);
  }
  std::array<u32, 64> last{};
  for (u32 now = 1; now < 20000; ++now) {
    scheduler.opportunity(ready, 0);
    last[scheduler.choose(scheduler.candidates(ready, now), age.data())] = now;
    for (u32 slot = 0; slot < 64; slot += 4) ASSERT_LT(now - last[slot], 600u) << "slot " << slot;
  }
}

/// Loads, stores, atomics and a barrier. `report` is of the run.
std::vector<u8> run(std::string_view policy, TimingReport& report) {
  Case c;
  c.ptx =
      ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pout, .param .u64 pin)\n{\n"
      "  .reg .b32 %r<12>;\n  .reg .b64 %rd<8>;\n  .reg .pred %p<2>;\n"
      "  ld.param.u64 %rd1, [pout];\n  ld.param.u64 %rd2, [pin];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n"
      "  mov.u32 %r3, %ntid.x;\n  mad.lo.u32 %r4, %r2, %r3, %r1;\n  mul.wide.u32 %rd3, %r4, 4;\n"
      "  add.s64 %rd4, %rd2, %rd3;\n  add.s64 %rd5, %rd1, %rd3;\n  mov.u32 %r5, 0;\n"
      "LOOP:\n  ld.global.u32 %r6, [%rd4];\n  add.u32 %r6, %r6, %r4;\n  st.global.u32 [%rd4], %r6;\n"
      "  atom.global.add.u32 %r7, [%rd2+32768], 1;\n  add.u32 %r5, %r5, 1;\n  setp.lt.u32 %p1, %r5, 8;\n"
      "  @%p1 bra LOOP;\n  bar.sync 0;\n  ld.global.u32 %r6, [%rd4];\n  st.global.u32 [%rd5], %r6;\n  ret;\n}\n";
  c.grid = {8, 1, 1};
  c.block = {256, 1, 1};
  c.sms = 2;
  c.buffers = {{"out", "u32", std::vector<u8>(8192)}, {"in", "u32", std::vector<u8>(65536)}};
  for (const char* name : {"out", "in"}) {
    Parameter parameter;
    parameter.buffer = name;
    c.parameters.push_back(parameter);
  }
  TimingSetup setup;
  setup.timing.policy = policy;
  setup.slowest = 300;
  setup.report = &report;
  const Outcome outcome = run_case(c, 10'000'000, timing_machine(setup));
  EXPECT_EQ(outcome.refused, "");
  EXPECT_TRUE(!outcome.completions.empty() && !outcome.completions[0].fault);
  return outcome.memory.at("out");
}

TEST_P(EveryScheduler, runs_kernels_to_one_result_and_one_digest) {
  TimingReport report, again;
  const std::vector<u8> out = run(GetParam().name, report);
  for (u32 i = 0; i < 2048; ++i) {
    u32 value = 0;
    std::memcpy(&value, out.data() + 4 * i, 4);
    ASSERT_EQ(value, 8 * i) << i;
  }
  run(GetParam().name, again);
  EXPECT_EQ(report.digest, again.digest);
}

TEST(TwoLevelScheduler, keeps_to_its_set_until_one_of_it_waits_for_memory) {
  const SchedulerPolicy& policy = *simt::scheduler_policy("two-level");
  const u64 slots = 0xff, age[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto scheduler = policy.make({slots, 0});  // two of eight are active
  std::vector<u32> issued;
  const auto choose = [&](u64 could) {
    issued.push_back(scheduler->choose({could, issued.empty() ? 0 : issued.back(), age}));
  };
  for (u32 i = 0; i < 4; ++i) choose(slots);
  EXPECT_EQ(issued, (std::vector<u32>{1, 0, 1, 0}));
  scheduler->waits_for_memory(0);
  issued = {0};
  for (u32 i = 0; i < 4; ++i) choose(slots & ~u64{1});
  EXPECT_EQ(issued, (std::vector<u32>{0, 1, 2, 1, 2}));
  issued = {0};
  choose(0b10000);  // neither of the two can: the younger of them gives way
  choose(slots & ~u64{1});
  choose(slots & ~u64{1});
  EXPECT_EQ(issued, (std::vector<u32>{0, 4, 1, 4}));
}

}  // namespace
}  // namespace ew::test
