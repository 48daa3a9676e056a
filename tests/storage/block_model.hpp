// Which writes the blocks of a namespace may hold: the oracle's plain model. A write has a stamp; 0 is a block of
// zeros. Several writes to a block that are under way at once may end in any order.
#pragma once

#include <set>
#include <vector>

#include "core/types.hpp"

namespace ew::storage {

class BlockModel {
 public:
  explicit BlockModel(u64 blocks = 0) : may_(blocks, {0}), pending_(blocks) {}

  /// What a block holds after write `stamp`.
  static u8 byte_of(u64 stamp, u64 block, u32 offset) {
    return stamp == 0 ? 0 : static_cast<u8>(stamp * 31 + block * 7 + offset * 13 + (stamp >> 8) + offset / 256 + 1);
  }

  u64 blocks() const { return may_.size(); }
  const std::set<u64>& may(u64 block) const { return may_[block]; }
  /// The same, and what writes under way may leave.
  std::set<u64> may_now(u64 block) const {
    std::set<u64> all = may_[block];
    all.insert(pending_[block].begin(), pending_[block].end());
    return all;
  }
  /// The block holds what its last write left: nothing is under way.
  bool settled(u64 block) const { return pending_[block].empty() && !overlapped_.contains(block); }

  void begin_write(u64 block, u64 stamp) { pending_[block].insert(stamp); }
  /// `done`: it has happened; `perhaps`: it may have happened.
  void end_write(u64 block, u64 stamp, bool done, bool perhaps) {
    pending_[block].erase(pending_[block].find(stamp));
    if (done && settled(block)) {
      may_[block] = {stamp};
      return;
    }
    if (done || perhaps) may_[block].insert(stamp);
    if (pending_[block].empty())
      overlapped_.erase(block);
    else
      overlapped_.insert(block);
  }
  void forget_overlaps() { overlapped_.clear(); }

 private:
  std::vector<std::set<u64>> may_;           // by block: the writes that it may hold
  std::vector<std::multiset<u64>> pending_;  // by block: writes under way
  std::set<u64> overlapped_;                 // blocks to which several writes were under way at once
};

}  // namespace ew::storage
