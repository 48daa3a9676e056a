// The medium of non-volatile memory, one channel of it: a write-pending queue that belongs to the persistence domain,
// before banks that read and write whole granules (256 bytes inside Optane).
//
// A write is durable when the queue has it: its bytes go to the durable image at that moment. Writes of one granule
// meet in the queue. A granule of which every byte is there is written by itself; one that is written in part waits for
// the rest until three quarters of the queue are taken, and is then read, merged and written, the one touched last
// going last; unless the machine does not combine writes. Reads go before writes unless a write waits for room; what
// the queue or the buffer of granules read last has costs the banks nothing. A read of bytes of a write that waits for
// room comes behind it. Owned by a device; bytes that stay in the queue are safe and are no work under way.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/clock_ratio.hpp"
#include "core/ring.hpp"
#include "core/time_wheel.hpp"
#include "media/nvm_banks.hpp"
#include "media/nvm_config.hpp"
#include "memory/device.hpp"
#include "memory/durable_image.hpp"

namespace ew::media {

struct MediaParts;

class NvmMedium {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    /// The access with this token is done: its bytes are durable, or read. Called from the wheel in that cycle.
    virtual void medium_done(u64 token) = 0;
  };
  struct Access {
    u64 address = 0;  // simulated physical
    u32 bytes = 0;
    bool write = false;
    u64 token = 0;
    memory::PayloadId payload = memory::no_payload;  // none: every byte of a write, and none for the durable image
    u64 line = 0;
    bool durable = false;  // already: nothing for the durable image
  };

  /// `channels`: over how many the bandwidths are spread. `rows`: of nvm.rows; nullptr: none.
  NvmMedium(const NvmConfig&, const MediaParts&, u32 channels, Client&, const DramConfig* rows = nullptr);

  /// Arrives at the memory controller now. Order of arrival is kept for each byte. The payload is the medium's.
  void arrive(const Access&);
  /// Bytes in [begin, end) of the program that wait for room are durable otherwise, or not wanted any more.
  void drop(u64 begin, u64 end);

  u64 in_flight() const { return under_way_; }
  /// Adds the medium's figures.
  void add_to(memory::DeviceStatistics&) const;

 private:
  static constexpr u32 none = ~u32{0};
  static constexpr u32 longest_granule = 1024;
  static constexpr u64 no_granule = ~u64{0};
  using Femtoseconds = u64;
  using Bytes = std::array<u64, longest_granule / 64>;  // one bit a byte

  struct Waiting {
    Access access;
    core::Cycle ready;
    u32 granules_in = 0;  // of a write: that the queue has already
  };
  struct Entry {                   // of the write-pending queue
    u64 granule = 0, address = 0;  // the address is the program's; 0: unknown
    u64 arrived = 0;               // in femtoseconds
    Bytes have{};
    u32 next = none;                 // in its bucket, or of the free ones
    u32 older = none, newer = none;  // in its list
    bool whole = false;
    bool waits = false;  // for the rest of its granule
  };
  struct List {  // by last write
    u32 oldest = none, newest = none;
  };
  struct Read {
    u64 token;
    u32 granules;          // that the banks must read
    u64 behind;            // so many writes that took a place before it
    u64 granule, arrived;  // the first of them; femtoseconds
  };
  struct Span {  // of an access: granules [first, last], and the bytes, from `base` on
    u64 first, last, base;
    memory::ByteMask mask;
  };

  void step(u64 cycle, u64);
  void arm(core::Cycle);
  void accept_waiting();
  bool accept(Waiting&);
  bool put(const Access&, const Span&, u64 granule);
  void begin_read(const Access&);
  void done(u64 token);
  void answered(u64 token, u64) { done(token); }

  Span span_of(const Access&) const;
  Bytes bytes_in(const Span&, u64 granule) const;
  bool overlaps_waiting(const Access&) const;
  u32 find(u64 granule) const;
  u32 take_entry(u64 granule);
  void free_entry(u32);
  List& list_of(const Entry& entry) { return entry.waits ? partial_ : ready_; }
  void link(u32);
  void unlink(u32);

  u32 writes_at_banks() const { return std::min(used_, scheduler_); }
  bool read_is_next();
  bool write_blocked() const { return !waiting_.empty() && waiting_.front().ready <= wheel_.now(); }
  bool banks_have_work() const { return !reads_.empty() || ready_.oldest != none || used_ > high_; }
  // With rows: so many of those that wait are looked at, and the oldest is overtaken at most so often.
  static constexpr u32 looked_at = 16, most_overtaken = 256;
  void serve_one();
  u32 next_write();
  void put_next_read_first();
  void occupy(u64 granule, bool write, Femtoseconds arrived, Femtoseconds duration);
  void serve_read();
  void write_granule(u32 entry);
  void occupy(Femtoseconds duration);

  core::TimeWheel& wheel_;
  memory::Payloads* const payloads_;
  memory::DurableImage* const durable_;
  Client& client_;
  const core::ClockRatio clock_;
  const u32 granule_;
  const bool combine_;
  const u32 scheduler_, write_high_, write_low_;
  const Femtoseconds read_time_, write_time_, partial_time_;
  const core::Cycle latency_, write_latency_;

  core::Ring<Waiting> waiting_;         // writes, and reads behind one of the same granule
  std::array<u32, 1024> waiting_of_{};  // writes that wait, by granule
  core::Ring<Read> reads_;
  std::vector<Entry> entries_;
  std::vector<u32> buckets_;  // of entries, by granule
  u32 free_ = none, used_ = 0;
  const u32 high_;
  List partial_, ready_;
  std::vector<u64> buffer_;  // granules read last, each in its place
  std::optional<NvmBanks> banks_;
  u32 read_overtaken_ = 0, write_overtaken_ = 0;
  Femtoseconds free_at_ = 0, busy_ = 0;
  bool wrote_last_ = false, writes_first_ = false;
  u64 writes_taken_ = 0, writes_served_ = 0;
  core::Cycle armed_ = core::never;
  u64 under_way_ = 0, granules_read_ = 0, granules_written_ = 0, granules_merged_ = 0, combined_ = 0;
};

}  // namespace ew::media
