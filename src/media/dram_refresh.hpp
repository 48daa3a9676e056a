// When the next refresh of a DRAM channel is due, and of which bank. The channels of a memory refresh one after the
// other, and where banks are refreshed singly (JESD235 and JESD238: REFSB), so do the banks of a channel, each once
// every tREFI. Owned by Dram.
#pragma once

#include "media/dram_queues.hpp"

namespace ew::media {

class DramRefresh {
 public:
  /// The channel with this number of so many.
  DramRefresh(const DramConfig& config, u32 channel, u32 channels)
      : interval_(config.refi),
        first_(interval_ + interval_ * channel / channels),
        steps_(config.bank_refresh && config.rfc_bank ? config.banks : 1) {
    if (config.refresh && config.refi) due_ = first_;
  }

  /// no_tick: the channel does not refresh.
  DramTick due() const { return due_; }
  /// One bank at a time; else all at once.
  bool single() const { return steps_ > 1; }
  /// Whose turn it is where banks are refreshed singly.
  u32 bank() const { return static_cast<u32>(done_ % steps_); }
  /// At least two refreshes are due.
  bool overdue(DramTick now) const { return due_ != no_tick && now >= due_after(1); }
  /// That refresh is done.
  void next() { pass(1); }
  /// Refreshes that have been made before `now`, while the channel was empty, but for the last of each bank and the one
  /// that is due now. Answers how many.
  u64 skip(DramTick now) {
    if (due_ == no_tick || now < due_ + 2 * interval_) return 0;
    const u64 rounds = (now - due_) / interval_ - 1;
    pass(rounds * steps_);
    return rounds * steps_;
  }

 private:
  DramTick due_after(u64 refreshes) const { return first_ + interval_ * (done_ + refreshes) / steps_; }
  void pass(u64 refreshes) {
    due_ = due_after(refreshes);
    done_ += refreshes;
  }

  const u64 interval_, first_;  // ticks
  const u32 steps_;             // refreshes of an interval
  u64 done_ = 0;
  DramTick due_ = no_tick;
};

}  // namespace ew::media
