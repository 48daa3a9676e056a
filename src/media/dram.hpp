// One channel of GPU memory: banks with row buffers behind a data bus, first-ready first-come-first-served (FR-FCFS).
//
// Commands (precharge, activate, column read or write) are issued one by one, each in the first cycle of the memory's
// clock that the timings allow. Dram is the device: it takes requests, lets the clock run, issues the commands and
// answers. What waits, what may go and what goes is asked of its parts:
//   dram_address.hpp    in which bank and row an address lies
//   dram_queues.hpp     the requests that wait
//   dram_turns.hpp      whose turn it is: reads or writes
//   dram_scheduler.hpp  which command goes next
//   dram_banks.hpp      open rows, and the timings between commands
//   dram_refresh.hpp    when a refresh is due
//   dram_idle_bus.hpp   what the data bus waited for
// A write is done when the channel has it (its client is told after `latency`), and a read of bytes of a waiting write
// is answered from it, so what a client sees is in order for each address. Owned by the machine. Nothing happens while
// the channel is empty: refreshes of idle times are made up for at the next request, at the times at which they were
// due.
#pragma once

#include <array>

#include "core/clock_ratio.hpp"
#include "media/dram_banks.hpp"
#include "media/dram_config.hpp"
#include "media/dram_idle_bus.hpp"
#include "media/dram_queues.hpp"
#include "media/dram_refresh.hpp"
#include "media/dram_scheduler.hpp"
#include "media/dram_turns.hpp"
#include "media/room_waiters.hpp"
#include "memory/device.hpp"

namespace ew::media {

struct MediaParts;

class Dram final : public memory::Device {
 public:
  /// `config` is resolved (dram_standards.hpp).
  Dram(const DramConfig& config, const MediaParts&);

  bool serve(const memory::DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  u64 in_flight() const override { return queues_.waiting() + answering_; }
  const memory::DeviceStatistics& statistics() const override;
  void tell(core::AccountHolders& holders, u32 number) override { accounts_.tell(holders, number); }
  memory::DeviceStatistics take(core::Account account) override { return in_picoseconds(accounts_.take(account)); }

 private:
  using Tick = DramTick;

  void answer(core::Cycle, u64 token, memory::DeviceClient*);
  void answered(u64 token, u64 client);

  bool choose_turn();
  void choose_next();
  void arm(Tick);
  void run(u64 tick, u64);
  void notify();

  void issue(const DramScheduler::Choice&);
  void issue_column(u32 bank, Tick);
  void finish(u32 request, DramDirection, Tick data_end);
  void activate(u32 bank, Tick);
  void refresh();
  void make_up_for_refreshes(Tick now);

  /// Figures of time are kept in ticks until somebody asks.
  memory::DeviceStatistics in_picoseconds(memory::DeviceStatistics ticks) const;

  core::TimeWheel& wheel_;
  const DramConfig config_;
  const core::ClockRatio ratio_;
  const core::Cycle latency_;

  DramQueues queues_;
  DramBanks banks_;
  DramTurns turns_;
  DramScheduler scheduler_;
  DramRefresh refresh_;
  DramIdleBus idle_bus_;
  std::array<RoomWaiters, 2> waiters_;  // by direction

  DramScheduler::Choice next_;  // what goes at armed_, unless
  bool stale_ = true;           // a request came since that may go before it
  Tick at_ = 0;                 // of the last command, or of the event that runs
  Tick armed_ = no_tick;        // an event stands for this tick
  u64 answering_ = 0;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

}  // namespace ew::media
