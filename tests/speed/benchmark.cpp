// Wall time of the same kernels by Google Benchmark: items_per_second is warp instructions a second, on one thread.
// In functional mode; and in timing mode on a titan-rtx, as it is and with other numbers of SMs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <optional>

#include "subject.hpp"

namespace {

using ew::u32;

void simulate(benchmark::State& state, std::string_view kernel, u32 sms) {
  std::optional<ew::runtime::MachineConfig> timing;
  if (sms) {
    timing = ew::runtime::load_machine("titan-rtx");
    timing->sm.count = sms;
  }
  ew::speed::Subject subject(ew::speed::kernels_ptx(), kernel, kernel == "matrix_product" && sms ? 3 : 4,
                             timing ? &*timing : nullptr);
  ew::u64 warps = 0, threads = 0;
  for (auto _ : state) {
    const auto counters = subject.run();
    warps += counters.warp_instructions;
    threads += counters.thread_instructions;
  }
  if (const auto wrong = subject.mistake(); !wrong.empty()) state.SkipWithError(wrong.c_str());
  state.SetItemsProcessed(static_cast<ew::i64>(warps));
  state.counters["thread_instructions"] = benchmark::Counter(static_cast<double>(threads), benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto kernel : ew::speed::kernel_names) {
    benchmark::RegisterBenchmark(std::string(kernel).c_str(), simulate, kernel, 0)->Unit(benchmark::kMillisecond);
    for (const u32 sms : {4, 72, 132})
      benchmark::RegisterBenchmark(fmt::format("titan-rtx/{}/{}_sms", kernel, sms).c_str(), simulate, kernel, sms)
          ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
