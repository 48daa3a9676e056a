// What the queue drives: a Gpu and what moves bytes beside it. In functional mode a copy is done at once and lasts as
// long as its Cost says; on a timing machine copies run on the clock of the Gpu, beside its kernels, and every command
// begins when that clock reaches its time. Owned by SimulatorTurns; called by the machine's thread only, except gpu()'s
// request_stop().
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "memory/dma_transfer.hpp"
#include "memory/managed/managed_advice.hpp"
#include "runtime/host_request.hpp"
#include "runtime/run_results.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

/// Which part of the machine a task occupies: tasks of one engine follow each other in simulated time.
enum class Engine : u8 { none, to_device, to_host, inside_device };

class Simulator {
 public:
  virtual ~Simulator() = default;
  virtual simt::Gpu& gpu() = 0;

  virtual bool timed() const = 0;
  /// The last cycle that has begun; 0 in functional mode.
  virtual u64 cycle() const = 0;
  virtual simt::LaunchId start(simt::Launch) = 0;
  virtual std::vector<simt::Completion> take_completions() = 0;
  /// Starts a transfer now. REQUIRES: timed().
  virtual void start(Engine, u64 id, memory::DmaTransfer) = 0;
  /// Starts to move managed pages now; its end is among take_moved(). REQUIRES: timed().
  virtual void start(u64 id, memory::PagePrefetch) = 0;
  struct Moved {
    u64 id = 0, nanoseconds_end = 0;
  };
  /// Transfers that have ended since the last call.
  virtual std::vector<Moved> take_moved() = 0;

  /// Runs until a launch or transfer ends, about `warp_instructions` have been executed, or the clock reaches
  /// `until` (simulated nanoseconds; only when timed). With nothing under way the clock goes to `until` at once.
  virtual void run(u64 warp_instructions, u64 until) = 0;
  /// Whether, until the next call, a thread of the host waits for what is under way.
  virtual void host_waits(bool) {}
  /// Adds what has been measured since the last call to the results; nothing in functional mode.
  virtual void hand_in(RunResults&) = 0;
  /// The host has been seen to touch these bytes, of managed memory perhaps.
  virtual void host_touched(u64 address, u64 bytes, bool store) = 0;
  virtual void advise(u64 begin, u64 bytes, memory::ManagedAdvice) = 0;
  /// The program's bytes in [begin, end) of a pool are durable as they stand: what the machine holds of them on the way
  /// to the medium is forgotten. `gone`: the pool is unmapped.
  virtual void drop(u64 begin, u64 end, bool gone) = 0;
  /// gpm_persist_begin() (inside) and gpm_persist_end().
  virtual void persist_region(bool inside) = 0;
  /// No more will run: files of observations are closed.
  virtual void close() = 0;
  /// Who waits for what, for reports of deadlocks; empty when there is nothing to say.
  virtual std::string what_is_under_way() const = 0;
  /// Begins accesses of the host that have not begun, as far as its cores are free. `over` is set when one is, and
  /// run() ends then. Where the host has no cores on the machine an access is over at once.
  virtual void host_begin(std::span<HostRequest* const>) = 0;
};

/// Functional mode: the Gpu alone.
class FunctionalSimulator final : public Simulator {
 public:
  explicit FunctionalSimulator(std::unique_ptr<simt::Gpu> gpu) : gpu_(std::move(gpu)) {}
  simt::Gpu& gpu() override { return *gpu_; }
  bool timed() const override { return false; }
  u64 cycle() const override { return 0; }
  simt::LaunchId start(simt::Launch launch) override { return gpu_->start(std::move(launch)); }
  std::vector<simt::Completion> take_completions() override { return gpu_->take_completions(); }
  void start(Engine, u64, memory::DmaTransfer) override {}
  void start(u64, memory::PagePrefetch) override {}
  std::vector<Moved> take_moved() override { return {}; }
  void run(u64 warp_instructions, u64 until) override {
    gpu_->set_unattended(host_waits_ && until == ~u64{0}, no_other_thread);
    gpu_->run(warp_instructions);
  }
  void host_waits(bool waits) override { host_waits_ = waits; }
  void hand_in(RunResults&) override {}
  void host_touched(u64, u64, bool) override {}
  void advise(u64, u64, memory::ManagedAdvice) override {}
  void drop(u64, u64, bool) override {}
  void persist_region(bool) override {}
  void close() override {}
  std::string what_is_under_way() const override { return {}; }
  void host_begin(std::span<HostRequest* const> requests) override {
    for (HostRequest* const request : requests) request->over = true;
  }

 private:
  /// The process has one thread besides those of the runtime (queue.hpp, end_signals.hpp).
  static bool no_other_thread();

  std::unique_ptr<simt::Gpu> gpu_;
  bool host_waits_ = false;
};

}  // namespace ew::runtime
