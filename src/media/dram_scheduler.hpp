// Which command a DRAM channel issues next: first-ready, first-come-first-served (FR-FCFS). A column command goes
// before an activation, and that before a precharge, when they can go at the same time; among equals the oldest
// request's goes. A row hit overtakes older requests of its bank until those have waited for `age_cap`. Owned by Dram;
// decides, and issues nothing.
//
// Each bank has one command that it wants next, of the direction that has its turn. It is kept from decision to
// decision, and must be renewed whenever the bank or its requests have changed.
#pragma once

#include <array>

#include "media/dram_banks.hpp"
#include "media/dram_queues.hpp"

namespace ew::media {

class DramScheduler {
 public:
  using Tick = DramTick;
  enum Kind : u32 { column_command, activate_command, precharge_command, kinds };
  struct Choice {
    Tick when = no_tick;
    u64 sequence = 0;  // of the request
    u32 bank = 0;
    Kind kind = column_command;
  };

  DramScheduler(const DramQueues& queues, const DramBanks& banks) : queues_(queues), banks_(banks) {}

  /// `now`: the tick of the last command.
  void renew(u32 bank, DramDirection turn, Tick now);
  void renew_all(DramDirection turn, Tick now);
  /// Some request has come to the age at which row hits no longer overtake it: all banks must be renewed.
  bool outdated(Tick now) const { return now > renew_at_; }

  /// The command that can go first; its `when` is no_tick if no bank wants one.
  Choice choose(DramDirection turn, Tick now) const;
  /// When the command that this bank wants can go.
  Tick earliest(u32 bank, DramDirection turn, Tick now) const;

 private:
  /// When the bank itself allows its command, and the request that wants it.
  struct Ready {
    Tick when;
    u64 sequence;
  };
  template <Kind kind>
  void choose_among(DramDirection turn, Tick now, Choice& best) const;

  const DramQueues& queues_;
  const DramBanks& banks_;
  std::array<u64, kinds> wanting_{};  // the banks that want a command of this kind
  std::array<Ready, 64> ready_{};     // by bank
  Tick renew_at_ = no_tick;
};

}  // namespace ew::media
