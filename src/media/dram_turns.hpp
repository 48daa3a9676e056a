// Whose turn it is in a DRAM channel, the reads' or the writes' (write drain). Reads go first until `write_high` writes
// wait or no read does; then writes go until `write_low` are left. A direction whose oldest request has waited too long
// gets its turn before that. Owned by Dram; decides, and moves nothing.
#pragma once

#include "media/dram_queues.hpp"

namespace ew::media {

class DramTurns {
 public:
  explicit DramTurns(const DramConfig& config) : write_high_(config.write_high), write_low_(config.write_low) {}

  DramDirection turn() const { return turn_; }
  /// A request of the direction that has its turn has been served.
  void served() { ++served_; }
  /// True: the turn passes to the other direction.
  bool choose(const DramQueues& queues, DramTick now) {
    const DramDirection next = writes_first(queues, now) ? dram_write : dram_read;
    if (next == turn_) return false;
    turn_ = next;
    served_ = 0;
    return true;
  }

 private:
  bool writes_first(const DramQueues& queues, DramTick now) const {
    const u32 reads = queues.waiting(dram_read), writes = queues.waiting(dram_write);
    if (writes == 0 || reads == 0) return writes;
    // Under an overload that makes everything wait too long, the directions still take turns of a whole batch.
    const bool turn_over = served_ >= write_high_ - write_low_;
    if (turn_ == dram_write) {
      if (queues.oldest_aged(dram_read, now) && turn_over) return false;
      return writes > write_low_ || queues.oldest_aged(dram_write, now);
    }
    if (queues.oldest_aged(dram_read, now) && !turn_over) return false;
    return writes >= write_high_ || queues.oldest_aged(dram_write, now);
  }

  const u32 write_high_, write_low_;  // writes that wait
  DramDirection turn_ = dram_read;
  u32 served_ = 0;  // since the turn passed
};

}  // namespace ew::media
