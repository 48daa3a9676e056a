// How fast a recorded run is held to its model (`ew run --check persist-order`): items_per_second are events, one
// thread's access or order operation each. The target of order_* is 5 M/s. Record a run for it with
//   EVERWARP_EVENTS=events EVERWARP_DURABLE_LOG=log ew run --machine sbrp-pm-far --timing ./gpkvs
//   ew_persist_benchmark events log
#include <benchmark/benchmark.h>

#include <bit>
#include <cstdio>

#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "core/diagnostics.hpp"
#include "persistency/models.hpp"

namespace {

using namespace ew;
using namespace ew::check;

/// Of threads: a record of an access or operation is one for each of its lanes.
i64 events_of(const EventFile& file) {
  i64 events = 0;
  file.each(
      [&](const EventRecord& record, std::span<const u64>) { events += std::max(std::popcount(record.lanes), 1); });
  return events;
}

void read(benchmark::State& state, const char* path, i64 events) {
  for (auto _ : state) benchmark::DoNotOptimize(EventFile(path).records());
  state.SetItemsProcessed(static_cast<i64>(state.iterations()) * events);
}

void order(benchmark::State& state, const EventFile& file, const PersistAxioms& axioms, i64 events) {
  for (auto _ : state) benchmark::DoNotOptimize(build_persist_graph(file, axioms).size());
  state.SetItemsProcessed(static_cast<i64>(state.iterations()) * events);
}

void check_order(benchmark::State& state, const EventFile& file, const DurableLog& log, i64 events) {
  const PersistGraph graph = build_persist_graph(file, persistency::sbrp_axioms);
  for (auto _ : state) benchmark::DoNotOptimize(check_persist_order(file, graph, log).told);
  state.SetItemsProcessed(static_cast<i64>(state.iterations()) * events);
}

void all(benchmark::State& state, const char* path, const char* log, i64 events) {
  for (auto _ : state) {
    const EventFile file(path);
    const PersistGraph graph = build_persist_graph(file, persistency::sbrp_axioms);
    benchmark::DoNotOptimize(check_persist_order(file, graph, DurableLog(log)).told);
  }
  state.SetItemsProcessed(static_cast<i64>(state.iterations()) * events);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr,
                 "ew_persist_benchmark EVENTS LOG: what a run wrote to EVERWARP_EVENTS and EVERWARP_DURABLE_LOG\n");
    return 2;
  }
  try {
    const EventFile file(argv[1]);
    const DurableLog log(argv[2]);
    const i64 events = events_of(file);
    std::printf("%lld events in %llu records, %zu durable writes\n", static_cast<long long>(events),
                static_cast<unsigned long long>(file.records()), log.writes().size());
    const auto in_ms = [](benchmark::internal::Benchmark* one) { one->Unit(benchmark::kMillisecond); };
    in_ms(benchmark::RegisterBenchmark("read", [&](benchmark::State& s) { read(s, argv[1], events); }));
    for (const char* name : {"sbrp", "epoch", "gpm"})
      in_ms(benchmark::RegisterBenchmark((std::string("order_") + name).c_str(), [&, name](benchmark::State& s) {
        order(s, file, *persistency::find_axioms(name), events);
      }));
    in_ms(benchmark::RegisterBenchmark("check", [&](benchmark::State& s) { check_order(s, file, log, events); }));
    in_ms(benchmark::RegisterBenchmark("all", [&](benchmark::State& s) { all(s, argv[1], argv[2], events); }));
    benchmark::RunSpecifiedBenchmarks();
  } catch (const core::UserError& mistake) {
    std::fprintf(stderr, "%s\n", mistake.what());
    return 2;
  }
  benchmark::Shutdown();
}
