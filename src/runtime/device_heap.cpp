#include "runtime/device_heap.hpp"

#include <iterator>

#include "core/checked.hpp"

namespace ew::runtime {

/// A size of 0: not free.
void DeviceHeap::set_free(u64 begin, u64 size) {
  if (size)
    free_[begin] = size;
  else
    free_.erase(begin);
  gaps_.set(begin, size);
}

u64 DeviceHeap::allocate(u64 bytes) {
  if (bytes == 0 || bytes > capacity_) return 0;
  const core::Checked rounded = core::Checked(bytes).rounded_up(16);
  if (!rounded.at_most(capacity_)) return 0;
  const u64 size = rounded.value();
  if (begin_ == 0) {
    begin_ = memory_.allocate(memory::Region::internal, capacity_, 256, "device heap");
    if (begin_ == 0) return 0;
    set_free(begin_, capacity_);
  }
  const memory::Gaps::Gap gap = gaps_.first(size);
  if (gap.bytes == 0) return 0;
  set_free(gap.begin, 0);
  set_free(gap.begin + size, gap.bytes - size);
  live_.emplace(gap.begin, size);
  return gap.begin;
}

bool DeviceHeap::release(u64 address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  u64 begin = address, size = found->second;
  live_.erase(found);
  const auto next = free_.lower_bound(address);
  if (next != free_.begin() && std::prev(next)->first + std::prev(next)->second == begin) {
    begin = std::prev(next)->first;
    size += std::prev(next)->second;
  }
  if (next != free_.end() && next->first == begin + size) {
    size += next->second;
    set_free(next->first, 0);
  }
  set_free(begin, size);
  return true;
}

void DeviceHeap::reset() {
  if (begin_ != 0) memory_.release(begin_);
  begin_ = 0;
  free_.clear();
  gaps_.clear();
  live_.clear();
}

}  // namespace ew::runtime
