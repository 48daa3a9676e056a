// The GPU in timing mode: the main loop of simulated time over SMs that issue cycle by cycle and a memory hierarchy
// behind them. Instructions execute when they issue; what they read from memory arrives when the hierarchy performs it,
// and scoreboards keep readers waiting. Owned by runtime/'s TimingMachine, as are the caches that are attached.
//
// Time goes on in windows of a few cycles: each SM, with its private memories, runs through the window by itself, then
// the rest of the machine does. No window is longer than a message takes (Exchange), so that nothing in it can reach
// another part before its end; its length changes no result.
//
//   TimingGpu gpu(parts);
//   for each SM: PrivateCache cache(config, {…, gpu.agent(sm), …});  PortOf port(cache);  gpu.attach(sm, port);
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/time_wheel.hpp"
#include "core/trace.hpp"
#include "memory/address_map.hpp"
#include "memory/consistency.hpp"
#include "memory/exchange.hpp"
#include "memory/home/image.hpp"
#include "simt/gpu.hpp"
#include "simt/kernel_timing.hpp"
#include "simt/line_port.hpp"
#include "simt/occupancy.hpp"
#include "simt/sm_timing_config.hpp"
#include "simt/timing_statistics.hpp"

namespace ew::simt {

class EventRecorder;

/// What was counted for a launch.
struct EndedLaunch {
  LaunchId id = 0;
  core::Account account = core::nobody;
  TimingStatistics statistics;
  LatencyCounts latencies;
};

/// What a TimingGpu is made of. References outlive it.
struct TimingGpuParts {
  GpuLimits limits;
  SmTimingConfig timing;
  u32 line = 128;            // bytes of a private cache's line
  u32 private_latency = 20;  // cycles of a hit in the private cache
  u64 seed = 0;              // not 0: warps start with a skew, drawn from it
  memory::AddressSpace& space;
  DeviceServices& services;
  core::TimeWheel& wheel;                // of all but the SMs and their private memories
  memory::Exchange* exchange = nullptr;  // between these; nullptr: they share nothing but the image, and run in step
  const memory::Consistency& consistency;
  PersistTiming persists = {};
  const memory::AddressMap* map = nullptr;  // says what is host memory
  core::Trace* trace = nullptr;
  std::function<std::string()> beneath = {};  // what waits below the private caches, for reports of deadlocks
  std::function<u64()> durable_writes = {};   // so far: while they go on, a kernel that waits for persists gets on
  std::function<std::string(u32 sm, u64 address, u32 value)> newer_elsewhere = {};  // Performer's, for these too
  /// What an SM accesses at issue, past its private cache: before it reads these bytes, or when it has written them.
  std::function<void(u64 address, u64 bytes, bool written)> meet_image = {};
  EventRecorder* recorder = nullptr;   // of events of persistency
  core::Cycle crash_at = core::never;  // `crash` is called when this cycle begins
  std::function<void()> crash = nullptr;
};

class TimingGpu final : public Gpu {
 public:
  using Parts = TimingGpuParts;
  explicit TimingGpu(const Parts&);
  ~TimingGpu() override;

  /// Empty when a machine can be made of these; else one sentence that names the field.
  static std::string refuse(const GpuLimits&, const SmTimingConfig&);

  memory::Agent& agent(u32 sm);
  /// Its time, and what comes to it. What belongs to the SM alone lives by this wheel; the rest of the machine posts.
  core::Partition& partition(u32 sm);
  /// For every home. nullptr: nobody traces or records.
  memory::HomeObserver* observer_of_homes();
  /// REQUIRES: before the first launch, once an SM.
  void attach(u32 sm, LinePort&);

  std::string refuse(const Launch&) const override;
  Occupancy occupancy(const Launch&) const;
  LaunchId start(Launch) override;
  bool run(u64 warp_instructions) override;
  /// The same, until the clock reaches a cycle; with nothing to launch, the wheel alone turns.
  bool run(u64 warp_instructions, core::Cycle until);
  std::vector<Completion> take_completions() override;
  void set_instruction_limit(u64) override;
  void set_crash_point(u64 warp_instruction, std::function<void()> crash) override;
  void request_stop() override;
  /// From the machine's own events: run() returns behind this cycle or, while a kernel runs, some cycles later, the
  /// same number always.
  void stop_soon();
  /// Whether the host waits and no copy is under way, so that warps can be woken by warps alone: then a launch of which
  /// all warps poll device memory that does not change for timing.livelock_cycles fails.
  void set_unattended(bool);
  /// `look` is called while the machine runs, at the first moment that is so many cycles behind its last call, and
  /// changes nothing: it is no event, so nothing waits for it.
  void look_every(core::Cycle cycles, std::function<void()> look);
  const Counters& totals() const override;
  Counters so_far() const override;
  std::vector<InFlight> in_flight() const override;
  void forget_kernels() override;
  u64 simulated_nanoseconds() const override;
  void advance_nanoseconds(u64) override;

  /// The last cycle that has begun.
  core::Cycle begun() const;
  /// Of all SMs, up to this cycle.
  TimingStatistics statistics() const;
  TimingStatistics statistics_of_sm(u32 sm) const;
  /// What the SMs did for this launch, and for no other beside it. Kept until taken, once; then its account may be
  /// given to another launch. Of a launch that has not ended: up to now.
  EndedLaunch take_statistics(LaunchId);
  /// Since they were taken last.
  EndedLaunch take_statistics_of(core::Account);
  /// Of a launch that has not ended.
  core::Account account_of(LaunchId) const;
  /// A number that two equal runs share: of every issue's cycle, SM, warp and pc.
  u64 digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ew::simt
