// The launches on a timing machine, as its SMs see them. Owned by TimingGpu, which begins and ends them. A GridRun
// stays where it is until its launch has ended; its index is used again then.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/accounts.hpp"
#include "core/time_wheel.hpp"
#include "simt/kernel_timing.hpp"

namespace ew::simt {

using core::Cycle;

/// A launch on the machine.
struct GridRun {
  Grid* grid = nullptr;
  LaunchId id = 0;
  u32 index = 0;
  const KernelTiming* timing = nullptr;
  core::Account account = core::nobody;
  struct OnSm {
    bool sent = false;           // blocks of it have been sent to the SM
    bool begun = false;          // one is there, or was
    bool drains = false;         // the rest of the machine waits for the end of its accesses
    u32 blocks = 0, warps = 0;   // that are there
    u32 accesses = 0;            // under way
    Cycle since = 0, until = 0;  // it has had some; counted up to here
  };
  std::vector<OnSm> on_sm;  // by SM
  std::vector<u32> sms;     // to which blocks of it have been sent
  u32 draining = 0;         // SMs without blocks of it, but with accesses under way
  u32 flushes = 0;          // of private caches, under way
  bool flushing = false;
  std::optional<Fault> failure;  // it fails soon
  Cycle begun = 0;
  u64 local_memory = 0, local_bytes = 0;  // simulated place of it, and bytes a thread
};

/// The storage of a launch that has ended is used again: what it takes to begin one does not depend on the number of
/// SMs.
class GridRuns {
 public:
  explicit GridRuns(u32 sms) : sms_(sms) {}

  GridRun& begin(Grid& grid) {
    if (free_.empty()) {
      free_.push_back(static_cast<u32>(all_.size()));
      all_.push_back(std::make_unique<GridRun>());
      all_.back()->index = free_.back();
      all_.back()->on_sm.resize(sms_);
    }
    GridRun& run = *all_[free_.back()];
    free_.pop_back();
    run.grid = &grid;
    run.id = grid.id;
    grid.run = run.index;
    running_.push_back(&run);
    return run;
  }
  void end(GridRun& run) {
    running_.erase(find(run.id));
    for (const u32 sm : run.sms) run.on_sm[sm] = {};
    run.sms.clear();
    run = {.index = run.index, .on_sm = std::move(run.on_sm), .sms = std::move(run.sms)};
    free_.push_back(run.index);
  }

  /// nullptr: it has ended.
  GridRun* at(u32 index) const { return all_[index]->grid ? all_[index].get() : nullptr; }
  GridRun& of(const Grid& grid) const { return *all_[grid.run]; }
  GridRun* of(LaunchId id) const {
    const auto found = find(id);
    return found != running_.end() && (*found)->id == id ? *found : nullptr;
  }
  /// In order of start.
  std::span<GridRun* const> running() const { return running_; }
  /// The account of the only launch but this; nobody when there is none, or several.
  core::Account account_alone(const GridRun* but) const {
    if (running_.size() != (but ? 2u : 1u)) return core::nobody;
    return (running_[0] == but ? running_[1] : running_[0])->account;
  }

 private:
  std::vector<GridRun*>::const_iterator find(LaunchId id) const {
    return std::ranges::lower_bound(running_, id, {}, &GridRun::id);
  }

  const u32 sms_;
  std::vector<std::unique_ptr<GridRun>> all_;  // by index
  std::vector<u32> free_;                      // of those that have ended
  std::vector<GridRun*> running_;              // in order of start
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
