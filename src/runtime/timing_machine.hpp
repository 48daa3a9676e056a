// A timing machine, put together from what a machine file says: wheel, network, homes, devices, private caches, SMs and
// copy engines, all on one clock. Owned by the queue as its Simulator; every part is owned here and dies with it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coherence/models.hpp"
#include "core/time_wheel.hpp"
#include "core/trace.hpp"
#include "memory/address_map.hpp"
#include "memory/cpu_core.hpp"
#include "memory/distant_device.hpp"
#include "memory/dma_engine.hpp"
#include "memory/durable_image.hpp"
#include "memory/home.hpp"
#include "memory/host_link.hpp"
#include "memory/private_cache.hpp"
#include "runtime/bars.hpp"
#include "runtime/free_tracks.hpp"
#include "runtime/machine_config.hpp"
#include "runtime/managed_pages.hpp"
#include "runtime/run_results.hpp"
#include "runtime/simulator.hpp"
#include "runtime/timeline.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

class TimingMachine final : public Simulator {
 public:
  struct Observation {
    std::string timeline_file, trace_file;
    bool digest = false;
    bool per_unit = false;                    // figures of each SM and each slice of the L2
    simt::EventRecorder* recorder = nullptr;  // of events of persistency
    core::Cycle crash_at = 0;                 // the process kills itself when this cycle begins; 0: never
  };
  /// durable: of the pools; nullptr: there are none.
  TimingMachine(const MachineConfig&, const simt::GpuLimits&, u64 seed, memory::AddressSpace&, simt::DeviceServices&,
                RunResults&, const Observation&, memory::DurableImage* durable = nullptr);
  ~TimingMachine() override;

  simt::Gpu& gpu() override { return *gpu_; }
  bool timed() const override { return true; }
  u64 cycle() const override { return gpu_->begun(); }
  simt::LaunchId start(simt::Launch) override;
  void start(Engine, u64 id, memory::DmaTransfer) override;
  void start(u64 id, Prefetch) override;
  std::vector<simt::Completion> take_completions() override;
  std::vector<Moved> take_moved() override;
  void run(u64 warp_instructions, u64 until) override;
  void host_waits(bool waits) override { host_waits_ = waits; }
  void hand_in(RunResults&) override;
  void close() override;
  void host_touched(u64 address, u64 bytes, bool store) override;
  void advise(u64 begin, u64 bytes, ManagedAdvice) override;
  void drop(u64 begin, u64 end, bool gone) override;
  void persist_region(bool inside) override;
  std::string what_is_under_way() const override;
  void host_access(u64 address, u64 bytes, bool store) override;
  void host_write(u64 address, u64 bytes, const HostWrite&) override;

  TimingFigures figures() const;
  /// No message, line or transfer under way anywhere.
  bool quiescent() const;

 private:
  memory::NetworkParts network_parts(u64 seed);
  void make_devices();
  std::span<memory::Device* const> devices_from(u32 slice);
  void make_homes();
  void make_caches();
  void make_host_core();
  void make_copy_engines();
  memory::PrivateCache& add_cache(const memory::PrivateCacheConfig&, memory::Agent&, bool dma);

  struct Running {
    KernelRow row;
    std::string name;  // in the timeline
    core::Account account = core::nobody;
    u32 track = 0;  // of the timeline
  };
  void observe(const Observation&);
  void begin_sampling();
  void sample(u64, u64);
  void show_counters();
  void show(const core::TraceRecord&);
  void show_block(const core::TraceRecord&);
  void show_warp(const core::TraceRecord&);
  void record_kernel(Running, const simt::Completion&, bool unfinished = false);
  void record_unfinished();
  /// What was counted on this account since it was taken last, SMs apart.
  HierarchyStatistics take_hierarchy(core::Account);
  void hand_in_rest(RunResults&);
  void hand_in_units(RunResults&) const;
  void check_invariants(const TimingFigures&) const;

  core::Cycle cycle_at(u64 nanoseconds) const;
  /// The time since the last call counts as what runs now. Before anything begins, and when something has ended.
  void count_time();
  bool meets_host(u64 address);
  std::string what_is_beneath() const;
  std::string newer_elsewhere(u32 sm, u64 address, u32 value) const;
  [[noreturn]] void stuck(const char* who) const;
  void copy_begins(u64 id);
  void moved(u64 id);
  void bar(Timeline::Group, u32 track, u64 begin, u64 end, std::string_view what, std::string_view details = {});

  const MachineConfig config_;
  const memory::AddressSpace& space_;
  memory::DurableImage* const durable_;
  core::TimeWheel wheel_;
  core::Trace trace_;
  memory::Payloads payloads_;
  memory::AddressMap map_;
  std::unique_ptr<memory::Protocol> protocol_;
  std::unique_ptr<memory::Network> network_;
  std::unique_ptr<memory::HostLink> host_link_;
  std::vector<std::unique_ptr<memory::Device>> devices_;  // channels, the host's memory, non-volatile
  std::vector<std::unique_ptr<memory::DistantDevice>> distant_devices_;
  std::vector<std::vector<memory::Device*>> seen_devices_;  // by home
  std::unique_ptr<simt::TimingGpu> gpu_;
  std::unique_ptr<memory::CpuCore> host_core_;  // of a machine whose host shares the GPU's memory
  std::vector<simt::Completion> completed_;     // while the host's core was served: not taken yet
  std::vector<std::unique_ptr<memory::DmaEngine>> engines_;
  std::vector<memory::Agent*> agents_;   // SMs, the host's core, the engines' ports
  std::unique_ptr<ManagedPages> pages_;  // nullptr: managed memory does not move
  std::vector<std::unique_ptr<PagedPort>> paged_ports_;
  std::vector<std::unique_ptr<memory::PrivateCache>> caches_;  // by agent
  std::vector<std::unique_ptr<simt::LinePort>> ports_;         // by SM
  std::vector<std::unique_ptr<memory::Home>> homes_;
  std::map<simt::LaunchId, Running> running_;
  struct Copying {
    u64 begin = 0, bytes = 0;
    u32 engine = 0;
  };
  std::map<u64, Copying> copying_;
  FreeTracks kernel_tracks_, prefetch_tracks_;  // of the timeline
  bool host_waits_ = false;
  u64 marked_ = 0;  // ns, up to where RunResults::times says what was done
  RunResults& results_;
  std::unique_ptr<Timeline> timeline_;
  Bars bars_;
  TimingFigures sampled_;
  bool sampling_ = false;
  // Of the timeline, by track: when the block began; the warp of a slot.
  std::vector<u64> block_begins_;
  struct ResidentWarp {
    u64 begin = 0;
    bool named = false;  // its track
  };
  std::vector<ResidentWarp> resident_warps_;
  FigureValues handed_in_;
  FigureValues of_kernels_;                       // that have ended, together
  FigureValues of_copies_, of_nobody_, of_rest_;  // of_nobody_: not handed in yet, of_rest_: handed in
  bool faulted_ = false, per_unit_ = false;
  std::vector<Moved> moved_;
};

}  // namespace ew::runtime
