// The reads of one channel of non-volatile memory that wait for the banks, and the buffer of granules that were read
// last, which cost the banks nothing. Owned by the medium.
#pragma once

#include <vector>

#include "core/ring.hpp"

namespace ew::media {

struct NvmRead {
  u64 token;
  u32 granules;          // that the banks must read
  u64 behind;            // so many writes that took a place before it
  u64 granule, arrived;  // the first of them; femtoseconds
};

class NvmReads {
 public:
  /// `buffer`: granules.
  explicit NvmReads(u32 buffer) : buffer_(buffer, ~u64{0}) {}

  bool empty() const { return waiting_.empty(); }
  u32 size() const { return waiting_.size(); }
  /// By age: 0 is the oldest.
  const NvmRead& operator[](u32 i) const { return waiting_[i]; }
  void add(const NvmRead& read) { waiting_.push_back(read); }
  NvmRead take(u32 i) {
    const NvmRead read = waiting_[i];
    for (; i > 0; --i) waiting_[i] = waiting_[i - 1];
    waiting_.pop_front();
    return read;
  }

  /// True: the buffer has the granule. Else it has it from now on.
  bool buffered(u64 granule) {
    if (buffer_.empty()) return false;
    u64& place = buffer_[granule % buffer_.size()];
    if (place == granule) return true;
    place = granule;
    return false;
  }

 private:
  core::Ring<NvmRead> waiting_;
  std::vector<u64> buffer_;  // granules, each in its place
};

}  // namespace ew::media
