// What the queue drives: a Gpu, in either mode. In functional mode that is all. A timing machine has more: copies that
// run on the clock beside its kernels, pages that move, figures. Who needs that asks for timed(). Owned by
// SimulatorTurns; called by the machine's thread only, except gpu()'s request_stop().
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "memory/registers.hpp"
#include "simt/event_recorder.hpp"
#include "simt/gpu.hpp"

namespace ew::runtime {

/// Which part of the machine a task occupies: tasks of one engine follow each other in simulated time.
enum class Engine : u8 { none, to_device, to_host, inside_device };

class Gpufs;
class TimingMachine;

class Simulator {
 public:
  virtual ~Simulator() = default;
  virtual simt::Gpu& gpu() = 0;
  /// nullptr in functional mode: there a copy is done at once, and lasts as long as its Cost says.
  virtual TimingMachine* timed() { return nullptr; }

  virtual simt::LaunchId start(simt::Launch) = 0;
  virtual std::vector<simt::Completion> take_completions() = 0;
  /// Runs until a launch or transfer ends, about `warp_instructions` have been executed, or the clock reaches
  /// `until` (simulated nanoseconds; only when timed). With nothing under way the clock goes to `until` at once.
  /// host_waits: a thread of the host waits for what is under way.
  virtual void run(u64 warp_instructions, u64 until, bool host_waits) = 0;
};

/// Functional mode: the Gpu, and drives, which the address space knows. Calls of kernels (gpufs.hpp) are served between
/// two stretches of its instructions.
class FunctionalSimulator final : public Simulator {
 public:
  /// Without `calls` kernels call nothing. `recorder` may be null.
  explicit FunctionalSimulator(std::unique_ptr<simt::Gpu> gpu,
                               std::vector<std::unique_ptr<memory::Registers>> drives = {}, Gpufs* calls = nullptr,
                               simt::EventRecorder* recorder = nullptr)
      : drives_(std::move(drives)), gpu_(std::move(gpu)), calls_(calls), recorder_(recorder) {}
  simt::Gpu& gpu() override { return *gpu_; }
  simt::LaunchId start(simt::Launch launch) override { return gpu_->start(std::move(launch)); }
  std::vector<simt::Completion> take_completions() override { return gpu_->take_completions(); }
  void run(u64 warp_instructions, u64 until, bool host_waits) override;

 private:
  /// The process has one thread besides those of the runtime (queue.hpp, end_signals.hpp).
  static bool no_other_thread();

  std::vector<std::unique_ptr<memory::Registers>> drives_;
  std::unique_ptr<simt::Gpu> gpu_;
  Gpufs* const calls_;
  simt::EventRecorder* const recorder_;
};

}  // namespace ew::runtime
