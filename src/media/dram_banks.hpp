// The banks of a DRAM channel and the timings between its commands: which row is open, and when each command may go.
// Owned by Dram. Issues what it is told to and decides nothing; every command goes at a tick that its gates allow.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "media/dram_queues.hpp"

namespace ew::media {

class DramBanks {
 public:
  using Tick = DramTick;

  explicit DramBanks(const DramConfig&);

  u32 size() const { return static_cast<u32>(banks_.size()); }
  u64 open_row(u32 bank) const { return banks_[bank].open_row; }

  // Gates: the first tick at which a command may go. A column command or an activation has one of its bank and one of
  // the channel.
  Tick column_ok(u32 bank) const { return banks_[bank].column_ok; }
  Tick activate_ok(u32 bank) const { return banks_[bank].activate_ok; }
  Tick precharge_ok(u32 bank) const { return banks_[bank].precharge_ok; }
  Tick group_ok(u32 bank) const { return group_ok_[group_[bank]]; }  // of a column command: in its bank group
  Tick bus_ok(DramDirection direction) const { return bus_ok_[direction]; }
  Tick activate_ok() const { return activate_ok_; }

  /// Column commands for so many bursts of the open row, or for the first of them; see together().
  struct Transfer {
    Tick bus_free;  // to the next column command of the same direction
    Tick data_end;
  };
  Transfer column(u32 bank, DramDirection, u32 bursts, Tick);
  /// Of so many bursts, how many go at once: all, unless bank groups slow them.
  u32 together(u32 bursts) const { return whole_ ? bursts : 1; }
  u32 burst_ticks() const { return burst_ticks_; }

  /// True: another row was closed for this one.
  bool activate(u32 bank, u64 row, Tick);
  void precharge(u32 bank, Tick);
  /// The last column command for the open row, which precharges the bank by itself as soon as that may be.
  void precharge_early(u32 bank);
  /// Of all banks, when it is due: each is precharged as soon as it may be, then all rest for tRFC.
  void refresh(Tick due);
  /// Of one bank: it is precharged as soon as it may be, then rests for tRFCsb while the others work on.
  void refresh(u32 bank, Tick due);
  /// The first tick that a column command of the bank can have behind its last refresh.
  Tick refreshed(u32 bank) const { return banks_[bank].refreshed; }

 private:
  struct Bank {
    u64 open_row = no_row;
    Tick column_ok = 0, precharge_ok = 0, activate_ok = 0, refreshed = 0;
    bool closed_for_other = false;  // the row was closed for the request that opens the next
  };

  /// The first tick from `due` on at which the bank is precharged.
  Tick precharged(const Bank& bank, Tick due) const {
    return std::max(due, bank.open_row == no_row ? bank.activate_ok : bank.precharge_ok + config_.rp);
  }
  void rest(Bank&, Tick until);

  const DramConfig config_;
  const u32 burst_ticks_, space_;  // of one burst on the bus; of column commands at least
  const bool whole_;
  std::vector<Bank> banks_;
  std::array<u8, 64> group_{};    // of each bank
  std::vector<Tick> group_ok_;    // by bank group
  std::array<Tick, 2> bus_ok_{};  // by direction
  Tick activate_ok_ = 0;
  std::array<Tick, 4> window_end_{};  // of the last four activations, the oldest at next_window_
  u32 next_window_ = 0;
};

}  // namespace ew::media
