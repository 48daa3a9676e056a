// When the next refresh of a DRAM channel is due. The channels of a memory refresh one after the other. Owned by Dram.
#pragma once

#include "media/dram_queues.hpp"

namespace ew::media {

class DramRefresh {
 public:
  /// The channel with this number of so many.
  DramRefresh(const DramConfig& config, u32 channel, u32 channels) : interval_(config.refi) {
    if (config.refresh && config.refi) due_ = interval_ + interval_ * channel / channels;
  }

  /// no_tick: the channel does not refresh.
  DramTick due() const { return due_; }
  /// At least two refreshes are due.
  bool overdue(DramTick now) const { return due_ != no_tick && now >= due_ + interval_; }
  /// That refresh is done.
  void next() { due_ += interval_; }
  /// Refreshes that are due and have been made before `now`, in which the channel was empty. Answers how many.
  u64 skip(DramTick now) {
    const u64 skipped = (now - due_) / interval_;
    due_ += skipped * interval_;
    return skipped;
  }

 private:
  const u64 interval_;  // ticks
  DramTick due_ = no_tick;
};

}  // namespace ew::media
