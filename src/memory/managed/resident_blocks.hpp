// Which managed pages the device's memory holds, by blocks of some pages, and which block leaves first when the memory
// is full: the one whose last page came the longest ago. A driver does not see accesses that hit. Owned by
// ManagedPages.
#pragma once

#include <map>

#include "core/types.hpp"

namespace ew::memory {

class ResidentBlocks {
 public:
  explicit ResidentBlocks(u64 block_bytes) : block_(block_bytes) {}

  /// REQUIRES: the page was not here.
  void came(u64 page_address) {
    Block& block = blocks_[page_address / block_];
    if (block.pages++ > 0) by_age_.erase(block.age);
    block.age = ++age_;
    by_age_.emplace(block.age, page_address / block_);
    ++pages_;
  }
  /// Nothing, if its block was forgotten.
  void left(u64 page_address) {
    const auto found = blocks_.find(page_address / block_);
    if (found == blocks_.end()) return;
    --pages_;
    if (--found->second.pages > 0) return;
    by_age_.erase(found->second.age);
    blocks_.erase(found);
  }

  /// What is left of the block that begins there is no memory any more.
  void forget(u64 block) {
    const auto found = blocks_.find(block / block_);
    if (found == blocks_.end()) return;
    pages_ -= found->second.pages;
    by_age_.erase(found->second.age);
    blocks_.erase(found);
  }

  bool same_block(u64 one, u64 other) const { return one / block_ == other / block_; }
  u64 pages() const { return pages_; }
  /// The first byte of the block that leaves first. REQUIRES: pages() > 0.
  u64 oldest() const { return by_age_.begin()->second * block_; }

 private:
  struct Block {
    u64 pages = 0, age = 0;
  };

  const u64 block_;  // bytes
  u64 pages_ = 0, age_ = 0;
  std::map<u64, Block> blocks_;  // by number
  std::map<u64, u64> by_age_;    // numbers of blocks
};

}  // namespace ew::memory
