// Which read or write the banks of one channel of non-volatile memory do next. Owned by the medium; decides, and moves
// nothing.
//
// Without `nvm.scheduler`, reads go before writes unless a write waits for room: then they go in turn. With it, a
// scheduler of so many entries sees writes in the order of their arrival and a read behind those before it; its writes
// go first from `write_high` on, until `write_low`. With rows, of the oldest reads (or writes) the one goes whose row
// is ready first, and the oldest is overtaken only so often.
#pragma once

#include <algorithm>

#include "media/nvm_bus.hpp"
#include "media/nvm_config.hpp"
#include "media/nvm_reads.hpp"
#include "media/nvm_write_queue.hpp"

namespace ew::media {

class NvmScheduler {
 public:
  /// All are the medium's, and outlive this.
  NvmScheduler(const NvmConfig& config, const NvmReads& reads, const NvmWriteQueue& writes, const NvmBus& bus,
               const NvmGranules& granules)
      : entries_(config.scheduler),
        write_high_(config.write_high),
        write_low_(config.write_low),
        reads_(reads),
        writes_(writes),
        bus_(bus),
        granules_(granules) {}

  /// A read comes behind every write that has arrived, not only behind those of its bytes.
  bool keeps_order() const { return entries_ != 0; }
  bool has_work() const { return !reads_.empty() || writes_.may_leave(); }
  /// Is it a read? `write_waits`: some write waits for room. REQUIRES: has_work().
  bool read_is_next(bool write_waits);
  /// Which one. REQUIRES: some read, or some write, may go.
  u32 next_read();
  u32 next_write();

 private:
  static constexpr u32 looked_at = 16, most_overtaken = 256;

  /// The scheduler has come to it.
  bool in_reach(const NvmRead& read) const { return read.behind <= writes_.left() + entries_; }

  const u32 entries_, write_high_, write_low_;
  const NvmReads& reads_;
  const NvmWriteQueue& writes_;
  const NvmBus& bus_;
  const NvmGranules& granules_;
  u32 read_overtaken_ = 0, write_overtaken_ = 0;
  bool wrote_last_ = false, writes_first_ = false;
};

}  // namespace ew::media
