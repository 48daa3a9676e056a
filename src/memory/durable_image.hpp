// The durable image: what a crash of the machine leaves of its persistent pools. A pool's bytes here are a mapping of
// its file that nothing else writes, so a byte is in the file when, and only when, the persistence domain has accepted
// it.
//
// Owned by runtime's PersistentMemory. Devices write it from the machine's thread; attach(), detach() and copy() come
// from the host with the machine stopped. Durable writes are numbered from 1: their order is the order of the file, of
// the log and of "crash at the Nth durable write".
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "memory/request.hpp"

namespace ew::memory {

struct DurableStatistics {
#define STATISTICS "memory/durable_statistics.inc"
#include "core/statistics_set.inc"
};

/// A record of the log, followed by its bytes. One durable write is one record for each run of its bytes, all of the
/// same number.
struct DurableRecord {
  u64 cycle, address;
  u32 bytes, number;
};
static_assert(sizeof(DurableRecord) == 24);

class DurableImage {
 public:
  DurableImage() = default;
  ~DurableImage();
  DurableImage(const DurableImage&) = delete;
  DurableImage& operator=(const DurableImage&) = delete;

  /// The pool's bytes [begin, begin + bytes) are durable at `durable`.
  void attach(u64 begin, u64 bytes, u8* durable);
  void detach(u64 begin);

  /// The persistence domain has accepted these bytes of a line. What lies in no pool (any more) is dropped.
  void write(u64 line, const u8* bytes, const ByteMask&, u64 cycle);
  /// The host makes [begin, begin + size) durable as it stands at `from`: what differs is written, at most 64 bytes at
  /// a time, in order of address.
  void copy(u64 begin, u64 size, const u8* from);
  /// Words of 8 bytes in [begin, begin + bytes) that are in a pool and not durable as they stand at `now`, by byte.
  /// REQUIRES: at most 64 bytes; `begin` is a multiple of 8.
  ByteMask differs(u64 begin, const u8* now, u32 bytes) const;
  /// When the copies that follow take place.
  void set_cycle(u64 cycle) { cycle_ = cycle; }
  /// The medium has written the granule that begins here.
  void worn(u64 granule, u64 bytes);

  /// Durable writes are recorded in this file from now on. False: it cannot be written.
  bool log_to(const std::string& path);
  void flush_log();
  /// The process kills itself right after this durable write; 0: never.
  void crash_at(u64 number) { crash_at_ = number; }

  u64 number() const { return number_; }
  const DurableStatistics& statistics() const { return statistics_; }

 private:
  struct Pool {
    u64 begin, bytes;
    u8* durable;
    std::vector<u32> wear;  // by granule; empty until the medium writes one
    u64 granule = 0;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  Pool* find(u64 address) { return const_cast<Pool*>(std::as_const(*this).find(address)); }
  const Pool* find(u64 address) const;
  void record(u64 address, const u8* bytes, u32 count);
  void record_runs(u64 line, const u8* bytes, const ByteMask&);
  void count();

  std::vector<Pool> pools_;       // by address
  mutable std::size_t last_ = 0;  // found last
  std::unique_ptr<std::FILE, Close> log_;
  u64 number_ = 0, cycle_ = 0, crash_at_ = 0;
  DurableStatistics statistics_;
};

}  // namespace ew::memory
