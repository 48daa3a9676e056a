#include "simt/branch_memory.hpp"

#include <algorithm>
#include <bit>

#include "simt/warp.hpp"

namespace ew::simt {
namespace {

constexpr u8 most_failures = 16;  // counted
constexpr std::size_t most_trials = 64;

}  // namespace

void BranchMemory::begin_trial(ptx::Pc branch, const Warp& warp, LaneMask lanes, const PolledWords& words) {
  trial_failed(warp);
  if (trials_.size() < most_trials && !branches_[branch].separates)
    trials_.push_back({branch, &warp, warp.block, lanes, words});
}

void BranchMemory::polled(u64 place, u64 found) {
  for (std::size_t i = trials_.size(); i-- > 0;) {
    const Trial& trial = trials_[i];
    for (LaneMask left = trial.lanes; left; left &= left - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(left));
      if (trial.words.place[lane] != place || trial.words.found[lane] == found) continue;
      branches_[trial.branch].separates = true;
      trials_.erase(trials_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
}

void BranchMemory::barrier_over(const Block& block) {
  std::erase_if(trials_, [&](const Trial& trial) {
    if (trial.lanes || trial.block != &block) return false;
    branches_[trial.branch].separates = true;
    return true;
  });
}

void BranchMemory::failed(const Trial& trial) {
  u8& failures = branches_[trial.branch].failures;
  failures = std::min<u8>(failures + 1, most_failures);
}

void BranchMemory::trial_failed(const Warp& warp) {
  std::erase_if(trials_, [&](const Trial& trial) {
    if (trial.warp != &warp) return false;
    failed(trial);
    return true;
  });
}

void BranchMemory::all_trials_failed() {
  for (const Trial& trial : trials_) failed(trial);
  trials_.clear();
}

}  // namespace ew::simt
