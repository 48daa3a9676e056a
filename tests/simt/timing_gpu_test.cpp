// The timing GPU as its machine sees it: what it allocates while it runs, hosts that a kernel waits for, launches side
// by side, crash points and limits.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "ptx/program.hpp"
#include "timing_machine.hpp"

namespace {

std::atomic<unsigned long> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
// AddressSanitizer has one of its own for this form, which std::stable_sort uses.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete[](void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}

namespace ew::test {
namespace {

class NoServices final : public simt::DeviceServices {
 public:
  i32 print(const char*, const u8*, const simt::ReadString&) override { return 0; }
  u64 heap_allocate(u64) override { return 0; }
  bool heap_free(u64) override { return false; }
  const simt::TextureObject* texture(u64) override { return nullptr; }
  bool knows_region(std::string_view) override { return false; }
  bool region(std::string_view, LaneMask) override { return false; }
};

/// One kernel with one pointer parameter to 64 KiB, launched as often as wanted.
struct Bench {
  memory::AddressSpace space{u64{1} << 30};
  NoServices services;
  simt::GpuLimits limits;
  std::unique_ptr<TimingMachine> machine;
  ptx::Program program;
  u32* memory = nullptr;

  Bench(const std::string& body, const TimingSetup& setup, u32 sms = 2) {
    limits.sms = sms;
    machine = std::make_unique<TimingMachine>(setup, limits, space, services);
    std::vector<ptx::ast::Module> modules;
    modules.push_back(ptx::parse(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n  .local .align 8 .b8 "
        "own[64];\n  .reg .b32 %r<32>;\n  .reg .b64 %rd<32>;\n  .reg .f32 %f<32>;\n  .reg .pred %p<8>;\n"
        "  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n"
        "  mad.lo.u32 %r4, %r2, %r3, %r1;\n  mul.wide.u32 %rd2, %r4, 4;\n  add.s64 %rd2, %rd1, %rd2;\n" +
            body + "  ret;\n}\n",
        "bench"));
    program = ptx::load(ptx::link(std::move(modules)), [](std::string_view) -> u64 { return 0; });
    memory = reinterpret_cast<u32*>(space.allocate(memory::Region::device, 65536, 256, "cudaMalloc"));
  }

  simt::LaunchId start(u32 blocks, u32 threads) {
    simt::Launch launch;
    launch.kernel = program.kernels.at(0).get();
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.parameters.resize(launch.kernel->parameter_bytes);
    const u64 address = reinterpret_cast<u64>(memory);
    std::memcpy(launch.parameters.data(), &address, sizeof address);
    EXPECT_EQ(machine->refuse(launch), "");
    return machine->start(std::move(launch));
  }
  std::vector<simt::Completion> finish() {
    std::vector<simt::Completion> all;
    for (bool more = true; more;) {
      more = machine->run(1'000'000);
      for (auto& one : machine->take_completions()) all.push_back(std::move(one));
    }
    return all;
  }
};

TEST(TimingGpu, allocates_nothing_while_it_runs) {
  TimingSetup setup;
  setup.slowest = 300;
  setup.stalls = 5;
  Bench bench(
      "  mov.u32 %r9, 0;\nLOOP:\n  ld.global.u32 %r5, [%rd2];\n  add.u32 %r5, %r5, 1;\n  st.global.u32 [%rd2], %r5;\n"
      "  atom.global.add.u32 %r6, [%rd1+32768], 1;\n  bar.sync 0;\n  add.u32 %r9, %r9, 1;\n  setp.lt.u32 %p1, %r9, "
      "20;\n"
      "  @%p1 bra LOOP;\n  nanosleep.u32 500;\n",
      setup);
  const auto launch = [&] {
    bench.start(24, 96);
    bench.machine->run(10);  // the first blocks are placed
    const unsigned long before = allocations;
    bench.machine->run(8000);
    const unsigned long made = allocations - before;
    bench.finish();
    return made;
  };
  launch();  // pools get their working size
  launch();
  EXPECT_EQ(launch(), 0u);
}

TEST(TimingGpu, a_kernel_that_waits_for_the_host_leaves_it_its_turn) {
  for (const char* model : {"ptx", "sc"}) {
    TimingSetup setup;
    setup.consistency = model;
    setup.fastest = setup.slowest = 1000;
    Bench bench(
        "WAIT:\n  ld.volatile.global.u32 %r5, [%rd1];\n  setp.eq.u32 %p1, %r5, 0;\n  @%p1 bra WAIT;\n"
        "  st.global.u32 [%rd2+1024], %r5;\n",
        setup);
    std::memset(bench.memory, 0, 65536);
    bench.start(1, 32);
    const u64 begin = bench.machine->simulated_nanoseconds();
    for (u32 turn = 0; turn < 20; ++turn) ASSERT_TRUE(bench.machine->run(100));
    EXPECT_GT(bench.machine->simulated_nanoseconds(), begin + 20 * 100 / 3 * 700);  // time passes while it polls
    bench.memory[0] = 5;
    const auto completions = bench.finish();
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_FALSE(completions[0].fault);
    EXPECT_EQ(bench.memory[256], 5u);
  }
}

TEST(TimingGpu, a_stop_from_another_place_ends_the_run) {
  Bench bench("LOOP:\n  add.u32 %r5, %r5, 1;\n  bra LOOP;\n", {});
  bench.machine->set_instruction_limit(100'000);
  bench.start(1, 32);
  core::TimeWheel& wheel = bench.machine->wheel();
  struct Stop {
    simt::Gpu& gpu;
    void now(u64, u64) { gpu.request_stop(); }
  } stop{*bench.machine};
  wheel.at<&Stop::now>(500, stop);
  EXPECT_TRUE(bench.machine->run(1'000'000));
  EXPECT_LT(wheel.now(), 600u);
  const auto completions = bench.finish();
  ASSERT_TRUE(completions.at(0).fault);
  EXPECT_EQ(completions[0].fault->kind, simt::FaultKind::instruction_limit);
}

TEST(TimingGpu, the_crash_point_is_the_nth_instruction) {
  TimingSetup setup;
  setup.slowest = 100;
  for (const u64 at : {1u, 7u, 50u}) {
    Bench bench("  ld.global.u32 %r5, [%rd2];\n  add.u32 %r5, %r5, 1;\n  st.global.u32 [%rd2], %r5;\n", setup);
    u64 crashes = 0;
    bench.machine->set_crash_point(at, [&] { ++crashes; });
    bench.start(4, 64);
    const auto completions = bench.finish();
    EXPECT_EQ(crashes, 1u);
    EXPECT_GT(completions.at(0).counters.warp_instructions, 50u);
  }
}

TEST(TimingGpu, statistics_of_a_launch_are_its_cycles) {
  Bench bench("  ld.global.u32 %r5, [%rd2];\n  add.u32 %r5, %r5, 1;\n  st.global.u32 [%rd2], %r5;\n", {});
  simt::TimingStatistics sum;
  for (u32 i = 0; i < 3; ++i) {
    const simt::LaunchId id = bench.start(8, 64);
    bench.finish();
    const simt::TimingStatistics of_launch = bench.machine->timing().take_statistics(id).statistics;
    EXPECT_EQ(of_launch.all_slots(), of_launch.cycles * 2 * 4);
    EXPECT_EQ(of_launch.instructions.global_loads, 16u);
    EXPECT_EQ(of_launch.instructions.global_stores, 16u);
    sum.add(of_launch);
  }
  const simt::TimingStatistics all = bench.machine->timing().statistics();
  EXPECT_EQ(all.all_slots(), all.cycles * 2 * 4);
  EXPECT_EQ(all.instructions.global_loads, sum.instructions.global_loads);
}

TEST(TimingGpu, launches_side_by_side_share_the_machine) {
  TimingSetup setup;
  setup.fastest = setup.slowest = 400;
  Bench bench("  ld.global.u32 %r5, [%rd2];\n  add.u32 %r5, %r5, 1;\n  st.global.u32 [%rd2], %r5;\n", setup);
  bench.start(4, 64);
  bench.finish();
  const u64 one = bench.machine->wheel().now();
  for (u32 i = 0; i < 4; ++i) bench.start(4, 64);
  EXPECT_EQ(bench.finish().size(), 4u);
  EXPECT_LT(bench.machine->wheel().now() - one, 2 * one);
}

/// Four of them counted each other's instructions once: 188,664 in all of 81,608.
TEST(TimingGpu, launches_side_by_side_count_their_own) {
  TimingSetup setup;
  setup.fastest = 20, setup.slowest = 400;
  Bench bench("  ld.global.u32 %r5, [%rd2];\n  add.u32 %r5, %r5, 1;\n  st.global.u32 [%rd2], %r5;\n", setup);
  simt::LaunchId ids[4];
  for (simt::LaunchId& id : ids) id = bench.start(4, 64);
  const auto completions = bench.finish();
  ASSERT_EQ(completions.size(), 4u);
  const simt::TimingStatistics all = bench.machine->timing().statistics();
  const simt::TimingStatistics nobody = bench.machine->timing().take_statistics_of(core::nobody).statistics;
  simt::TimingStatistics sum = nobody;
  for (const simt::LaunchId id : ids) {
    const simt::TimingStatistics own = bench.machine->timing().take_statistics(id).statistics;
    EXPECT_EQ(own.instructions.global_loads, 8u);
    EXPECT_EQ(own.instructions.global_stores, 8u);
    EXPECT_EQ(own.slots.issued, completions[0].counters.warp_instructions);
    sum.add(own);
  }
  EXPECT_EQ(sum.all_slots(), all.all_slots());
  EXPECT_EQ(sum.slots.issued, all.slots.issued);
  EXPECT_EQ(all.slots.data_unserved, 0u) << "asking for figures must not charge slots to what is under way";
}

/// A thread's own array lives in the private cache: words of a warp at one offset share a line.
TEST(TimingGpu, local_memory_goes_through_the_private_cache) {
  std::vector<memory::LineAccess> seen;
  TimingSetup setup;
  setup.seen = &seen;
  Bench bench(
      "  mov.u64 %rd5, own;\n  st.local.u32 [%rd5+8], %r1;\n  ld.local.u32 %r6, [%rd5+8];\n"
      "  st.global.u32 [%rd2], %r6;\n",
      setup, 1);
  bench.start(1, 32);
  bench.finish();
  for (u32 i = 0; i < 32; ++i) EXPECT_EQ(bench.memory[i], i);
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].kind, memory::AccessKind::store);
  EXPECT_EQ(seen[1].kind, memory::AccessKind::load);
  EXPECT_EQ(seen[0].line, seen[1].line);
  EXPECT_EQ(seen[0].words, ~u32{0});
}

TEST(TimingGpu, cycles_in_which_a_launch_has_warps_are_counted_once) {
  Bench bench("", {}, 1);
  const simt::LaunchId id = bench.start(200, 1024);  // one block after another
  bench.finish();
  const simt::TimingStatistics of_launch = bench.machine->timing().take_statistics(id).statistics;
  EXPECT_LE(of_launch.active_cycles, of_launch.cycles);
  EXPECT_GT(of_launch.active_cycles, of_launch.cycles / 2);
}

/// The statistics of a run are those of its launches together.
TEST(TimingGpu, totals_are_the_sums_of_launches) {
  Bench bench(
      "  and.b32 %r5, %r1, 1;\n  setp.eq.u32 %p1, %r5, 0;\n  @%p1 bra EVEN;\n  st.global.u32 [%rd2], %r1;\nEVEN:\n"
      "  bar.sync 0;\n",
      {});
  bench.start(2, 96);
  bench.start(3, 32);
  simt::Counters sum;
  for (const auto& completion : bench.finish()) {
    const simt::Counters& c = completion.counters;
    sum.warp_instructions += c.warp_instructions;
    sum.thread_instructions += c.thread_instructions;
    sum.memory_instructions += c.memory_instructions;
    sum.memory_lanes += c.memory_lanes;
    sum.blocks += c.blocks;
    sum.warps += c.warps;
    sum.divergent_branches += c.divergent_branches;
    sum.barriers += c.barriers;
  }
  const simt::Counters& totals = bench.machine->totals();
  EXPECT_EQ(sum.blocks, 5u);
  EXPECT_EQ(sum.warps, 2 * 3 + 3u);
  EXPECT_EQ(sum.divergent_branches, sum.warps);
  EXPECT_EQ(totals.warp_instructions, sum.warp_instructions);
  EXPECT_EQ(totals.thread_instructions, sum.thread_instructions);
  EXPECT_EQ(totals.memory_instructions, sum.memory_instructions);
  EXPECT_EQ(totals.memory_lanes, sum.memory_lanes);
  EXPECT_EQ(totals.blocks, sum.blocks);
  EXPECT_EQ(totals.warps, sum.warps);
  EXPECT_EQ(totals.divergent_branches, sum.divergent_branches);
  EXPECT_EQ(totals.barriers, sum.barriers);
}

// --- Machines on which everybody only polls

std::string end_of_polling(const std::string& body, u32 livelock_cycles) {
  TimingSetup setup;
  setup.timing.livelock_cycles = livelock_cycles;
  Bench bench("  .shared .align 4 .u32 flag;\n  setp.ge.u32 %p1, %r1, 32;\n" + body, setup, 1);
  bench.machine->timing().set_unattended(true);
  bench.start(1, 64);
  const auto completions = bench.finish();
  return completions.at(0).fault ? completions[0].fault->report : "";
}

std::string compute(u32 rounds) {
  static u32 loops = 0;
  const std::string label = "COMPUTE" + std::to_string(++loops);
  return "  mov.u32 %r9, 0;\n" + label + ":\n  add.u32 %r9, %r9, 1;\n  setp.lt.u32 %p2, %r9, " +
         std::to_string(rounds) + ";\n  @%p2 bra " + label + ";\n";
}
constexpr const char* poll =
    "POLL:\n  ld.volatile.shared.u32 %r5, [flag];\n  setp.eq.u32 %p3, %r5, 0;\n  @%p3 bra POLL;\n";
constexpr const char* set_flag = "  mov.u32 %r6, 1;\n  st.volatile.shared.u32 [flag], %r6;\n";

TEST(TimingGpuPolls, a_value_that_nobody_is_left_to_write_is_a_report) {
  EXPECT_NE(end_of_polling("  @%p1 bra END;\n" + std::string(poll) + "END:\n", 300'000)
                .find("for 300000 cycles all warps have polled values that nobody changes"),
            std::string::npos);
}

/// A warp that has polled and now computes is not one that polls.
TEST(TimingGpuPolls, whoever_has_polled_may_compute_for_long) {
  const std::string body = "  @%p1 bra SECOND;\n" + std::string(poll) + compute(100'000) + "  bra END;\nSECOND:\n" +
                           compute(1000) + set_flag + "END:\n";
  EXPECT_EQ(end_of_polling(body, 300'000), "");
}

/// The cycles begin when everybody has begun to poll, not when the machine has.
TEST(TimingGpuPolls, what_was_computed_before_does_not_count) {
  const std::string body = "  @%p1 bra SECOND;\n" + compute(100'000) + poll + "  bra END;\nSECOND:\n" +
                           compute(100'000) + "  nanosleep.u32 350000;\n" + set_flag + "END:\n";
  EXPECT_EQ(end_of_polling(body, 600'000), "");
}

/// Lanes 16 to 31 of warp 0 wait behind the branch for lanes 0 to 15, which wait at a barrier for warp 1; that polls
/// what the former would set, and sleeps a millisecond between two polls. They go on as soon as they are let go: while
/// warp 1 sleeps, so that its next poll finds the value.
TEST(TimingGpuPolls, lanes_that_are_let_go_do_not_wait_for_the_next_poll) {
  Bench bench(
      "  .shared .align 4 .u32 flag;\n  mov.u32 %r9, 0;\n  and.b32 %r7, %r1, 31;\n  setp.lt.u32 %p2, %r7, 16;\n"
      "  setp.ge.u32 %p1, %r1, 32;\n  @%p1 bra SECOND;\n  @!%p2 bra MEET;\n  barrier.sync 1, 32;\nMEET:\n" +
          std::string(set_flag) +
          "  bra END;\nSECOND:\n  add.u32 %r9, %r9, 1;\n  ld.volatile.shared.u32 %r5, [flag];\n"
          "  nanosleep.u32 1000000;\n  setp.eq.u32 %p3, %r5, 0;\n  @%p3 bra SECOND;\n  @!%p2 bra END;\n"
          "  barrier.sync 1, 32;\nEND:\n  st.global.u32 [%rd2], %r9;\n",
      {}, 1);
  bench.start(1, 64);
  bench.finish();
  EXPECT_EQ(bench.memory[32], 10u) << "let go behind the ninth poll";
}

// --- What the persistency model is asked

using Asked = std::vector<std::pair<memory::PersistOrder, Scope>>;

/// Order operations that a kernel of one warp asks for, and what it sent to memory.
Asked orders_of(const std::string& body, std::vector<memory::LineAccess>* seen = nullptr, bool regions = true) {
  std::vector<AskedOrder> orders;
  std::vector<memory::LineAccess> accesses;
  TimingSetup setup;
  setup.persists = {.model = true, .regions = regions};
  setup.orders = &orders;
  setup.seen = seen ? seen : &accesses;
  Bench bench(body, setup, 1);
  bench.start(1, 32);
  EXPECT_FALSE(bench.finish().at(0).fault);
  Asked asked;
  for (const AskedOrder& order : orders) asked.emplace_back(order.kind, order.scope);
  return asked;
}

using memory::PersistOrder;
constexpr const char* ofence = ".pragma \"everwarp.ofence\";\n  membar.sys;\n.pragma \"everwarp.end\";\n";
constexpr const char* prel =
    ".pragma \"everwarp.prel_dev\";\n  membar.sys;\n  st.relaxed.gpu.b32 [%rd2], 1;\n.pragma \"everwarp.end\";\n";
constexpr const char* pacq =
    ".pragma \"everwarp.pacq_block\";\n  ld.acquire.cta.b32 %r5, [%rd2];\n.pragma \"everwarp.end\";\n";

TEST(TimingGpuPersists, an_order_operation_takes_the_place_of_its_regions_fence) {
  EXPECT_EQ(orders_of(ofence), (Asked{{PersistOrder::ofence, Scope::cta}}));
  EXPECT_EQ(orders_of(ofence, nullptr, false), (Asked{{PersistOrder::fence, Scope::sys}})) << "gpm runs the fence";
  EXPECT_EQ(orders_of(prel), (Asked{{PersistOrder::p_release, Scope::gpu}}));
  EXPECT_EQ(orders_of(pacq), (Asked{{PersistOrder::p_acquire, Scope::cta}}));
  EXPECT_EQ(orders_of(pacq, nullptr, false), (Asked{{PersistOrder::p_acquire, Scope::cta}}))
      << "gpm has a barrier there";
}

TEST(TimingGpuPersists, conventional_operations_ask_with_their_scope) {
  EXPECT_EQ(orders_of("  fence.acq_rel.gpu;\n"), (Asked{{PersistOrder::fence, Scope::gpu}}));
  EXPECT_EQ(orders_of("  st.release.cta.b32 [%rd2], 1;\n"), (Asked{{PersistOrder::release, Scope::cta}}));
  EXPECT_EQ(orders_of("  atom.acq_rel.gpu.global.add.u32 %r5, [%rd2], 1;\n  add.u32 %r6, %r5, 1;\n"),
            (Asked{{PersistOrder::release, Scope::gpu}, {PersistOrder::acquire, Scope::gpu}}));
  EXPECT_EQ(orders_of("  st.global.u32 [%rd2], 1;\n"), Asked{});
  EXPECT_EQ(orders_of("  bar.sync 0;\n"),
            (Asked{{PersistOrder::barrier, Scope::cta}, {PersistOrder::barrier_over, Scope::cta}}));
}

TEST(TimingGpuPersists, a_release_comes_before_its_store_and_an_acquire_behind_its_load) {
  for (const u32 holds : {0u, 60u}) {
    std::vector<AskedOrder> orders;
    std::vector<memory::LineAccess> seen;
    TimingSetup setup;
    setup.persists = {.model = true, .regions = true};
    setup.holds = holds;
    setup.orders = &orders;
    setup.seen = &seen;
    Bench bench(std::string("  st.global.u32 [%rd1+4096], 7;\n") + prel + pacq + "  st.global.u32 [%rd1+8192], %r4;\n",
                setup, 1);
    bench.start(1, 32);
    bench.finish();
    ASSERT_EQ(orders.size(), 2u);
    EXPECT_EQ(orders[0].accesses, 1u) << "the first store has been performed, the flag has not";
    EXPECT_EQ(orders[1].accesses, 3u) << "the flag has been read, the last store has not been sent";
  }
}

TEST(TimingGpuPersists, a_barrier_is_over_for_all_warps_of_the_block_at_once) {
  std::vector<AskedOrder> orders;
  TimingSetup setup;
  setup.persists = {.model = true, .regions = true};
  setup.orders = &orders;
  Bench bench("  bar.sync 0;\n", setup, 1);
  bench.start(1, 128);
  bench.finish();
  ASSERT_EQ(orders.size(), 5u);
  EXPECT_EQ(orders.back().kind, PersistOrder::barrier_over);
  EXPECT_EQ(orders.back().warps, 0b1111u);
}

TEST(TimingGpuPersists, a_fence_takes_the_cycles_that_the_machine_says) {
  const auto cycles = [](const std::string& body, u32 fence_cycles) {
    TimingSetup setup;
    setup.persists = {.model = true, .regions = true, .waits = true, .fence_cycles = fence_cycles};
    Bench bench(body, setup, 1);
    bench.start(1, 32);
    bench.finish();
    return bench.machine->wheel().now();
  };
  const std::string fences = std::string(ofence) + ofence, flags = std::string(prel) + pacq;
  EXPECT_EQ(cycles(fences, 200) - cycles(fences, 0), 400u);
  EXPECT_EQ(cycles(flags, 200), cycles(flags, 0)) << "a pRel is a store, a pAcq a load";
}

/// A fence is charged with the issue slots that it takes, and with none of those behind it.
TEST(TimingGpuPersists, cycles_behind_a_fence_are_not_the_fences) {
  const auto slots_of_fence = [](const std::string& behind) {
    TimingReport report;
    TimingSetup setup;
    setup.persists = {.model = true, .regions = true};
    setup.holds = 90;
    setup.report = &report;
    {
      Bench bench(ofence + behind, setup, 1);
      bench.start(1, 32);
      bench.finish();
    }
    return report.statistics.slots.persist_fence;
  };
  std::string chain;
  for (u32 i = 0; i < 100; ++i) chain += "  mul.lo.u32 %r5, %r5, %r5;\n";
  EXPECT_GT(slots_of_fence(""), 0u);
  EXPECT_EQ(slots_of_fence(chain), slots_of_fence(""));
}

/// A store that is held keeps its warp's later stores behind it, and lets other warps pass.
TEST(TimingGpuPersists, held_warps_keep_the_order_of_their_stores) {
  TimingSetup setup;
  setup.persists = {.model = true, .regions = true};
  setup.holds = 50;
  setup.hits = 100;
  std::string body = "  mov.u32 %r9, 0;\nLOOP:\n";
  for (u32 i = 0; i < 4; ++i) body += "  add.u32 %r9, %r9, 1;\n  st.global.u32 [%rd2], %r9;\n";
  body += "  setp.lt.u32 %p1, %r9, 40;\n  @%p1 bra LOOP;\n";
  Bench bench(body, setup, 1);
  bench.start(1, 256);
  bench.finish();
  for (u32 i = 0; i < 256; ++i) ASSERT_EQ(bench.memory[i], 40u);
}

}  // namespace
}  // namespace ew::test
