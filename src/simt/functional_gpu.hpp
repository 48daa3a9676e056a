// The GPU in functional mode: warps run in long turns, so that what they touch stays in the host's caches, and a cycle
// is a warp instruction. Where a fault, a completion or a block goes is Residency's; turn-taking and deadlocks are
// here.
#pragma once

#include <memory>

#include "simt/gpu.hpp"
#include "simt/operation.hpp"

namespace ew::simt {

class FunctionalGpu final : public Gpu {
 public:
  /// Performs everything at once, on a FlatMemory.
  FunctionalGpu(const GpuLimits&, memory::AddressSpace&, DeviceServices&);
  FunctionalGpu(const GpuLimits&, memory::AddressSpace&, DeviceServices&, std::unique_ptr<Performer>);
  ~FunctionalGpu() override;

  std::string refuse(const Launch&) const override;
  LaunchId start(Launch) override;
  bool run(u64 warp_instructions) override;
  /// Whether the host waits for what is under way. Then a launch whose warps all poll in vain fails: soon if
  /// `no_other_thread` of the host is there, after much longer if there is one, never if that one may write what they
  /// poll.
  void set_unattended(bool, std::function<bool()> no_other_thread) override;
  std::vector<Completion> take_completions() override;
  void set_instruction_limit(u64) override;
  void set_crash_point(u64 warp_instruction, std::function<void()> crash) override;
  void request_stop() override;
  const Counters& totals() const override;
  Counters so_far() const override;
  std::vector<InFlight> in_flight() const override;
  u64 simulated_nanoseconds() const override;
  void advance_nanoseconds(u64) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ew::simt
