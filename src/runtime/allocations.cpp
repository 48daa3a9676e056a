#include "runtime/allocations.hpp"

#include <algorithm>
#include <iterator>

namespace ew::runtime {

namespace {

memory::Region region_of(AllocatedBy by) {
  switch (by) {
    case AllocatedBy::host:
      return memory::Region::host;
    case AllocatedBy::managed:
      return memory::Region::managed;
    case AllocatedBy::registered:
      return memory::Region::registered;
    default:
      return memory::Region::device;
  }
}

bool seen_by_host(AllocatedBy by) {
  return by == AllocatedBy::host || by == AllocatedBy::managed || by == AllocatedBy::registered;
}

}  // namespace

u64 Allocations::allocate(AllocatedBy by, u64 size, u64 alignment, const char* label, unsigned flags,
                          const void* pool) {
  const u64 begin = memory_.allocate(region_of(by), size, alignment, label);
  if (begin == 0) return 0;
  std::lock_guard lock(mutex_);
  Block block{begin, size, by, flags, pool};
  blocks_[begin] = block;
  if (pool) {
    PoolUse& use = pool_use_[pool];
    use.now += size;
    use.high = std::max(use.high, use.now);
  }
  if (seen_by_host(by)) note_shared(begin, size);
  return begin;
}

void Allocations::note_shared(u64 begin, u64 size) {
  shared_low_ = std::min(shared_low_.load(), begin);
  shared_high_ = std::max(shared_high_.load(), begin + size);
}

bool Allocations::adopt_registered(memory::Region region, u64 begin, u64 size, unsigned flags) {
  if (!memory_.adopt(region, begin, size, "cudaHostRegister")) return false;
  std::lock_guard lock(mutex_);
  blocks_[begin] = {begin, size, AllocatedBy::registered, flags};
  note_shared(begin, size);
  return true;
}

bool Allocations::release(u64 begin, u32 by) {
  {
    std::lock_guard lock(mutex_);
    const auto found = blocks_.find(begin);
    if (found == blocks_.end() || (bit(found->second.by) & by) == 0) return false;
    if (found->second.pool) pool_use_[found->second.pool].now -= found->second.size;
    blocks_.erase(found);
  }
  return memory_.release(begin);
}

Allocations::PoolUse Allocations::pool_use(const void* pool) const {
  std::lock_guard lock(mutex_);  // the machine's thread frees
  const auto found = pool_use_.find(pool);
  return found == pool_use_.end() ? PoolUse{} : found->second;
}

void Allocations::reset_pool_high(const void* pool) {
  std::lock_guard lock(mutex_);
  if (const auto found = pool_use_.find(pool); found != pool_use_.end()) found->second.high = found->second.now;
}

std::map<u64, Block>::iterator Allocations::holder(u64 address) {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return blocks_.end();
  const auto found = std::prev(next);
  return address < found->first + std::max<u64>(found->second.size, 1) ? found : blocks_.end();
}

std::optional<Block> Allocations::find(u64 address) const {
  std::lock_guard lock(mutex_);
  const auto found = const_cast<Allocations*>(this)->holder(address);
  if (found == blocks_.end()) return {};
  return found->second;
}

void Allocations::release_all() {
  std::lock_guard lock(mutex_);
  for (const auto& [begin, block] : blocks_) memory_.release(begin);
  blocks_.clear();
  pool_use_.clear();
}

}  // namespace ew::runtime
