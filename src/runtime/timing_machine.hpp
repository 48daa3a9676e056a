// A timing machine: SMs and a memory hierarchy on one clock, as a Simulator. It starts what the queue gives it, lets
// the clock run, and says what has ended. Owned by SimulatorTurns; every part is owned here and dies with it:
//   MemoryHierarchy  what lies between the SMs and the memory
//   TimingGpu        the SMs
//   WorkUnderWay     the kernels and copies that run now
//   MachineTimeline  what a timeline shows of them
//   RunAccounts      whose the figures are
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/time_wheel.hpp"
#include "core/trace.hpp"
#include "memory/dma_transfer.hpp"
#include "memory/durable_image.hpp"
#include "memory/managed/managed_advice.hpp"
#include "runtime/host_request.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/machine_timeline.hpp"
#include "runtime/memory_hierarchy.hpp"
#include "runtime/pool_write_back.hpp"
#include "runtime/run_accounts.hpp"
#include "runtime/run_results.hpp"
#include "runtime/simulator.hpp"
#include "runtime/work_under_way.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

class GpufsDaemons;

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
                RunResults&, const Observation&, memory::DurableImage* durable = nullptr, Storage* storage = nullptr);
  ~TimingMachine() override;

  simt::Gpu& gpu() override { return gpu_; }
  TimingMachine* timed() override { return this; }
  simt::LaunchId start(simt::Launch) override;
  std::vector<simt::Completion> take_completions() override;
  void run(u64 warp_instructions, u64 until, bool host_waits) override;

  /// The last cycle that has begun.
  core::Cycle cycle() const { return gpu_.begun(); }
  /// Starts a transfer now.
  void start(Engine, u64 id, memory::DmaTransfer);
  /// The program has work of the host: its pages are told apart from now on (memory::HostPages).
  void expect_host_work() { hierarchy_.movers().name_host_pages(); }
  /// Starts timed work of the host now; its end is among take_moved().
  void start(u64 id, host::Work);
  /// Daemons of the host serve these calls of kernels from now on.
  void serve(Gpufs&);
  /// Starts to move managed pages now; its end is among take_moved().
  void start(u64 id, memory::PagePrefetch);
  struct Moved {
    u64 id = 0, nanoseconds_end = 0;
  };
  /// Transfers that have ended since the last call.
  std::vector<Moved> take_moved();
  /// Adds what has been measured since the last call to the results.
  void hand_in(RunResults&);
  /// No more will run: files of observations are closed.
  void close();

  /// The host has been seen to touch these bytes, of managed memory perhaps.
  void host_touched(u64 address, u64 bytes, bool store);
  /// Begins accesses of the host that have not begun, as far as its cores are free. `over` is set when one is, and
  /// run() ends then. Where the host has no cores on the machine an access is over at once.
  void host_begin(std::span<HostRequest* const>);
  void advise(u64 begin, u64 bytes, memory::ManagedAdvice);
  /// The program's bytes in [begin, end) of a pool are durable as they stand: what the machine holds of them on the way
  /// to the medium is forgotten. `gone`: the pool is unmapped.
  void drop(u64 begin, u64 end, bool gone) { hierarchy_.drop(begin, end, gone); }
  /// gpm_persist_begin() (inside) and gpm_persist_end().
  void persist_region(bool inside) { hierarchy_.persist_region(inside); }

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
  PoolWriteBack pool_write_back_;
  std::unique_ptr<GpufsDaemons> daemons_;
  RunAccounts accounts_;
  MachineTimeline timeline_;
  std::vector<Moved> moved_;
  RunResults& results_;
  simt::EventRecorder* const recorder_;
};

}  // namespace ew::runtime
