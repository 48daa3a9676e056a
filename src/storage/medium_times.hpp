// When a medium is done with what it is given: the figures of a drive's model, as times. A value; counts picoseconds.
//
// Commands of one kind pass one after the other through a place where each stays as long as its rate says, and are done
// a fixed time later: so one alone takes its latency, and many end at their rate. A write is done once its bytes have
// room in the buffer. Reads and writes do not slow each other (docs/semantics/storage.md).
#pragma once

#include "storage/media/models.hpp"
#include "storage/medium.hpp"

namespace ew::storage {

class MediumTimes {
 public:
  explicit MediumTimes(const DriveModel& model);

  struct Times {
    u64 done = 0;
    u64 durable = 0;  // when the last byte of a write has left the buffer
  };
  /// Of a command that comes at `now`, in the order of calls. `unwritten`: a read of deallocated blocks alone.
  Times take(u64 now, const MediaCommand&, u32 block_bytes, bool unwritten);

 private:
  struct Server {
    MediumRates rates;
    u64 free = 0;  // the next command begins then at the earliest
    u64 cost(u64 bytes) const;
    /// Answers the time at which the command leaves the place.
    u64 pass(u64 now, u64 bytes);
  };
  Times read(u64 now, u64 bytes);
  Times write(u64 now, u64 bytes, bool through);

  const DriveModel model_;
  Server reads_, writes_;
  u64 buffer_time_;  // until a full buffer has drained
};

}  // namespace ew::storage
