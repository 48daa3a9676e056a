// What the data bus of a DRAM channel waited for while requests were there. Owned by Dram. Figures of time are in ticks
// here, whatever the members of DeviceStatistics are called.
#pragma once

#include <algorithm>

#include "media/dram_queues.hpp"

namespace ew::media {

class DramIdleBus {
 public:
  /// The channel was empty until now.
  void begin(DramTick now) { waiting_since_ = now; }
  /// A column command goes now. It could have gone when the one before it was done with, if nothing had been in the
  /// way: first a refresh of its bank until `refreshed`, then the bus that turned round until `turned`, then banks.
  void charge(memory::DeviceStatistics& counts, DramTick refreshed, DramTick turned, DramTick now) const {
    DramTick idle = std::max(free_, waiting_since_);
    const auto charge_one = [&](u64& ticks, DramTick until) {
      until = std::min(until, now);
      if (until <= idle) return;
      ticks += until - idle;
      idle = until;
    };
    charge_one(counts.refresh_picoseconds, refreshed);
    charge_one(counts.turnaround_picoseconds, turned);
    charge_one(counts.bank_picoseconds, now);
  }
  void busy(DramTick until) { free_ = until; }

 private:
  DramTick free_ = 0;
  DramTick waiting_since_ = 0;  // the channel has had requests all the time
};

}  // namespace ew::media
