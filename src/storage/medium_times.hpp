// The times at which a medium is done with its commands, from the figures of a drive's model. A value. It counts
// picoseconds.
//
// Commands of one kind pass through a server, one after the other. Each occupies it for one period of its rate, and is
// done a fixed time later. So a single command takes its latency, and many commands end at their rate. A write is done
// when its bytes have room in the buffer. Reads and writes do not slow each other (docs/semantics/storage.md).
#pragma once

#include "storage/media/models.hpp"
#include "storage/medium.hpp"

namespace ew::storage {

class MediumTimes {
 public:
  explicit MediumTimes(const DriveModel& model);

  struct Times {
    u64 done = 0;
    u64 durable = 0;  // for a write: its last byte has left the buffer
  };
  /// The times of a command that comes at `now`. `unwritten`: a read whose blocks are all deallocated. REQUIRES: `now`
  /// never falls from call to call.
  Times take(u64 now, const MediaCommand&, u32 block_bytes, bool unwritten);

 private:
  struct Server {
    MediumRates rates;
    u64 free = 0;  // the earliest time at which the next command begins
    u64 cost(u64 bytes) const;
    /// Returns the time at which the command leaves the server.
    u64 pass(u64 now, u64 bytes);
  };
  Times read(u64 now, u64 bytes);
  Times write(u64 now, u64 bytes, bool through);

  const DriveModel model_;
  Server reads_, writes_;
  u64 buffer_time_;  // the time in which a full buffer drains
};

}  // namespace ew::storage
