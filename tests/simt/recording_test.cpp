// What a run's events say of each access (crash images and checks of order are made from them), and that recording
// changes nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "case_file.hpp"
#include "check/event_file.hpp"
#include "ptx/program.hpp"
#include "simt/functional_gpu.hpp"
#include "simt/recording_memory.hpp"
#include "timing_machine.hpp"

namespace ew::test {
namespace {

std::string event_file() {
  return testing::TempDir() + "ew_recording_" + std::to_string(::getpid());
}

/// A GPU whose launches are recorded.
class RecordedGpu final : public simt::Gpu {
 public:
  RecordedGpu(const simt::GpuLimits& limits, memory::AddressSpace& space, simt::DeviceServices& services,
              bool timing = false)
      : recorder(event_file(), timing, {}) {
    TimingSetup setup;
    setup.recorder = &recorder;
    if (timing)
      gpu_ = timing_machine(setup)(limits, space, services);
    else
      gpu_ = std::make_unique<simt::FunctionalGpu>(limits, space, services,
                                                   std::make_unique<simt::RecordingMemory>(space, recorder));
  }
  ~RecordedGpu() override { std::filesystem::remove(event_file()); }

  std::string refuse(const simt::Launch& launch) const override { return gpu_->refuse(launch); }
  simt::LaunchId start(simt::Launch launch) override {
    const simt::Launch copy = launch;
    const simt::LaunchId id = gpu_->start(std::move(launch));
    recorder.began(++tickets_, id, copy);
    return id;
  }
  bool run(u64 n) override { return gpu_->run(n); }
  std::vector<simt::Completion> take_completions() override {
    auto completions = gpu_->take_completions();
    for (const auto& one : completions) recorder.ended(one.id);
    return completions;
  }
  void set_instruction_limit(u64 n) override { gpu_->set_instruction_limit(n); }
  void set_crash_point(u64 n, std::function<void()> f) override { gpu_->set_crash_point(n, std::move(f)); }
  void request_stop() override { gpu_->request_stop(); }
  const simt::Counters& totals() const override { return gpu_->totals(); }
  u64 simulated_nanoseconds() const override { return gpu_->simulated_nanoseconds(); }
  void advance_nanoseconds(u64 n) override { gpu_->advance_nanoseconds(n); }

  simt::EventRecorder recorder;

 private:
  std::unique_ptr<simt::Gpu> gpu_;
  u64 tickets_ = 0;
};

class RecordedCase : public testing::TestWithParam<std::string> {};

TEST_P(RecordedCase, is_the_same_run) {
  const Case c = read_case(std::string(EW_TEST_DATA "/cases/") + GetParam() + ".txt");
  const Outcome plain = run_case(c);
  const Outcome recorded = run_case(
      c, 1'000'000, [](const simt::GpuLimits& limits, memory::AddressSpace& space, simt::DeviceServices& services) {
        return std::make_unique<RecordedGpu>(limits, space, services);
      });
  EXPECT_EQ(plain.memory, recorded.memory);
  EXPECT_EQ(plain.nanoseconds, recorded.nanoseconds);
  EXPECT_EQ(plain.printed, recorded.printed);
  ASSERT_EQ(plain.completions.size(), recorded.completions.size());
  for (std::size_t i = 0; i < plain.completions.size(); ++i)
    EXPECT_EQ(plain.completions[i].counters.warp_instructions, recorded.completions[i].counters.warp_instructions);
}

INSTANTIATE_TEST_SUITE_P(cases, RecordedCase, testing::ValuesIn(case_files()),
                         [](const auto& info) { return info.param; });

class RegionsAlone final : public simt::DeviceServices {
 public:
  i32 print(const char*, const u8*, const simt::ReadString&) override { return 0; }
  u64 heap_allocate(u64) override { return 0; }
  bool heap_free(u64) override { return false; }
  const simt::TextureObject* texture(u64) override { return nullptr; }
  bool knows_region(std::string_view) override { return true; }
  bool region(std::string_view, LaneMask) override { return false; }
};

/// The events of a launch of one block of two threads, one a line: kind, action, scope, bytes, lanes, words. %rd1 is a
/// pool, %rd2 other memory. Addresses of the pool are told from its begin.
std::string events_of(const std::string& body, bool timing = false) {
  memory::AddressSpace space(u64{1} << 28);
  RegionsAlone services;
  simt::GpuLimits limits;
  limits.sms = 1;
  std::vector<ptx::ast::Module> modules;
  modules.push_back(
      ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n"
                 "  .reg .b32 %r<32>;\n  .reg .b64 %rd<32>;\n  .reg .pred %p<8>;\n  .shared .align 8 .b64 cell;\n"
                 "  ld.param.u64 %rd1, [a];\n  ld.param.u64 %rd2, [b];\n  mov.u32 %r1, %tid.x;\n" +
                     body + "  ret;\n}\n",
                 "events"));
  const ptx::Program program = ptx::load(ptx::link(std::move(modules)), [](std::string_view) -> u64 { return 0; });
  const u64 pool = space.allocate(memory::Region::device, 4096, 256, "pool"),
            other = space.allocate(memory::Region::device, 4096, 256, "cudaMalloc");
  std::memset(reinterpret_cast<void*>(pool), 0, 4096);
  RecordedGpu gpu(limits, space, services, timing);
  gpu.recorder.pool_mapped({.path = "p.pool", .address = pool, .size = 4096});
  simt::Launch launch{.kernel = program.kernels.at(0).get(), .grid = {1, 1, 1}, .block = {2, 1, 1}};
  launch.parameters.resize(launch.kernel->parameter_bytes);
  std::memcpy(launch.parameters.data(), &pool, 8);
  std::memcpy(launch.parameters.data() + 8, &other, 8);
  gpu.start(std::move(launch));
  while (gpu.run(1000)) gpu.take_completions();
  gpu.take_completions();
  gpu.recorder.close();
  std::string text;
  const check::EventFile file(event_file());
  file.each([&](const simt::EventRecord& record, std::span<const u64> words) {
    constexpr const char* kinds[] = {"load", "store", "atomic", "order", "arrive"};
    constexpr const char* actions[] = {"none",    "weak",          "relaxed",   "acquire",  "release",
                                       "acq_rel", "prel",          "pacq",      "ofence",   "dfence",
                                       "fence",   "sync_and_wait", "sync_only", "sync_warp"};
    constexpr const char* scopes[] = {"none", "cta", "cluster", "gpu", "sys"};
    if (record.kind < simt::EventKind::load || record.kind > simt::EventKind::arrive) return;
    text += fmt::format(
        "{} {} {} {} {:x}:", kinds[static_cast<u32>(record.kind) - static_cast<u32>(simt::EventKind::load)],
        actions[static_cast<u32>(record.action)], scopes[static_cast<u32>(record.scope)], record.bytes, record.lanes);
    for (u64 word : words)
      text += word - pool < 4096            ? fmt::format(" pool+{}", word - pool)
              : word & simt::shared_address ? fmt::format(" shared+{}", word & ~simt::shared_address)
                                            : fmt::format(" {}", word);
    text += '\n';
  });
  return text;
}

TEST(EventRecorder, tells_stores_to_a_pool_with_each_lanes_value) {
  EXPECT_EQ(events_of("  st.global.u32 [%rd1], %r1;\n  st.global.u32 [%rd2], %r1;\n"),
            "store weak gpu 4 3: pool+0 0 pool+0 1\n");
  EXPECT_EQ(events_of("  mov.u64 %rd3, 5;\n  mov.u64 %rd4, 6;\n  st.global.v2.u64 [%rd1+64], {%rd3, %rd4};\n"),
            "store weak gpu 16 3: pool+64 5 6 pool+64 5 6\n");
}

TEST(EventRecorder, tells_what_may_synchronise_with_its_order_and_scope) {
  EXPECT_EQ(events_of("  st.release.cta.global.u32 [%rd1], 7;\n  st.volatile.global.u32 [%rd1], 8;\n"
                      "  ld.acquire.sys.global.u32 %r2, [%rd1];\n  ld.relaxed.gpu.global.u32 %r2, [%rd1];\n"
                      "  ld.global.u32 %r2, [%rd1];\n"),
            "store release cta 4 3: pool+0 7 pool+0 7\nstore relaxed sys 4 3: pool+0 8 pool+0 8\n"
            "load acquire sys 4 3: pool+0 8 pool+0 8\nload relaxed gpu 4 3: pool+0 8 pool+0 8\n");
}

TEST(EventRecorder, tells_atomics_lane_by_lane_with_the_old_value_and_the_new) {
  EXPECT_EQ(events_of("  atom.global.add.u32 %r2, [%rd1+128], 5;\n  red.release.cta.global.max.u32 [%rd1+128], 7;\n"
                      "  mov.u64 %rd3, cell;\n  atom.acq_rel.cta.shared.exch.b64 %rd4, [%rd3], 9;\n"),
            "atomic relaxed gpu 4 1: pool+128 0 5\natomic relaxed gpu 4 2: pool+128 5 10\n"
            "atomic release cta 4 1: pool+128 10 10\natomic release cta 4 2: pool+128 10 10\n"
            "atomic acq_rel cta 8 1: shared+0 0 9\natomic acq_rel cta 8 2: shared+0 9 9\n");
}

TEST(EventRecorder, tells_fences_and_barriers) {
  for (const bool timing : {false, true})
    EXPECT_EQ(events_of("  fence.acq_rel.cta;\n  membar.sys;\n  bar.sync 3;\n", timing),
              "order fence cta 0 3:\norder fence sys 0 3:\narrive sync_and_wait none 0 3: 3\n");
}

/// Its value is the order of arrivals, which is told as 0.
TEST(EventRecorder, tells_an_mbarriers_arrivals_as_releases_and_its_waits_as_acquires) {
  EXPECT_EQ(
      events_of("  mov.u64 %rd3, cell;\n  setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra both;\n"
                "  mbarrier.init.shared.b64 [%rd3], 2;\nboth:\n  bar.warp.sync 3;\n"
                "  mbarrier.arrive.shared.b64 %rd4, [%rd3];\n  mbarrier.test_wait.shared.b64 %p2, [%rd3], %rd4;\n"),
      "atomic acq_rel cta 8 1: shared+0 0 0\narrive sync_warp none 0 3: shared+3\n"  // the lanes that meet
      "atomic acq_rel cta 8 3: shared+0 0 0 shared+0 0 0\n"
      "load acquire cta 8 3: shared+0 0 shared+0 0\n");
}

}  // namespace
}  // namespace ew::test
