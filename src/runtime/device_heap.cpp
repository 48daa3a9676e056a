#include "runtime/device_heap.hpp"

#include <algorithm>
#include <iterator>

namespace ew::runtime {

u64 DeviceHeap::allocate(u64 bytes) {
  if (bytes == 0 || bytes > capacity_) return 0;
  if (begin_ == 0) {
    begin_ = memory_.allocate(memory::Region::internal, capacity_, 256, "device heap");
    if (begin_ == 0) return 0;
    free_.emplace(begin_, capacity_);
  }
  const u64 size = (bytes + 15) & ~u64{15};
  const auto fits = [size](const auto& gap) { return gap.second >= size; };
  const auto gap = std::find_if(free_.begin(), free_.end(), fits);
  if (gap == free_.end()) return 0;
  const u64 address = gap->first, rest = gap->second - size;
  free_.erase(gap);
  if (rest > 0) free_.emplace(address + size, rest);
  live_.emplace(address, size);
  return address;
}

bool DeviceHeap::release(u64 address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  u64 size = found->second;
  live_.erase(found);
  auto next = free_.lower_bound(address);
  if (next != free_.end() && next->first == address + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += size;
      return true;
    }
  }
  free_.emplace(address, size);
  return true;
}

void DeviceHeap::reset() {
  if (begin_ != 0) memory_.release(begin_);
  begin_ = 0;
  free_.clear();
  live_.clear();
}

}  // namespace ew::runtime
