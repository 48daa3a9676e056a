// The requests that wait in a DRAM channel. Owned by Dram.
//
// A request stands in two lists, oldest first in both: of its direction, and of its bank and direction. Each bank's
// list also knows its row hit: the oldest request of the bank's open row. Requests are named by index; an index is used
// again when its request has been removed.
#pragma once

#include <array>
#include <vector>

#include "media/dram_address.hpp"
#include "memory/device.hpp"

namespace ew::media {

using DramTick = u64;  // cycles of the memory's clock
enum DramDirection : u32 { dram_read, dram_write };
inline constexpr DramTick no_tick = ~DramTick{0};  // never
inline constexpr u64 no_row = ~u64{0};

struct DramRequest {
  u64 address, row, token;
  memory::DeviceClient* client;
  core::Cycle arrived_cycle;
  DramTick arrived;
  u64 sequence;
  u32 bank, bursts;
  u32 previous, next;  // of its bank and direction
  u32 older, younger;  // of its direction
  u32 bytes;
  core::Account account;
  bool opened_row, closed_row;  // a row was opened for it, and another closed
};

class DramQueues {
 public:
  static constexpr u32 none = ~u32{0};
  struct Queue {  // of one bank and direction
    u32 first = none, last = none;
    u32 hit = none;
  };

  explicit DramQueues(const DramConfig&);

  DramRequest& operator[](u32 request) { return requests_[request]; }
  const DramRequest& operator[](u32 request) const { return requests_[request]; }
  const Queue& of(u32 bank, DramDirection direction) const { return banks_[bank][direction]; }
  u32 waiting(DramDirection direction) const { return waiting_[direction]; }
  u32 waiting() const { return waiting_[dram_read] + waiting_[dram_write]; }
  bool full(DramDirection direction) const { return waiting_[direction] == capacity_[direction]; }
  /// Banks with requests, one bit each.
  u64 banks_with(DramDirection direction) const { return banks_with_[direction]; }
  bool has_hit(u32 bank) const { return banks_[bank][dram_read].hit != none || banks_[bank][dram_write].hit != none; }
  /// The request has waited so long that nothing overtakes it any more.
  bool aged(u32 request, DramTick now) const { return now > gets_old(request); }
  /// The last tick at which it may be overtaken.
  DramTick gets_old(u32 request) const { return requests_[request].arrived + age_cap_; }
  bool oldest_aged(DramDirection direction, DramTick now) const { return aged(oldest_[direction], now); }
  /// A waiting write has all bytes of the request, which lies at that place.
  bool write_covers(const memory::DeviceRequest&, const DramPlace&) const;

  /// REQUIRES: not full(). `open_row` of the bank.
  u32 append(const memory::DeviceRequest&, DramPlace, core::Cycle now, DramTick tick, u64 open_row);
  void remove(u32 request, DramDirection, u64 open_row);
  /// The bank's row has been opened, or (no_row) closed.
  void row_changed(u32 bank, u64 open_row);

 private:
  u32 first_hit(u32 from, u64 open_row) const;

  const u32 burst_, age_cap_;  // bytes, ticks
  const std::array<u32, 2> capacity_;
  std::vector<DramRequest> requests_;
  std::vector<u32> free_;                    // of requests_
  std::vector<std::array<Queue, 2>> banks_;  // by direction, as all that follows
  std::array<u64, 2> banks_with_{};
  std::array<u32, 2> waiting_{};
  std::array<u32, 2> oldest_{none, none}, youngest_{none, none};
  u64 sequence_ = 0;
};

}  // namespace ew::media
