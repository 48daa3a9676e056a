// Litmus tests as kernels on a machine: what the kernel computes is what the statements mean, seeds repeat and differ,
// and a machine that shows what the axioms forbid is found out.
#include "check/litmus_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "check/interleavings.hpp"
#include "check/litmus_kernel.hpp"
#include "check/litmus_parser.hpp"
#include "check/verdict.hpp"
#include "coherence/models.hpp"
#include "committed_tests.hpp"
#include "consistency/models.hpp"
#include "random_litmus.hpp"
#include "runtime/gpu_limits.hpp"
#include "runtime/timing_machine.hpp"
#include "simt/functional_gpu.hpp"

namespace ew::check {
namespace {

LitmusMachine functional() {
  LitmusMachine machine;
  machine.make = [](memory::AddressSpace& space, simt::DeviceServices& services, u64, memory::DurableImage&) {
    simt::GpuLimits limits;
    limits.sms = 4;
    return std::make_unique<runtime::FunctionalSimulator>(
        std::make_unique<simt::FunctionalGpu>(limits, space, services));
  };
  return machine;
}

Litmus litmus_of(const std::string& lines) {
  return parse_litmus("test t ptx\n" + lines, "test")[0];
}

std::set<std::string> seen(const std::string& threads, u64 seeds = 20) {
  const Program program = resolve(litmus_of(threads), "test");
  std::set<std::string> states;
  for (const auto& [state, count] : run_litmus(program, functional(), 0, seeds).states)
    states.insert(program.text_of(state));
  return states;
}

using States = std::set<std::string>;

TEST(LitmusRun, StatementsComputeWhatTheySay) {
  EXPECT_EQ(
      seen("init x=7 y=-2\n"
           "T0: add a x 5 ; xchg b x 3 ; or c y 4 ; max d y -9 ; max e y 6 ; cas f x 3 8 ; cas g x 3 9 ; ld h x\n"),
      (States{"T0:a=7 T0:b=12 T0:c=-2 T0:d=-2 T0:e=-2 T0:f=3 T0:g=8 T0:h=8 x=8 y=6"}));
  EXPECT_EQ(seen("init x=6\nT0: add _ x -2 ; max.rlx.dev _ x 2 ; or.rel.sys _ x 3\n"), (States{"x=7"}));
}

TEST(LitmusRun, ExpressionsComputeWhatTheySay) {
  for (u64 seed = 0; seed < 60; ++seed) {
    RandomLitmus random(seed);
    const u32 a = random.below(5), b = random.below(4);
    const std::string text =
        "T0: let a = " + std::to_string(static_cast<int>(a) - 2) + " ; let b = " + std::to_string(b) +
        " ; let c = a + b * 3 - -a ; let d = (a | b) ^ (c & 5) ; let e = (a < b) + 2 * (a <= b) + 4 * (a > b)"
        " ; let f = (a >= b) + 2 * (a == b) + 4 * (a != b) ; let g = (a && b) + 2 * (a || b) + 4 * !a\n";
    const Program program = resolve(litmus_of(text + "T1: st x 1\n"), "test");
    const auto expected = interleavings(program);
    ASSERT_EQ(expected.size(), 1u);
    const auto states = run_litmus(program, functional(), 0, 2).states;
    ASSERT_EQ(states.size(), 1u);
    EXPECT_EQ(program.text_of(states.begin()->first), program.text_of(*expected.begin())) << text;
  }
}

TEST(LitmusRun, BranchesBarriersAndAwaitsWork) {
  EXPECT_EQ(
      seen("T0@b0: st x 5 ; bar ; ld r y\nT1@b0: bar ; ld s x ; if s == 5 { st y 1 } else { st y 2 } ; let t = s\n"
           "T2@b1.w0: await.acq.dev q y !=0\nT3@b1.w0: await.rlx.dev p y >=1\n")
          .size(),
      2u);  // T0 reads y before or after it is written
  EXPECT_EQ(seen("T0@b0.w0: await.acq.blk r x ==1 ; st y 1\nT1@b0.w0: st.rel.blk x 1 ; await.rlx.blk s y ==1\n"),
            (States{"T0:r=1 T1:s=1 x=1 y=1"}));
}

TEST(LitmusRun, ThreadsStandWhereTheTestPutsThem) {
  const auto kernel = [](const std::string& threads) { return make_kernel(resolve(litmus_of(threads), "test")); };
  EXPECT_EQ(kernel("T0: st x 1\nT1: st x 2\n").blocks, 2u);
  EXPECT_EQ(kernel("T0: st x 1\nT1: st x 2\n").threads, 32u);
  EXPECT_EQ(kernel("T0@b3: st x 1\nT1@b3: st x 2\nT2@b7: st x 3\n").blocks, 2u);
  EXPECT_EQ(kernel("T0@b3: st x 1\nT1@b3: st x 2\nT2@b7: st x 3\n").threads, 64u);
  EXPECT_EQ(kernel("T0@b0.w2: st x 1\nT1@b0.w2: st x 2\n").threads, 32u);
  EXPECT_FALSE(cannot_run(resolve(litmus_of("T0@d1.b0: st x 1\n"), "test")).empty());
}

TEST(LitmusRun, AccessesAreTheInstructionsThatTheTagsName) {
  const std::string ptx =
      make_kernel(resolve(litmus_of("T0: ld a x ; ld.volatile b x ; ld.rlx.blk c x ; ld.acq.dev d x ; st.rel x 1 ; "
                                    "st.rlx.sys x 2 ; add.acqrel.blk e x 1 ; add _ x 1 ; add.acq.dev _ x 1 ; fence.blk "
                                    "; fence.sc.sys ; bar ; max.rel.dev _ x 1 ; cas.acq.blk f x 1 2\n"),
                          "test"))
          .ptx;
  for (const char* instruction :
       {"ld.weak.global.u32", "ld.volatile.global.u32", "ld.relaxed.cta.global.u32", "ld.acquire.gpu.global.u32",
        "st.release.sys.global.u32", "st.relaxed.sys.global.u32", "atom.acq_rel.cta.global.add.u32",
        "red.relaxed.sys.global.add.u32", "atom.acquire.gpu.global.add.u32", "fence.acq_rel.cta;", "fence.sc.sys;",
        "barrier.sync 0;", "red.release.gpu.global.max.s32", "atom.acquire.cta.global.cas.b32"})
    EXPECT_NE(ptx.find(instruction), ptx.npos) << instruction << "\n" << ptx;
}

TEST(LitmusRun, FunctionalModeShowsInterleavingsOnly) {
  RunPlan plan{.machine = functional(), .protocol = "functional", .first_seed = 0, .seeds = 30};
  u64 runs = 0;
  std::size_t states = 0;
  for (const Litmus& test : committed_ptx_tests()) {
    const Verdict verdict = judge(test, "ptx.glt", plan);
    EXPECT_FALSE(verdict.failed()) << verdict.test;
    EXPECT_EQ(verdict.weak_runs, 0u) << verdict.test;
    runs += verdict.histogram.runs;
    states += verdict.histogram.states.size();
  }
  EXPECT_GT(runs, 4000u);
  EXPECT_GT(states, 350u);  // seeds do vary what happens
}

/// A small machine whose caches hold data, with this protocol. written_lines_stay: until a release, or the buffer is
/// full.
LitmusMachine timing(const std::string& protocol, const std::string& consistency = "ptx",
                     bool written_lines_stay = false) {
  runtime::MachineConfig config;
  config.machine.mode = "timing";
  config.sm.count = 4;
  config.coherence.protocol = protocol;
  config.consistency.model = consistency;
  if (written_lines_stay) config.l1.drain_after = 0;
  config.network.jitter = 64;
  LitmusMachine machine;
  machine.make = [config, results = std::make_shared<runtime::RunResults>()](memory::AddressSpace& space,
                                                                             simt::DeviceServices& services, u64 seed,
                                                                             memory::DurableImage& durable) {
    return std::make_unique<runtime::TimingMachine>(config, runtime::gpu_limits(config), seed, space, services,
                                                    *results, runtime::TimingMachine::Observation{}, &durable);
  };
  return machine;
}

using ProtocolAndModel = std::tuple<std::string_view, std::string_view>;

/// Every coherence protocol under every consistency model, held to the axioms of the latter.
class LitmusProtocols : public testing::TestWithParam<ProtocolAndModel> {
 protected:
  static RunPlan plan(u64 seeds) {
    const std::string protocol(std::get<0>(GetParam())), model(std::get<1>(GetParam()));
    return {.machine = timing(protocol, model, model != "ptx"),
            .protocol = protocol,
            .consistency = model,
            .first_seed = 1,
            .seeds = seeds};
  }
};

TEST_P(LitmusProtocols, CommittedTestsStayWithinTheAxioms) {
  for (const Litmus& test : committed_ptx_tests()) {
    const Verdict verdict = judge(test, "ptx.glt", plan(std::get<1>(GetParam()) == "ptx" ? 3 : 1));
    EXPECT_FALSE(verdict.failed()) << verdict.test << " " << verdict.histogram.unfinished_why
                                   << (verdict.forbidden.empty() ? "" : verdict.forbidden[0].state);
  }
}

TEST_P(LitmusProtocols, RandomProgramsStayWithinTheAxioms) {
  for (u64 seed = 1000; seed < 1080; ++seed) {
    RandomLitmus random(seed);
    Litmus test = random.program(3, 2);
    for (ThreadText& thread : test.threads) thread.placement->device = 0;
    const Verdict verdict = judge(test, "random", plan(4));
    EXPECT_FALSE(verdict.failed()) << print(test) << verdict.histogram.unfinished_why
                                   << (verdict.forbidden.empty() ? "" : verdict.forbidden[0].state);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LitmusProtocols,
                         testing::Combine(testing::ValuesIn(coherence::names()),
                                          testing::ValuesIn(consistency::names())),
                         [](const auto& info) {
                           std::string name =
                               std::string(std::get<0>(info.param)) + "_" + std::string(std::get<1>(info.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// What tells HRF-Direct from HRF-Indirect: T0 and T1 synchronise in their block, T1 and T2 at the device, and T2
/// misses T0's store.
TEST(LitmusRun, ChainsThroughScopesBreakUnderHrfDirectAlone) {
  for (const Litmus& test : committed_ptx_tests()) {
    if (!test.name.starts_with("ISA2+await+blk+dev") && !test.name.starts_with("ISA2+bar")) continue;
    for (const char* protocol : {"gpu", "gpu-hrf", "denovo", "denovo-hrf"})
      for (const char* model : {"hrf", "hrf-direct"}) {
        const Verdict verdict = judge(
            test, "test",
            RunPlan{.machine = timing(protocol, model, true), .protocol = protocol, .consistency = model, .seeds = 60});
        EXPECT_FALSE(verdict.failed()) << test.name << " " << protocol << " " << model;
        const auto answer =
            std::ranges::find_if(verdict.answers, [&](const Answer& a) { return a.model == model && a.ran; });
        ASSERT_NE(answer, verdict.answers.end()) << test.name;
        EXPECT_EQ(answer->seen > 0, std::string(model) == "hrf-direct") << test.name << " " << protocol << " " << model;
      }
  }
}

TEST(LitmusRun, StoreBufferingShowsOnMachinesWithCaches) {
  const Litmus test = litmus_of(
      "T0@b0: st x 1 ; ld r y\nT1@b1: st y 1 ; ld r x\n"
      "expect final T0:r==0 && T1:r==0 :: ptx=A\nexpect shown gpu,mesi\n");
  for (const char* protocol : {"gpu", "mesi"}) {
    const Verdict verdict = judge(test, "test", RunPlan{.machine = timing(protocol), .protocol = protocol});
    EXPECT_FALSE(verdict.failed()) << protocol;
    EXPECT_GT(verdict.weak_runs, 0u) << protocol;
  }
}

TEST(LitmusRun, ASeedOfATimingMachineRepeats) {
  const Program program = resolve(litmus_of("T0: st x 1 ; ld r y\nT1: st y 1 ; ld r x\n"), "test");
  for (const auto& [state, count] : run_litmus(program, timing("gpu"), 0, 60).states)
    EXPECT_TRUE(run_litmus(program, timing("gpu"), count.first_seed, 1).states.contains(state));
}

TEST(LitmusRun, RandomProgramsStayWithinTheAxioms) {
  for (u64 seed = 0; seed < 150; ++seed) {
    RandomLitmus random(seed);
    Litmus test = random.program(3, 2);
    for (ThreadText& thread : test.threads) thread.placement->device = 0;
    const Verdict verdict =
        judge(test, "random", RunPlan{.machine = functional(), .protocol = "functional", .first_seed = 0, .seeds = 8});
    EXPECT_FALSE(verdict.failed()) << print(test);
    EXPECT_EQ(verdict.weak_runs, 0u) << print(test);
  }
}

TEST(LitmusRun, ASeedRepeats) {
  const Program program =
      resolve(litmus_of("T0: add r x 1 ; ld s y\nT1: add r x 1 ; st y 1\nT2: st x 9 ; ld r y\n"), "test");
  const auto all = run_litmus(program, functional(), 0, 60);
  ASSERT_GT(all.states.size(), 2u);
  for (const auto& [state, count] : all.states) {
    const auto again = run_litmus(program, functional(), count.first_seed, 1);
    ASSERT_EQ(again.states.size(), 1u);
    EXPECT_TRUE(again.states.contains(state)) << program.text_of(state);
  }
}

/// A GPU that is right but for one thing: when a kernel has ended, its first result is 77.
class WrongGpu final : public simt::Gpu {
 public:
  explicit WrongGpu(std::unique_ptr<simt::Gpu> right) : right_(std::move(right)) {}
  std::string refuse(const simt::Launch& l) const override { return right_->refuse(l); }
  simt::LaunchId start(simt::Launch launch) override {
    std::memcpy(&results_, launch.parameters.data(), sizeof results_);
    return right_->start(std::move(launch));
  }
  bool run(u64 instructions) override { return right_->run(instructions); }
  std::vector<simt::Completion> take_completions() override {
    auto completions = right_->take_completions();
    if (!completions.empty()) *reinterpret_cast<u32*>(results_) = 77;
    return completions;
  }
  void set_instruction_limit(u64 limit) override { right_->set_instruction_limit(limit); }
  void set_crash_point(u64 at, std::function<void()> crash) override { right_->set_crash_point(at, std::move(crash)); }
  void request_stop() override { right_->request_stop(); }
  const simt::Counters& totals() const override { return right_->totals(); }
  u64 simulated_nanoseconds() const override { return right_->simulated_nanoseconds(); }
  void advance_nanoseconds(u64 ns) override { right_->advance_nanoseconds(ns); }

 private:
  std::unique_ptr<simt::Gpu> right_;
  u64 results_ = 0;
};

TEST(LitmusRun, WhatTheAxiomsForbidIsAFailureWithItsSeed) {
  LitmusMachine wrong;
  wrong.make = [](memory::AddressSpace& space, simt::DeviceServices& services, u64 seed,
                  memory::DurableImage&) -> std::unique_ptr<runtime::Simulator> {
    std::unique_ptr<simt::Gpu> gpu = std::make_unique<simt::FunctionalGpu>(simt::GpuLimits{}, space, services);
    if (seed >= 5) gpu = std::make_unique<WrongGpu>(std::move(gpu));
    return std::make_unique<runtime::FunctionalSimulator>(std::move(gpu));
  };
  const Litmus test = litmus_of("T0: ld r x\nT1: st x 1\nexpect final T0:r==77 :: ptx=F\n");
  const RunPlan plan{.machine = wrong, .protocol = "functional", .first_seed = 0, .seeds = 9};
  const Verdict verdict = judge(test, "test", plan);
  EXPECT_TRUE(verdict.failed());
  ASSERT_EQ(verdict.forbidden.size(), 1u);
  EXPECT_EQ(verdict.forbidden[0].state, "T0:r=77 x=1");
  EXPECT_EQ(verdict.forbidden[0].runs, 4u);
  EXPECT_EQ(verdict.forbidden[0].first_seed, 5u);
  EXPECT_EQ(verdict.answers[0].seen, 4u);
  EXPECT_FALSE(judge(test, "test", RunPlan{.machine = functional(), .protocol = "functional"}).failed());
}

TEST(LitmusRun, WhatMustBeShownAndIsNotIsAFailure) {
  const Litmus test = litmus_of(
      "T0: st x 1 ; st y 1\nT1: ld r y ; ld s x\n"
      "expect final T1:r==1 && T1:s==0 :: ptx=A\nexpect shown functional\n");
  EXPECT_TRUE(judge(test, "test", RunPlan{.machine = functional(), .protocol = "functional"}).failed());
  EXPECT_FALSE(judge(test, "test", RunPlan{.machine = functional(), .protocol = "gpu"}).failed());
  EXPECT_FALSE(judge(test, "test", {}).failed());
}

TEST(LitmusRun, ARunThatDoesNotEndIsAFailure) {
  LitmusMachine hasty = functional();
  hasty.instruction_limit = 50;
  const Verdict verdict = judge(litmus_of("T0: await.rlx.dev r x ==1\nT1: add.rlx.dev _ x 1\n"), "test",
                                RunPlan{.machine = hasty, .protocol = "functional", .first_seed = 1, .seeds = 20});
  EXPECT_TRUE(verdict.failed());
  EXPECT_GT(verdict.histogram.unfinished, 0u);
  EXPECT_FALSE(verdict.histogram.unfinished_why.empty());
}

TEST(LitmusRun, ARunThatMissesWhatItWaitsForIsNone) {
  const Verdict verdict =
      judge(litmus_of("T0: await.rlx.dev r x ==1\nT1: st.rlx.dev x 1 ; st.rlx.dev x 2\n"), "test",
            RunPlan{.machine = functional(), .protocol = "functional", .first_seed = 0, .seeds = 20});
  EXPECT_FALSE(verdict.failed());
  EXPECT_GT(verdict.histogram.unfinished, 0u);
}

// A loop around a weak load had its whole turn, three of which reached the limit of instructions.
TEST(LitmusRun, WeakPollsEndInFunctionalMode) {
  const Verdict verdict =
      judge(litmus_of("T0: await r2 f !=0 ; st f 0\nT1: st f 1 ; await r2 f !=1\n"), "test",
            RunPlan{.machine = functional(), .protocol = "functional", .first_seed = 0, .seeds = 400});
  EXPECT_EQ(verdict.histogram.unfinished, 0u) << verdict.histogram.unfinished_why;
  EXPECT_EQ(verdict.histogram.runs, 400u);
}

// Arrivals are counted by warps, and who meets whom depends on who comes first.
TEST(LitmusRun, NamedBarriersWaitForAsManyAsTheySay) {
  EXPECT_EQ(seen("T0@b0: st x 1 ; arrive 1 64\nT1@b0: bar 1 64 ; ld r x\n"), (States{"T1:r=1 x=1"}));
  EXPECT_EQ(seen("T0@b0: st x 1 ; arrive 1 64 ; bar 2 64 ; ld r y\n"
                 "T1@b0: bar 1 64 ; ld r x ; st y 1 ; arrive 2 64\n"),
            (States{"T0:r=1 T1:r=1 x=1 y=1"}));
  EXPECT_EQ(seen("T0@b0: st x 1 ; bar 3 96 ; ld r y\nT1@b0: st y 1 ; arrive 3 96\nT2@b0: bar 3 96 ; ld s y\n"),
            (States{"T0:r=1 T2:s=1 x=1 y=1"}));
  EXPECT_GT(seen("T0@b0: st x 1 ; bar 1 64\nT1@b0: bar 1 64 ; ld r x\nT2@b0: bar 1 64 ; ld r x\nT3@b0: bar 1 64\n", 100)
                .size(),
            1u);
}

}  // namespace
}  // namespace ew::check
