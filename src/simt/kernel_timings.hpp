// The timing of each kernel that has been launched: made at its first launch. Owned by TimingGpu.
#pragma once

#include <unordered_map>

#include "simt/kernel_timing.hpp"
#include "simt/sm/grid_runs.hpp"

namespace ew::simt {

class KernelTimings {
 public:
  /// References outlive it.
  KernelTimings(const SmTimingConfig& config, const memory::Consistency& model, const PersistTiming& persists)
      : config_(config), model_(model), persists_(persists) {}

  const KernelTiming& of(const Grid& grid) {
    const auto found = made_.find(grid.kernel);
    if (found != made_.end()) return found->second;
    return made_.emplace(grid.kernel, timing_of(grid, config_, model_, persists_)).first->second;
  }
  /// Kernels may go, but for those that run: another may take the place of one in memory.
  void forget(std::span<GridRun* const> running) {
    std::erase_if(made_, [&](const auto& one) {
      return std::ranges::none_of(running, [&](const GridRun* run) { return run->timing == &one.second; });
    });
  }

 private:
  const SmTimingConfig& config_;
  const memory::Consistency& model_;
  const PersistTiming& persists_;
  std::unordered_map<const ptx::Kernel*, KernelTiming> made_;
};

}  // namespace ew::simt
