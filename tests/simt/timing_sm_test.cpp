// One SM of the timing machine: what its scoreboard, schedulers, banks, queue, barriers and order cost, in cycles.
// Kernels read %clock and leave differences in memory; the hierarchy is a stand-in with a fixed latency.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simt/coalescer.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

struct Ran {
  std::vector<u32> out;
  TimingReport report;
  std::string fault;
  u64 nanoseconds = 0;
};

/// A kernel that has %rd1 (out), %rd2 (in, 64 KiB of zeros), %r1 (thread), %r2 (out index = thread), 256 b32 registers
/// %x, floats %f and predicates %p.
Ran run(const std::string& body, TimingSetup setup, u32 threads = 32, u32 blocks = 1, u32 sms = 1, u32 shared = 16384) {
  Case c;
  c.ptx =
      ".version 8.3\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"
      ".visible .entry k(.param .u64 pout, .param .u64 pin)\n{\n  .reg .b32 %r<8>;\n  .reg .b32 %x<256>;\n"
      "  .reg .b64 %rd<64>;\n  .reg .f32 %f<256>;\n  .reg .f64 %d<64>;\n  .reg .pred %p<8>;\n"
      "  ld.param.u64 %rd1, [pout];\n  ld.param.u64 %rd2, [pin];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r3, %ctaid.x;\n"
      "  mov.u32 %r4, %ntid.x;\n  mad.lo.u32 %r2, %r3, %r4, %r1;\n  mul.wide.u32 %rd3, %r2, 4;\n"
      "  add.s64 %rd1, %rd1, %rd3;\n" +
      body + "  ret;\n}\n";
  c.grid = {blocks, 1, 1};
  c.block = {threads, 1, 1};
  c.sms = sms;
  c.dynamic_shared = shared;
  c.buffers = {{"out", "u32", std::vector<u8>(4096)}, {"in", "u32", std::vector<u8>(65536)}};
  for (const char* name : {"out", "in"}) {
    Parameter parameter;
    parameter.buffer = name;
    c.parameters.push_back(parameter);
  }
  Ran result;
  setup.report = &result.report;
  const Outcome outcome = run_case(c, 1'000'000, timing_machine(setup));
  EXPECT_EQ(outcome.refused, "");
  if (!outcome.completions.empty() && outcome.completions[0].fault) result.fault = outcome.completions[0].fault->report;
  const std::vector<u8>& bytes = outcome.memory.at("out");
  result.out.resize(bytes.size() / 4);
  std::memcpy(result.out.data(), bytes.data(), bytes.size());
  result.nanoseconds = outcome.nanoseconds;
  EXPECT_EQ(result.report.statistics.all_slots(), result.report.statistics.cycles * sms * setup.timing.schedulers);
  return result;
}

std::string repeated(u32 times, auto&& line) {
  std::string text;
  for (u32 i = 0; i < times; ++i) text += "  " + std::string(line(i)) + "\n";
  return text;
}

/// Thread 0's difference of %clock around `body`. %x1 to %x16 live on behind it: their rows are nobody else's.
u32 clocks(const std::string& body, const TimingSetup& setup, u32 threads = 32) {
  return run("  mov.u32 %r5, %clock;\n" + body + "  mov.u32 %r6, %clock;\n  sub.u32 %r6, %r6, %r5;\n" +
                 repeated(16, [](u32 i) { return fmt::format("xor.b32 %x0, %x0, %x{};", i + 1); }) +
                 "  st.global.u32 [%rd1], %r6;\n  st.global.u32 [%rd2+32768], %x0;\n",
             setup, threads)
      .out[0];
}

TimingSetup plain() {
  TimingSetup setup;
  setup.fastest = setup.slowest = 200;
  return setup;
}

TEST(TimingScoreboard, dependent_chain_takes_the_latency_each) {
  TimingSetup setup = plain();
  const auto chain = [](u32 n) { return repeated(n, [](u32) { return "fma.rn.f32 %f1, %f1, %f1, %f1;"; }); };
  for (const u32 latency : {4u, 7u, 100u}) {
    setup.timing.single.latency = latency;
    EXPECT_EQ(clocks(chain(40), setup) - clocks(chain(8), setup), 32 * latency);
  }
}

TEST(TimingScoreboard, independent_instructions_overlap) {
  TimingSetup setup = plain();
  const auto many = [](u32 n) {
    return repeated(n, [](u32 i) { return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};", i); });
  };
  EXPECT_EQ(clocks(many(40), setup) - clocks(many(8), setup), 32 * setup.timing.single.interval);
  setup.timing.single.interval = 1;
  EXPECT_EQ(clocks(many(40), setup) - clocks(many(8), setup), 32u);
}

TEST(TimingScoreboard, units_work_side_by_side) {
  TimingSetup setup = plain();
  const std::string both = repeated(32, [](u32 i) {
    return i % 2 ? fmt::format("fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};", i)
                 : fmt::format("add.u32 %x{0}, %x{0}, 1;", i);
  });
  EXPECT_LE(clocks(both, setup), 32u + 3);  // one a cycle, although each unit takes one in two
}

TEST(TimingScoreboard, predicates_are_waited_for) {
  TimingSetup setup = plain();
  setup.timing.integer.latency = 50;
  const std::string body = "  setp.eq.u32 %p1, %r1, 77;\n  @%p1 add.u32 %x2, %x2, 1;\n";
  EXPECT_GE(clocks(body, setup), 50u);
}

TEST(TimingScoreboard, a_load_is_waited_for_by_its_reader_only) {
  TimingSetup setup = plain();
  setup.fastest = setup.slowest = 500;
  const std::string load = "  ld.global.u32 %x1, [%rd2];\n";
  EXPECT_LT(clocks(load, setup), 20u);
  const u32 read = clocks(load + "  add.u32 %x2, %x1, 1;\n", setup);
  EXPECT_GE(read, 500u);
  EXPECT_LT(read, 510u);
  const u32 overwritten = clocks(load + "  mov.u32 %x1, 1;\n", setup);
  EXPECT_GE(overwritten, 500u);
}

TEST(TimingScoreboard, a_hit_answers_after_the_private_latency) {
  TimingSetup setup = plain();
  setup.hits = 100;
  const std::string once = "  ld.global.u32 %x1, [%rd2];\n  add.u32 %x2, %x1, 1;\n";
  setup.private_latency = 20;
  const u32 short_one = clocks(once, setup);
  setup.private_latency = 33;
  EXPECT_EQ(clocks(once, setup) - short_one, 13u);
}

TEST(TimingUnits, divisions_and_doubles_take_theirs) {
  TimingSetup setup = plain();
  const auto of = [&](const std::string& line) {
    return clocks(repeated(12, [&](u32) { return line; }), setup) -
           clocks(repeated(4, [&](u32) { return line; }), setup);
  };
  const auto& t = setup.timing;
  EXPECT_EQ(of("add.u32 %x1, %x1, 1;"), 8 * t.integer.latency);
  EXPECT_EQ(of("mad.lo.u32 %x1, %x1, %x1, 1;"), 8 * t.multiply.latency);
  EXPECT_EQ(of("div.u32 %x1, %x1, 3;"), 8 * t.integer_divide.latency);
  EXPECT_EQ(of("fma.rn.f64 %d1, %d1, %d1, %d1;"), 8 * std::max(t.wide.latency, t.wide.interval));
  EXPECT_EQ(of("ex2.approx.f32 %f1, %f1;"), 8 * t.special.latency);
  EXPECT_EQ(of("div.rn.f32 %f1, %f1, %f2;"), 8 * t.single_divide.latency);
  EXPECT_EQ(of("cvt.rn.f32.u32 %f1, %x1;"), 8 * std::max(t.convert.latency, t.convert.interval));
  EXPECT_EQ(of("shfl.sync.idx.b32 %x1, %x1, 0, 31, -1;"), 8 * t.shuffle.latency);
  EXPECT_EQ(of("{ .reg .pred p; setp.ne.u32 p, %x1, 0; vote.sync.ballot.b32 %x1, p, 0xffffffff; }"),
            8 * (t.integer.latency + t.vote_latency));
}

/// An SM of four schedulers with two lanes of double precision: a chain had to wait for the unit, not for its value.
TEST(TimingUnits, of_double_precision_may_be_one_for_all_schedulers) {
  TimingSetup setup = plain();
  setup.timing.wide = {48, 16};
  const auto of = [&](const std::string& registers, u32 warps) {
    const auto lines = [&](u32 n) {
      return repeated(n, [&](u32 i) {
        return fmt::format("fma.rn.f64 %d{0}, %d{0}, %d{0}, %d{0};", registers == "one" ? 1 : i % 16);
      });
    };
    return (run(lines(80), setup, warps * 32).report.statistics.cycles -
            run(lines(16), setup, warps * 32).report.statistics.cycles) /
           64.0;
  };
  EXPECT_NEAR(of("one", 1), 48, 0.1) << "a chain";
  EXPECT_NEAR(of("many", 1), 17, 0.1) << "the others could have issued first";
  EXPECT_NEAR(of("many", 4), 4 * 16 + 1, 0.1) << "once round";
  EXPECT_NEAR(of("many", 8), 8 * 16 + 2, 0.5);
  setup.timing.wide_shared = false;
  EXPECT_NEAR(of("many", 4), 16, 0.1);
}

TEST(TimingShared, atomics_take_longer_than_loads) {
  TimingSetup setup = plain();
  const auto of = [&](const std::string& line) {
    const auto lines = [&](u32 n) { return "  mov.u32 %x2, dynamic;\n" + repeated(n, [&](u32) { return line; }); };
    return (clocks(lines(24), setup) - clocks(lines(8), setup)) / 16;
  };
  const auto& t = setup.timing;
  const u32 others = 31 * t.shared_conflict;  // all lanes want one word
  EXPECT_EQ(of("ld.shared.u32 %x1, [%x2]; and.b32 %x3, %x1, 0; add.u32 %x2, %x2, %x3;"),
            t.shared_latency + 2 * t.integer.latency);
  EXPECT_EQ(of("atom.shared.add.u32 %x1, [%x2], %x1;"), t.shared_latency + t.shared_atomic + others);
  EXPECT_EQ(of("atom.shared.cas.b32 %x1, [%x2], %x1, 0;"), t.shared_latency + t.shared_swap + others);
}

TEST(TimingBranch, costs_its_latency_when_it_is_taken) {
  TimingSetup setup = plain();
  const auto jumps = [](u32 n) {
    return repeated(n, [](u32 i) { return fmt::format("bra J{0};\n  add.u32 %x1, %x1, 1;\nJ{0}:", i); });
  };
  EXPECT_EQ(clocks(jumps(20), setup) - clocks(jumps(4), setup), 16 * setup.timing.branch_latency);
  const auto none = [](u32 n) {
    return "  setp.eq.u32 %p1, %r1, 99;\n" + repeated(n, [](u32 i) { return fmt::format("@%p1 bra J{0};\nJ{0}:", i); });
  };
  EXPECT_EQ(clocks(none(20), setup) - clocks(none(4), setup), 16u);
}

// --- Shared memory

u32 shared_load(u32 stride, const TimingSetup& setup, const char* type = "u32", u32 times = 1) {
  const std::string target = std::string(type) == "u32" ? "%x1" : "%rd10";
  return clocks(fmt::format("  mov.u32 %x9, dynamic;\n  mad.lo.u32 %x10, %r1, {}, %x9;\n", stride) +
                    repeated(times, [&](u32) { return fmt::format("ld.shared.{} {}, [%x10];", type, target); }) +
                    (target == "%x1" ? "  add.u32 %x2, %x1, 1;\n" : "  add.s64 %rd11, %rd10, 1;\n"),
                setup);
}

TEST(TimingSharedMemory, n_way_conflicts_take_n_cycles) {
  TimingSetup setup = plain();
  setup.timing.load_store_lanes = 32;
  const u32 none = shared_load(4, setup);
  EXPECT_EQ(shared_load(0, setup), none);  // one word for all
  EXPECT_EQ(shared_load(8, setup), none + 1);
  EXPECT_EQ(shared_load(16, setup), none + 3);
  EXPECT_EQ(shared_load(128, setup), none + 31);
  EXPECT_EQ(shared_load(132, setup), none);  // padded
  // Two halves of the warp; then each with two-way conflicts.
  EXPECT_EQ(shared_load(16, setup, "u64"), shared_load(8, setup, "u64") + 2);
  setup.timing.shared_banks = 16;
  EXPECT_EQ(shared_load(4, setup), none + 1);
}

TEST(TimingSharedMemory, atomics_on_one_word_follow_each_other) {
  TimingSetup setup = plain();
  setup.timing.load_store_lanes = 32;
  const auto atomic = [&](u32 stride) {
    return clocks(fmt::format("  mov.u32 %x9, dynamic;\n  mad.lo.u32 %x10, %r1, {}, %x9;\n"
                              "  atom.shared.add.u32 %x1, [%x10], 1;\n  add.u32 %x2, %x1, 1;\n",
                              stride),
                  setup);
  };
  EXPECT_EQ(atomic(0) - atomic(4), 31u);
}

TEST(TimingSharedMemory, the_unit_takes_so_many_lanes_a_cycle) {
  TimingSetup setup = plain();
  setup.timing.memory_queue = 1000;
  for (const u32 lanes : {32u, 16u, 8u}) {
    setup.timing.load_store_lanes = lanes;
    const auto stores = [&](u32 n) {
      return clocks("  mov.u32 %x9, dynamic;\n  mad.lo.u32 %x10, %r1, 4, %x9;\n" +
                        repeated(n, [](u32) { return "st.shared.u32 [%x10], %r1;"; }) +
                        "  ld.shared.u32 %x1, [%x10];\n" + "  add.u32 %x2, %x1, 1;\n",
                    setup);
    };
    EXPECT_EQ(stores(40) - stores(8), 32 * (32 / lanes));
  }
}

// --- Coalescing

TEST(TimingCoalescer, lines_and_sectors_by_stride) {
  TimingSetup setup = plain();
  struct Wanted {
    u32 stride, lines, sectors;
  };
  for (const Wanted w : {Wanted{4, 1, 4}, {8, 2, 8}, {0, 1, 1}, {128, 32, 32}, {16, 4, 16}, {64, 16, 32}}) {
    const Ran done = run(fmt::format("  mul.wide.u32 %rd4, %r1, {};\n  add.s64 %rd4, %rd2, %rd4;\n"
                                     "  ld.global.u32 %x1, [%rd4];\n",
                                     w.stride),
                         setup);
    EXPECT_EQ(done.report.statistics.memory.lines, w.lines) << w.stride;
    EXPECT_EQ(done.report.statistics.memory.sectors, w.sectors) << w.stride;
  }
  setup.line = 64;
  const Ran done =
      run("  mul.wide.u32 %rd4, %r1, 4;\n  add.s64 %rd4, %rd2, %rd4;\n  ld.global.u32 %x1, [%rd4];\n", setup);
  EXPECT_EQ(done.report.statistics.memory.lines, 2u);
  EXPECT_EQ(done.report.statistics.memory.sectors, 4u);
}

/// Against lane after lane, for every shape.
TEST(TimingCoalescer, parts_cover_every_lane_once) {
  std::mt19937_64 random(5);
  for (u32 round = 0; round < 20000; ++round) {
    simt::MemoryOp op;
    const u32 bytes = 1u << random() % 5, line = random() % 2 ? 64 : 128;
    op.uniform = false;
    op.lanes = random() % 3 ? simt::all_lanes : static_cast<LaneMask>(random()) | 1u << random() % 32;
    const u64 base = 0x200000000000 + random() % 4096 * bytes;
    const u32 how = random() % 4;
    for (u32 i = 0; i < warp_lanes; ++i)
      op.address[i] = how == 0 ? base : how == 1 ? base + i * bytes : base + random() % (how == 2 ? 64 : 8192) * bytes;
    std::array<simt::AccessPart, warp_lanes> parts;
    const u32 count = simt::coalesce(op, simt::shape_of(op, bytes), bytes, line, parts);
    LaneMask covered = 0;
    for (u32 p = 0; p < count; ++p) {
      memory::WordMask words = 0;
      memory::ByteMask mask;
      for (u32 i = 0; i < warp_lanes; ++i) {
        if (!((parts[p].lanes >> i) & 1)) continue;
        ASSERT_EQ(op.address[i] / line * line, parts[p].line);
        for (u32 b = 0; b < bytes; ++b) {
          const u64 at = op.address[i] + b - parts[p].line;
          words |= memory::WordMask{1} << at / 4;
          mask.bits[at / 64] |= u64{1} << at % 64;
        }
      }
      ASSERT_EQ(words, parts[p].words);
      ASSERT_EQ(mask, simt::bytes_of(op, parts[p], bytes));
      ASSERT_EQ(covered & parts[p].lanes, 0u);
      covered |= parts[p].lanes;
    }
    ASSERT_EQ(covered, op.lanes);
  }
}

/// What begins in a line is asked for in that line: a texel of a byte at its end asked for a word behind it.
TEST(TimingCoalescer, no_word_lies_behind_the_line) {
  for (const bool uniform : {true, false}) {
    simt::MemoryOp op;
    op.uniform = uniform;
    op.lanes = simt::all_lanes;
    for (u32 i = 0; i < warp_lanes; ++i) op.address[i] = 0x20000000003f + (uniform ? 0 : i % 2 * 64);
    std::array<simt::AccessPart, warp_lanes> parts;
    const u32 count = simt::coalesce(op, uniform ? simt::Shape::uniform : simt::Shape::scattered, 4, 64, parts);
    ASSERT_EQ(count, uniform ? 1u : 2u);
    for (u32 p = 0; p < count; ++p) EXPECT_EQ(parts[p].words, 0x8000u);
  }
}

// --- Schedulers

TEST(TimingSchedulers, policies_choose) {
  const u64 age[] = {5, 1, 3, 2};
  const auto choose = [&](const char* policy, u64 candidates, u32 last) {
    return simt::scheduler_policy(policy)->choose({candidates, last, age});
  };
  EXPECT_EQ(choose("gto", 0b1111, 2), 2u);
  EXPECT_EQ(choose("gto", 0b1011, 2), 1u);
  EXPECT_EQ(choose("gto", 0b1001, 2), 3u);
  EXPECT_EQ(choose("lrr", 0b1111, 2), 3u);
  EXPECT_EQ(choose("lrr", 0b0111, 2), 0u);
  EXPECT_EQ(choose("lrr", u64{1} << 63, 63), 63u);
  EXPECT_EQ(simt::scheduler_policy("fifo"), nullptr);
}

/// Two warps of 60 independent instructions on one scheduler; when each was done, from the first one's start.
std::array<u32, 2> two_warps(const char* policy) {
  TimingSetup setup = plain();
  setup.timing.schedulers = 1;
  setup.timing.policy = policy;
  setup.timing.single.interval = 1;
  const Ran done =
      run("  mov.u32 %r5, %clock;\n" +
              repeated(60, [](u32 i) { return fmt::format("fma.rn.f32 %f{0}, %f{0}, %f{0}, %f{0};", i); }) +
              "  mov.u32 %r6, %clock;\n  sub.u32 %r6, %r6, %r5;\n  st.global.u32 [%rd1], %r6;\n",
          setup, 64);
  return {done.out[0], done.out[32]};
}

TEST(TimingSchedulers, gto_finishes_one_warp_first_and_lrr_all_together) {
  const auto greedy = two_warps("gto"), fair = two_warps("lrr");
  EXPECT_LE(greedy[0], 62u);
  EXPECT_LE(greedy[1], 62u);
  EXPECT_GE(fair[0], 118u);
  EXPECT_GE(fair[1], 118u);
}

/// 31 warps spin on a flag that the youngest sets after a chain of 400 instructions: each comes to its turn.
TEST(TimingSchedulers, who_spins_does_not_starve_whom_it_waits_for) {
  for (const std::string_view policy : simt::scheduler_names()) {
    TimingSetup setup = plain();
    setup.timing.schedulers = 1;
    setup.timing.policy = policy;
    setup.timing.branch_latency = 1;
    const Ran done =
        run("  .shared .u32 flag;\n  setp.eq.u32 %p1, %r1, 0;\n  mov.u32 %r5, 0;\n  @%p1 st.shared.u32 [flag], %r5;\n"
            "  bar.sync 0;\n  setp.ge.u32 %p1, %r1, 992;\n  @%p1 bra SETS;\n"
            "SPIN:\n  ld.volatile.shared.u32 %r5, [flag];\n  setp.eq.u32 %p2, %r5, 0;\n  @%p2 bra SPIN;\n  bra DONE;\n"
            "SETS:\n" +
                repeated(400, [](u32) { return "add.u32 %r5, %r5, 1;"; }) +
                "  st.volatile.shared.u32 [flag], %r5;\nDONE:\n  st.global.u32 [%rd1], %r5;\n",
            setup, 1024);
    EXPECT_EQ(done.out[0], 400u) << policy;
    EXPECT_EQ(done.out[1023], 400u) << policy;
  }
}

TEST(TimingSchedulers, four_issue_four_times_as_much) {
  TimingSetup setup = plain();
  setup.timing.integer.interval = 1;
  const std::string body = repeated(200, [](u32 i) { return fmt::format("add.u32 %x{0}, %x{0}, 1;", i); });
  setup.timing.schedulers = 1;
  const u64 one = run(body, setup, 256).report.statistics.cycles;
  setup.timing.schedulers = 4;
  const u64 four = run(body, setup, 256).report.statistics.cycles;
  EXPECT_NEAR(static_cast<double>(one) / static_cast<double>(four), 4.0, 0.3);
}

// --- Barriers, sleeps, occupancy

TEST(TimingBarrier, the_last_arrival_counts) {
  TimingSetup setup = plain();
  const Ran done =
      run("  mov.u32 %r5, %clock;\n  setp.ge.u32 %p1, %r1, 32;\n  @!%p1 bra SKIP;\n" +
              repeated(50, [](u32) { return "fma.rn.f32 %f1, %f1, %f1, %f1;"; }) +
              "SKIP:\n  mov.u32 %r7, %clock;\n  bar.sync 0;\n  mov.u32 %r6, %clock;\n"
              "  setp.lt.u32 %p2, %r1, 32;\n  selp.u32 %r6, %r6, %r7, %p2;\n  st.global.u32 [%rd1], %r6;\n",
          setup, 64);
  // Of warp 0: when it came out; of warp 1: when it came. Both warps ran the chain or neither waited for it.
  EXPECT_GE(done.out[0], done.out[32]);
  EXPECT_LE(done.out[0], done.out[32] + setup.timing.barrier_latency + setup.timing.barrier_interval + 4);
  EXPECT_GE(done.out[0], done.out[32] + setup.timing.barrier_latency);
}

/// One barrier behind the other.
std::string barriers(u32 n) {
  return repeated(n, [](u32) { return "bar.sync 0;"; });
}

TEST(TimingBarrier, the_last_warp_to_arrive_waits_as_the_others_do) {
  TimingSetup setup = plain();
  for (const u32 latency : {5u, 22u, 100u}) {
    setup.timing.barrier_latency = latency;
    for (const u32 interval : {0u, 2u}) {
      setup.timing.barrier_interval = interval;
      EXPECT_EQ(clocks(barriers(24), setup) - clocks(barriers(8), setup), 16 * latency) << "a block of one warp";
    }
  }
}

TEST(TimingBarrier, takes_one_arrival_after_another) {
  TimingSetup setup = plain();
  setup.timing.barrier_latency = 22;
  for (const u32 interval : {2u, 7u}) {
    setup.timing.barrier_interval = interval;
    for (const u32 warps : {2u, 4u, 32u})
      EXPECT_EQ(clocks(barriers(24), setup, warps * 32) - clocks(barriers(8), setup, warps * 32),
                16 * (22 + (warps - 1) * interval))
          << warps;
  }
}

TEST(TimingBarrier, that_no_lane_executes_is_no_arrival) {
  TimingSetup setup = plain();
  setup.timing.barrier_interval = 64;
  const std::string skipped = "  setp.ne.u32 %p1, %r1, %r1;\n" + repeated(16, [](u32) { return "@%p1 bar.sync 0;"; });
  EXPECT_LT(clocks(skipped + barriers(1), setup), 16u + 2 * setup.timing.barrier_latency);
}

TEST(TimingBarrier, that_the_last_warp_only_arrives_at_holds_the_others) {
  TimingSetup setup = plain();
  setup.timing.barrier_latency = 500;
  // Warp 1 arrives last and goes on at once; warp 0 waits for the latency behind that.
  const Ran done = run(
      "  setp.ge.u32 %p1, %r1, 32;\n  mov.u32 %r6, 0;\n  @%p1 bra ARRIVE;\n  bar.sync 1, 64;\n  bra DONE;\nARRIVE:\n" +
          repeated(50, [](u32) { return "fma.rn.f32 %f1, %f1, %f1, %f1;"; }) +
          "  mov.u32 %r6, %clock;\n  bar.arrive 1, 64;\nDONE:\n  mov.u32 %r7, %clock;\n"
          "  selp.u32 %r6, %r6, %r7, %p1;\n  sub.u32 %r7, %r7, %r6;\n  @%p1 mov.u32 %r6, %r7;\n"
          "  st.global.u32 [%rd1], %r6;\n",
      setup, 64);
  EXPECT_GE(done.out[0], 500u);
  EXPECT_LT(done.out[32], 50u);
}

TEST(TimingIdle, sleep_costs_no_steps) {
  const Ran done = run("  nanosleep.u32 1000000;\n", plain());
  EXPECT_GT(done.report.statistics.cycles, 1'300'000u);
  EXPECT_LT(done.report.events, 20u);
  EXPECT_GT(done.report.statistics.slots.synchronisation, 1'300'000u);
}

TEST(TimingOccupancy, blocks_that_do_not_fit_follow) {
  TimingSetup setup = plain();
  const std::string body = repeated(100, [](u32) { return "fma.rn.f32 %f1, %f1, %f1, %f1;"; });
  const u64 one = run(body, setup, 32, 1, 1, 48 * 1024).report.statistics.cycles;
  const u64 four = run(body, setup, 32, 4, 1, 48 * 1024).report.statistics.cycles;
  const u64 together = run(body, setup, 32, 4, 1, 1024).report.statistics.cycles;
  EXPECT_GE(four, 4 * one - 3 * 8);
  EXPECT_LT(together, one + 20);
}

// --- Order

TEST(TimingOrder, ptx_lets_weak_stores_overlap_and_sc_does_not) {
  TimingSetup setup = plain();
  const std::string body =
      repeated(8, [](u32 i) { return fmt::format("st.global.u32 [%rd2+{}], %r1;", 256 * i); }) +
      repeated(8, [](u32 i) { return fmt::format("ld.global.u32 %x{}, [%rd2+{}];", i, 4096 + 256 * i); }) +
      repeated(7, [](u32 i) { return fmt::format("add.u32 %x7, %x7, %x{};", i); }) +
      "  st.global.u32 [%rd2+32768], %x7;\n";
  const Ran weak = run(body, setup);
  EXPECT_GE(weak.report.most_under_way, 16u);
  EXPECT_LT(weak.report.statistics.cycles, 600u);
  setup.consistency = "sc";
  const Ran strict = run(body, setup);
  EXPECT_EQ(strict.report.most_under_way, 1u);
  EXPECT_GE(strict.report.statistics.cycles, 16u * 200);
}

TEST(TimingOrder, fences_wait_for_older_stores_and_loads) {
  TimingSetup setup = plain();
  const std::string store = "  st.global.u32 [%rd2], %r1;\n", load = "  ld.global.u32 %x1, [%rd2+512];\n";
  EXPECT_LT(clocks(store + load, setup), 20u);
  EXPECT_GE(clocks(store + "  fence.acq_rel.gpu;\n", setup), 200u);
  EXPECT_GE(clocks(load + "  fence.acq_rel.gpu;\n", setup), 200u);
  EXPECT_GE(clocks(load + "  bar.sync 0;\n", setup), 200u);
  EXPECT_GE(clocks(load + "  st.release.gpu.global.u32 [%rd2+1024], %r1;\n", setup), 200u);
  EXPECT_GE(clocks("  ld.acquire.gpu.global.u32 %x1, [%rd2];\n  st.global.u32 [%rd2+512], %r1;\n", setup), 200u);
  EXPECT_LT(clocks("  ld.relaxed.gpu.global.u32 %x1, [%rd2];\n  st.global.u32 [%rd2+512], %r1;\n", setup), 20u);
}

TEST(TimingOrder, a_fence_behind_a_store_takes_its_own_time_besides_its_waits) {
  TimingSetup setup = plain();
  const std::string store = "  st.global.u32 [%rd2], %r1;\n", atomic = "  red.global.add.u32 [%rd2], 1;\n";
  const auto of = [&](const std::string& before, const char* scope) {
    const std::string body = before + "  fence.acq_rel." + scope + ";\n";
    setup.timing.fence.device = 0;
    const u32 waits = clocks(body, setup);
    setup.timing.fence.device = 300;
    return clocks(body, setup) - waits;
  };
  EXPECT_EQ(of(store, "gpu"), 300u);
  EXPECT_EQ(of(store, "cta"), 0u);
  EXPECT_EQ(of(atomic, "gpu"), 300u);
  EXPECT_EQ(of("  ld.global.u32 %x1, [%rd2];\n", "gpu"), 0u);
  EXPECT_EQ(of(store + "  fence.acq_rel.gpu;\n", "gpu"), 300u) << "the first alone: nothing was stored since";
}

TEST(TimingOrder, a_fence_of_system_scope_takes_as_long_as_the_gpu_needs_for_it) {
  TimingSetup setup = plain();
  setup.stores_at_once = true;
  const std::string store = "  st.global.u32 [%rd2], %r1;\n", fence = "  fence.acq_rel.sys;\n";
  const auto of = [&](const std::string& body, u32 cycles) {
    setup.timing.fence.system = cycles;
    return clocks(body, setup);
  };
  const u32 waits = of(store + fence, 0);
  EXPECT_LE(of(store + fence, 10), waits + 10);
  EXPECT_EQ(of(store + fence, 3000) - of(store + fence, 1000), 2000u);
  EXPECT_LE(of(store + fence, 3000), waits + 3000);
  EXPECT_EQ(of("  ld.global.u32 %x1, [%rd2];\n" + fence, 3000), of("  ld.global.u32 %x1, [%rd2];\n" + fence, 0));
  EXPECT_LE(of(store + fence + fence, 3000), of(store + fence, 3000) + 10) << "nothing was stored since";
}

TEST(TimingOrder, fences_of_system_scope_go_together) {
  TimingSetup setup = plain();
  const std::string body =
      "  mov.u32 %r7, %tid.x;\n  shr.u32 %r7, %r7, 5;\n  mul.wide.u32 %rd3, %r7, 128;\n  add.s64 %rd3, %rd3, %rd2;\n" +
      repeated(4, [](u32) { return "st.global.u32 [%rd3], %r1;\n  fence.acq_rel.sys;"; });
  const auto of = [&](u32 cycles, u32 threads) {
    setup.timing.fence.system = cycles;
    return clocks(body, setup, threads);
  };
  const u32 alone = of(4000, 32) - of(2000, 32), two = of(4000, 64) - of(2000, 64),
            many = of(4000, 1024) - of(2000, 1024);
  EXPECT_EQ(alone, 4 * 2000u);
  EXPECT_GT(two, alone) << "one of two warps waits for the other's";
  EXPECT_LE(two, 2 * alone);
  EXPECT_EQ(many, two) << "however many wait";
}

TEST(TimingStart, a_block_begins_as_late_as_the_machine_file_says) {
  TimingSetup setup = plain();
  const u64 at_once = run("", setup).report.statistics.cycles;
  setup.timing.block_start = 300;
  EXPECT_EQ(run("", setup).report.statistics.cycles, at_once + 300);
}

TEST(TimingMemory, atomics_on_global_memory_follow_each_other_as_the_machine_file_says) {
  TimingSetup setup = plain();
  const std::string atomic = "  red.global.add.u32 [%rd2], 1;\n";
  const auto of = [&](u32 atomics) {
    return run(repeated(atomics, [&](u32) { return atomic; }), setup).report.statistics.cycles;
  };
  setup.timing.atomics.any = 5;
  const u64 few = of(16);
  EXPECT_EQ(of(64) - few, 48 * 5u);
  setup.timing.atomics.any = 9;
  EXPECT_EQ(of(64) - of(16), 48 * 9u);
}

TEST(TimingOrder, releases_and_acquires_reach_the_private_cache_above_cta_only) {
  const TimingSetup setup = plain();
  const TimingReport none = run("", setup).report;
  const auto more = [&](const std::string& body) {
    const TimingReport with = run(body, setup).report;
    return std::pair(with.acquires - none.acquires, with.releases - none.releases);
  };
  using Counts = std::pair<u64, u64>;
  EXPECT_EQ(none.acquires, 1u);  // the kernel's begin
  EXPECT_EQ(none.releases, 1u);  // and its end
  EXPECT_EQ(more("  fence.acq_rel.gpu;\n"), Counts(1, 1));
  EXPECT_EQ(more("  fence.sc.sys;\n"), Counts(1, 1));
  EXPECT_EQ(more("  fence.acq_rel.cta;\n"), Counts(0, 0));
  EXPECT_EQ(more("  bar.sync 0;\n"), Counts(0, 0));
  EXPECT_EQ(more("  ld.acquire.gpu.global.u32 %x1, [%rd2];\n  add.u32 %x1, %x1, 1;\n"), Counts(1, 0));
  EXPECT_EQ(more("  st.release.gpu.global.u32 [%rd2], %r1;\n"), Counts(0, 1));
  EXPECT_EQ(more("  atom.acq_rel.gpu.global.add.u32 %x1, [%rd2], 1;\n  add.u32 %x1, %x1, 1;\n"), Counts(1, 1));
  EXPECT_EQ(more("  atom.relaxed.gpu.global.add.u32 %x1, [%rd2], 1;\n"), Counts(0, 0));
  EXPECT_EQ(more("  ld.acquire.cta.global.u32 %x1, [%rd2];\n"), Counts(0, 0));
}

TEST(TimingOrder, what_the_private_cache_is_told_of_an_access) {
  TimingSetup setup = plain();
  std::vector<memory::LineAccess> seen;
  setup.seen = &seen;
  run("  ld.volatile.global.u32 %x1, [%rd2];\n  ld.global.nc.u32 %x2, [%rd2+128];\n  ld.global.cg.u32 %x3, "
      "[%rd2+256];\n"
      "  ld.relaxed.cta.global.u32 %x4, [%rd2+384];\n  st.volatile.global.u32 [%rd2+512], %r1;\n"
      "  red.global.add.u32 [%rd2+640], 1;\n  ld.global.cs.u32 %x5, [%rd2+768];\n",
      setup);
  ASSERT_EQ(seen.size(), 7u);
  EXPECT_TRUE(seen[0].strong && seen[0].scope == Scope::sys && !seen[0].read_only);
  EXPECT_TRUE(seen[1].read_only && !seen[1].strong);
  EXPECT_TRUE(seen[2].at_home && !seen[2].strong);
  EXPECT_FALSE(seen[3].strong);  // the private cache is coherent for a block
  EXPECT_TRUE(seen[4].strong && !seen[4].at_home && seen[4].kind == memory::AccessKind::store);
  EXPECT_TRUE(seen[5].kind == memory::AccessKind::reduction && seen[5].lanes == 32 && seen[5].scope == Scope::gpu);
  EXPECT_TRUE(seen[6].streaming);
}

// --- Failure

TEST(TimingFailure, a_line_that_never_comes_is_a_report) {
  TimingSetup setup = plain();
  setup.answers = false;
  const Ran done = run("  ld.global.u32 %x1, [%rd2];\n  add.u32 %x1, %x1, 1;\n  st.global.u32 [%rd1], %x1;\n", setup);
  EXPECT_NE(done.fault.find("nothing is under way"), std::string::npos) << done.fault;
  EXPECT_NE(done.fault.find("SM 0: access"), std::string::npos) << done.fault;
  EXPECT_NE(done.fault.find("lines that answer late"), std::string::npos) << done.fault;
}

TEST(TimingFailure, a_hierarchy_that_is_busy_for_ever_is_a_report) {
  TimingSetup setup = plain();
  setup.stalls = 100;
  setup.timing.livelock_cycles = 10'000;
  const Ran done = run("  ld.global.u32 %x1, [%rd2];\n  add.u32 %x1, %x1, 1;\n", setup);
  EXPECT_NE(done.fault.find("no warp has issued an instruction while the machine was busy for 10000 cycles"),
            std::string::npos)
      << done.fault;
}

TEST(TimingFailure, impossible_machines_are_refused_by_name) {
  simt::GpuLimits limits;
  simt::SmTimingConfig timing;
  EXPECT_EQ(simt::TimingGpu::refuse(limits, timing), "");
  limits.warps_per_sm = 65;
  EXPECT_NE(simt::TimingGpu::refuse(limits, timing).find("sm.warps"), std::string::npos);
  limits.warps_per_sm = 64;
  timing.shared_banks = 24;
  EXPECT_NE(simt::TimingGpu::refuse(limits, timing).find("shared_banks"), std::string::npos);
  timing.shared_banks = 32;
  timing.policy = "youngest";
  EXPECT_NE(simt::TimingGpu::refuse(limits, timing).find("youngest"), std::string::npos);
}

// --- Determinism

TEST(TimingDigest, is_the_runs) {
  TimingSetup setup = plain();
  setup.slowest = 400;
  const std::string body = repeated(20, [](u32 i) { return fmt::format("atom.global.add.u32 %x{}, [%rd2], %r1;", i); });
  const auto digest = [&] { return run(body, setup, 256, 8, 4).report.digest; };
  const u64 first = digest();
  EXPECT_EQ(first, digest());
  setup.skew = 1;
  const u64 skewed = digest();
  EXPECT_NE(first, skewed);
  EXPECT_EQ(skewed, digest());
}

}  // namespace
}  // namespace ew::test
