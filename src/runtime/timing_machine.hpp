// A timing machine: SMs and a memory hierarchy on one clock, as a Simulator. It starts what the queue gives it, lets
// the clock run, and says what has ended. Owned by the queue; every part is owned here and dies with it:
//   MemoryHierarchy  what lies between the SMs and the memory
//   TimingGpu        the SMs
//   WorkUnderWay     the kernels and copies that run now
//   MachineTimeline  what a timeline shows of them
//   RunAccounts      whose the figures are
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/time_wheel.hpp"
#include "core/trace.hpp"
#include "memory/durable_image.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/machine_timeline.hpp"
#include "runtime/memory_hierarchy.hpp"
#include "runtime/run_accounts.hpp"
#include "runtime/run_results.hpp"
#include "runtime/simulator.hpp"
#include "runtime/work_under_way.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

/// What is told of a timing machine beside its figures.
struct TimingObservation {
  std::string timeline_file, trace_file;
  bool digest = false;
  bool traced_host = false;                 // the host's accesses are met, if it shares the GPU's memory
  bool per_unit = false;                    // figures of each SM and each slice of the L2
  simt::EventRecorder* recorder = nullptr;  // of events of persistency
  core::Cycle crash_at = 0;                 // the process kills itself when this cycle begins; 0: never
};

class TimingMachine final : public Simulator {
 public:
  using Observation = TimingObservation;
  /// durable: of the pools; nullptr: there are none.
  TimingMachine(const MachineConfig&, const simt::GpuLimits&, u64 seed, memory::AddressSpace&, simt::DeviceServices&,
                RunResults&, const Observation&, memory::DurableImage* durable = nullptr);
  ~TimingMachine() override;

  simt::Gpu& gpu() override { return gpu_; }
  bool timed() const override { return true; }
  u64 cycle() const override { return gpu_.begun(); }
  simt::LaunchId start(simt::Launch) override;
  void start(Engine, u64 id, memory::DmaTransfer) override;
  void start(u64 id, memory::PagePrefetch) override;
  std::vector<simt::Completion> take_completions() override;
  std::vector<Moved> take_moved() override;
  void run(u64 warp_instructions, u64 until) override;
  void host_waits(bool waits) override { host_waits_ = waits; }
  void hand_in(RunResults&) override;
  void close() override;
  void host_touched(u64 address, u64 bytes, bool store) override;
  void advise(u64 begin, u64 bytes, memory::ManagedAdvice) override;
  void drop(u64 begin, u64 end, bool gone) override { hierarchy_.drop(begin, end, gone); }
  void persist_region(bool inside) override { hierarchy_.persist_region(inside); }
  std::string what_is_under_way() const override { return hierarchy_.what_is_under_way(); }
  void host_begin(std::span<HostRequest* const>) override;

 private:
  void moved(u64 id);
  void observe(const Observation&);
  void end_kernel(RunningKernel, const simt::Completion&, bool unfinished);

  const MachineConfig config_;
  core::TimeWheel wheel_;
  core::Trace trace_;
  MemoryHierarchy hierarchy_;
  simt::TimingGpu gpu_;
  WorkUnderWay under_way_;
  RunAccounts accounts_;
  MachineTimeline timeline_;
  std::vector<Moved> moved_;
  bool host_waits_ = false;
  RunResults& results_;
};

}  // namespace ew::runtime
