// Wall time of the same kernels by Google Benchmark: items_per_second is warp instructions a second, on one thread.
#include <benchmark/benchmark.h>

#include "subject.hpp"

namespace {

void simulate(benchmark::State& state, std::string_view kernel) {
  ew::speed::Subject subject(ew::speed::kernels_ptx(), kernel, 4);
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
  for (const auto kernel : ew::speed::kernel_names)
    benchmark::RegisterBenchmark(std::string(kernel).c_str(), simulate, kernel)->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
