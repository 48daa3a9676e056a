// Accesses that have arrived at the memory controller and are not in the write-pending queue yet: writes, which need
// the controller's time and then room, and reads that must not pass one of them. They go on in the order of arrival.
// Owned by the medium.
#pragma once

#include <array>

#include "core/ring.hpp"
#include "core/time_wheel.hpp"
#include "media/nvm_granules.hpp"

namespace ew::media {

class NvmArrivals {
 public:
  struct Arrival {
    NvmAccess access;
    core::Cycle ready;
    u32 granules_in = 0;  // of a write: that the queue has already
  };

  explicit NvmArrivals(const NvmGranules& granules) : granules_(granules) {}

  bool empty() const { return waiting_.empty(); }
  Arrival& first() { return waiting_.front(); }
  /// The first of them would go on now.
  bool due(core::Cycle now) const { return !waiting_.empty() && waiting_.front().ready <= now; }
  core::Cycle next_ready() const { return waiting_.front().ready; }

  void add_write(const NvmAccess&, core::Cycle ready);
  /// Behind those that wait. REQUIRES: not empty().
  void add_read(const NvmAccess& access) { waiting_.push_back({access, waiting_.back().ready}); }
  /// A write waits that has a granule of this access.
  bool has_write_at(const NvmAccess&) const;
  /// The queue has the next granule of the first write.
  void granule_in(u64 granule) {
    ++waiting_.front().granules_in;
    --writes_at(granule);
  }
  void pop() { waiting_.pop_front(); }
  /// Bytes of the program in [begin, end) are wanted no more.
  void drop(u64 begin, u64 end, memory::Payloads&);

 private:
  u32& writes_at(u64 granule) { return writes_at_[granule % writes_at_.size()]; }

  const NvmGranules& granules_;
  core::Ring<Arrival> waiting_;
  std::array<u32, 1024> writes_at_{};  // by granule, several of which share a count: 0 says that there is none
};

}  // namespace ew::media
