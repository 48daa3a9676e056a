// One channel of GPU memory: banks with row buffers behind a data bus, first-ready first-come-first-served (FR-FCFS).
//
// Commands (precharge, activate, column read or write) are issued one by one, each in the first cycle of the memory's
// clock that the timings allow; at that moment the oldest row hit goes first, then the oldest request of each bank
// opens its row. Reads go before writes, until `write_high` of these wait or no read does; then writes go until
// `write_low`. A request older than `age_cap` is overtaken no more. A write is done when the channel has it (its client
// is told after `latency`), and a read of bytes of a waiting write is answered from it, so what a client sees is in
// order for each address. Owned by the machine. Nothing happens while the channel is empty: refreshes of idle times are
// made up for at the next request, at the times at which they were due.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/clock_ratio.hpp"
#include "core/fields.hpp"
#include "memory/device.hpp"

namespace ew::media {

/// Figures of one channel. Those that a standard fixes are 0 here, which means: as `standard` says (dram_standards.hpp
/// has the table with sources); whatever else is written in the machine file replaces it.
struct DramConfig {
  std::string standard = "gddr6";
  core::Kilohertz clock{};  // whose cycles the timings below count
  u32 bytes_per_clock = 0;  // of the data bus
  core::Bytes burst{};      // what one column command moves
  core::Bytes row{};        // of one bank in one channel
  u32 banks = 0;            // of a channel
  u32 bank_groups = 0;      // 1: none
  u32 rcd = 0, rp = 0, ras = 0, cl = 0, wl = 0;
  u32 ccd = 0, ccd_long = 0;  // column to column in different groups, in the same group
  u32 rrd = 0, faw = 0;
  u32 wr = 0, rtp = 0, wtr = 0;
  u32 refi = 0, rfc = 0;
  bool refresh = true;
  bool close_rows = false;
  u32 read_queue = 64, write_queue = 64;
  u32 write_high = 56, write_low = 32;
  u32 age_cap = 2000;
  core::Picoseconds latency{73'260};

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

struct MediaParts;

class Dram final : public memory::Device {
 public:
  /// `config` is resolved (dram_standards.hpp).
  Dram(const DramConfig& config, const MediaParts&);

  bool serve(const memory::DeviceRequest&) override;
  void notify_when_free(bool write, core::TimeWheel::Handler, void* target, u64 a) override;
  u64 in_flight() const override { return entries_.size() - free_.size() + answering_; }
  const memory::DeviceStatistics& statistics() const override;
  memory::DeviceStatistics take(core::Account account) override { return in_picoseconds(accounts_.take(account)); }

  struct Place {
    u32 bank;
    u64 row;
  };
  /// Where an address of a channel lies.
  static Place place_in(const DramConfig&, u64 address);

 private:
  using Tick = u64;  // cycles of the memory's clock
  static constexpr u32 none = ~u32{0};
  static constexpr u64 no_row = ~u64{0};
  static constexpr Tick never = ~Tick{0};
  enum Direction : u32 { read, write };

  struct Entry {
    u64 address, row, token;
    memory::DeviceClient* client;
    core::Cycle arrived_cycle;
    Tick arrived;
    u64 sequence;
    u32 bank, bursts;
    u32 previous, next;  // in its bank's queue
    u32 older, younger;  // of its direction
    u32 bytes;
    core::Account account;
    bool opened_row, closed_row;  // a row was opened for it, and another closed
  };
  struct Queue {  // of one bank and direction, oldest first
    u32 first = none, last = none;
    u32 hit = none;  // the oldest of the open row
  };
  struct Bank {
    u64 open_row = no_row;
    Tick column_ok = 0, precharge_ok = 0, activate_ok = 0;
    bool closed_for_other = false;  // the row was closed for the request that opens the next
    std::array<Queue, 2> queue;
  };
  enum Kind : u32 { column_command, activate_command, precharge_command, kinds };
  /// The next command of a bank: when the bank itself allows it, and the request that wants it.
  struct Ready {
    Tick when;
    u64 sequence;
  };
  struct Choice {
    Tick when = never;
    u64 sequence = 0;
    u32 bank = 0;
    Kind kind = column_command;
  };
  struct Waiter {
    core::TimeWheel::Handler handler;
    void* target;
    u64 a;
  };

  u32 capacity(Direction direction) const { return direction == write ? config_.write_queue : config_.read_queue; }
  Place place(u64 address) const { return place_in(config_, address); }
  u32 append(const memory::DeviceRequest&, Place, Direction, Tick now);
  void remove(u32 entry, Direction);
  u32 first_hit(const Bank&, u32 from) const;
  bool in_waiting_write(const memory::DeviceRequest&, const Place&) const;
  void answer(core::Cycle, u64 token, memory::DeviceClient*);
  void answered(u64 token, u64 client);

  Direction direction() const { return draining_ ? write : read; }
  bool aged(u32 entry) const { return at_ > entries_[entry].arrived + config_.age_cap; }
  bool writes_first() const;
  void choose_direction();
  void renew(u32 bank);
  void renew_all();
  void choose_next();
  Choice choose() const;
  Tick earliest(u32 bank) const;  // of its next command
  template <Kind kind>
  void choose_among(Choice& best) const;
  void issue(const Choice&);
  void charge_idle_bus(memory::DeviceStatistics&, Direction, Tick);
  /// Figures of time are kept in ticks until somebody asks.
  memory::DeviceStatistics in_picoseconds(memory::DeviceStatistics ticks) const;
  void issue_column(u32 bank, Tick);
  void finish(u32 entry, Direction, Tick data_end);
  void activate(u32 bank, Tick);
  void precharge(u32 bank, Tick);
  void refresh();
  void make_up_for_refreshes(Tick);
  void arm(Tick);
  void run(u64 tick, u64);
  void notify();

  core::TimeWheel& wheel_;
  const DramConfig config_;
  const core::ClockRatio ratio_;
  const u32 burst_ticks_, space_;  // of one burst on the bus; of column commands at least
  const bool whole_;               // a request's bursts go together: bank groups do not slow them
  const core::Cycle latency_;

  std::vector<Entry> entries_;
  std::vector<u32> free_;
  std::vector<Bank> banks_;
  std::array<u64, 2> pending_{};  // banks with requests, by direction
  std::array<u32, 2> waiting_{};  // requests, by direction
  std::array<u32, 2> oldest_{none, none}, youngest_{none, none};
  std::array<Tick, 2> column_ok_{};  // by direction
  std::vector<Tick> group_ok_;       // column commands, by bank group
  Tick activate_ok_ = 0, refresh_at_ = never;
  std::array<Tick, 4> window_end_{};  // of the last four activations, the oldest at next_window_
  u32 next_window_ = 0;
  Tick bus_free_ = 0, refreshed_ = 0;  // of column commands: after the last one, after the last refresh
  Tick waiting_since_ = 0;             // the channel has had requests all the time
  // Of the direction that has its turn, kept by renew(): the banks whose next command is of each kind, and that
  // command.
  std::array<u64, kinds> wanting_{};
  std::array<Ready, 64> ready_{};
  std::array<u8, 64> group_{};  // of each bank
  Tick renew_at_ = never;       // when a request that younger hits overtake reaches the age cap
  Choice next_;                 // what goes at armed_, unless
  bool stale_ = true;           // a request came since that may go before it
  Tick at_ = 0;                 // of the last command, or of the event that runs
  Tick armed_ = never;          // an event stands for this tick
  u32 served_ = 0;              // since the direction changed
  bool draining_ = false;       // writes go
  u64 sequence_ = 0, answering_ = 0;
  std::array<std::vector<Waiter>, 2> waiters_;
  core::Accounts<memory::DeviceStatistics> accounts_;
  mutable memory::DeviceStatistics statistics_;
};

template <class Self, class Visitor>
void DramConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  const char* table = "the standard's row in media/dram_standards.hpp";
  const Range timing{0, 1e6};
  visit("standard", self.standard, Range{}, "",
        "gddr5, gddr5x, gddr6, hbm2, hbm2e or hbm3: what every figure of this section is that is not given (0).",
        "SBRP artifact: GDDR6");
  visit("clock", self.clock, Range{0, 100000}, "", "Clock whose cycles the timings count.", table);
  visit("bytes_per_clock", self.bytes_per_clock, Range{0, 4096}, "bytes",
        "Bytes that a channel's data bus moves a cycle of this clock.", table);
  visit("burst", self.burst, Range{0, 4096}, "", "Bytes of one column command.", table);
  visit("row", self.row, Range{0, 1 << 20}, "", "Bytes of one row of one bank.", table);
  visit("banks", self.banks, Range{0, 512}, "banks", "Banks of a channel.", table);
  visit("bank_groups", self.bank_groups, Range{0, 64}, "groups", "Bank groups of a channel; 1: none.", table);
  visit("rcd", self.rcd, timing, "cycles", "tRCD: activate to column command.", table);
  visit("rp", self.rp, timing, "cycles", "tRP: precharge to activate.", table);
  visit("ras", self.ras, timing, "cycles", "tRAS: activate to precharge.", table);
  visit("cl", self.cl, timing, "cycles", "tCL: read command to its first data.", table);
  visit("wl", self.wl, timing, "cycles", "tWL: write command to its first data.", table);
  visit("ccd", self.ccd, timing, "cycles", "tCCDS: column command to column command.", table);
  visit("ccd_long", self.ccd_long, timing, "cycles", "tCCDL: the same inside one bank group.", table);
  visit("rrd", self.rrd, timing, "cycles", "tRRD: activate to activate of another bank.", table);
  visit("faw", self.faw, timing, "cycles", "tFAW: the window in which at most four banks are activated.", table);
  visit("wr", self.wr, timing, "cycles", "tWR: end of write data to precharge.", table);
  visit("rtp", self.rtp, timing, "cycles", "tRTP: read command to precharge.", table);
  visit("wtr", self.wtr, timing, "cycles", "tWTR (tCDLR): end of write data to read command.", table);
  visit("refi", self.refi, Range{0, 1e9}, "cycles", "tREFI: refresh to refresh of the channel.", table);
  visit("rfc", self.rfc, Range{0, 1e9}, "cycles", "tRFC: what a refresh takes.", table);
  visit("refresh", self.refresh, Range{}, "", "Whether the channel refreshes (where its standard's row says how).",
        "the standards (JEDEC) demand it; off is a choice of the user");
  visit("close_rows", self.close_rows, Range{}, "",
        "Whether a row is closed as soon as no request that waits wants it (closed-page policy); else it stays open.",
        "GPGPU-Sim keeps rows open");
  visit("read_queue", self.read_queue, Range{1, 4096}, "requests", "Reads that wait in a channel.",
        "SBRP artifact, gpgpu_frfcfs_dram_sched_queue_size 64");
  visit("write_queue", self.write_queue, Range{1, 4096}, "requests", "Writes that wait in a channel.",
        "GPGPU-Sim, dram_write_queue_size 64:56:32 of its Volta configurations");
  visit("write_high", self.write_high, Range{1, 4096}, "requests", "Writes waiting at which writes come first.",
        "as write_queue");
  visit("write_low", self.write_low, Range{0, 4096}, "requests", "Writes waiting at which reads come first again.",
        "as write_queue");
  visit("age_cap", self.age_cap, Range{1, 1e9}, "cycles",
        "A request that has waited this long is no longer overtaken by younger row hits or by reads.",
        "assumed: no published figure; 28 row cycles (tRAS and tRP) of the default GDDR6");
  visit("latency", self.latency, Range{0, 1e9}, "", "Controller and interface, on top of the bank's time.",
        "SBRP artifact, dram_latency 100 core cycles of 1365 MHz");
}

}  // namespace ew::media
