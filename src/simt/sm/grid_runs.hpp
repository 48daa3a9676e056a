// The launches on a timing machine, as its SMs see them. Owned by TimingGpu, which begins and ends them. A GridRun
// stays where it is until its launch has ended; its index is used again then.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/accounts.hpp"
#include "core/time_wheel.hpp"
#include "simt/kernel_timing.hpp"

namespace ew::simt {

using core::Cycle;

/// A launch on the machine.
struct GridRun {
  Grid* grid = nullptr;
  u32 index = 0;
  KernelTiming timing;
  core::Account account = core::nobody;
  struct OnSm {
    bool sent = false;           // blocks of it have been sent to the SM
    bool begun = false;          // one is there, or was
    bool drains = false;         // the rest of the machine waits for the end of its accesses
    u32 blocks = 0, warps = 0;   // that are there
    u32 accesses = 0;            // under way
    Cycle since = 0, until = 0;  // it has had some; counted up to here
  };
  std::vector<OnSm> on_sm;
  u32 draining = 0;  // SMs without blocks of it, but with accesses under way
  u32 flushes = 0;   // of private caches, under way
  bool flushing = false;
  std::optional<Fault> failure;  // it fails soon
  bool in_step = false;          // its SMs may not run ahead of each other: it calls printf or the heap
  Cycle begun = 0;
  u64 local_memory = 0, local_bytes = 0;  // simulated place of it, and bytes a thread
};

class GridRuns {
 public:
  GridRun& begin(Grid& grid) {
    std::size_t index = 0;
    while (index < runs_.size() && runs_[index]) ++index;
    if (index == runs_.size()) runs_.emplace_back();
    runs_[index] = std::make_unique<GridRun>();
    runs_[index]->grid = &grid;
    runs_[index]->index = static_cast<u32>(index);
    return *runs_[index];
  }
  void end(GridRun& run) { runs_[run.index].reset(); }

  /// nullptr: it has ended.
  GridRun* at(u32 index) const { return runs_[index].get(); }
  GridRun* of(const Grid& grid) const {
    for (const auto& run : runs_)
      if (run && run->grid == &grid) return run.get();
    return nullptr;
  }
  GridRun* of(LaunchId id) const {
    for (const auto& run : runs_)
      if (run && run->grid->id == id) return run.get();
    return nullptr;
  }
  /// Those that have ended are nullptr.
  std::span<const std::unique_ptr<GridRun>> all() const { return runs_; }
  /// The account of the only launch but this; nobody when there is none, or several.
  core::Account account_alone(const GridRun* but) const {
    core::Account account = core::nobody;
    u32 running = 0;
    for (const auto& run : runs_)
      if (run && run.get() != but) ++running, account = run->account;
    return running == 1 ? account : core::nobody;
  }

 private:
  std::vector<std::unique_ptr<GridRun>> runs_;
};

/// Which account a launch's figures are counted on. An account is used again once many others have been: what the
/// launch caused is over long since then.
class LaunchAccounts {
 public:
  core::Account open() {
    constexpr std::size_t used_again_after = 64;
    if (free_.size() < used_again_after && next_ != core::accounts_end) return next_++;
    if (free_.empty()) return core::nobody;
    const core::Account account = free_.front();
    free_.pop_front();
    return account;
  }
  void close(core::Account account) {
    if (account != core::nobody) free_.push_back(account);
  }

 private:
  std::deque<core::Account> free_;
  core::Account next_ = core::first_kernel;
};

}  // namespace ew::simt
