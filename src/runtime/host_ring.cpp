#include "runtime/host_ring.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ew::runtime {

bool HostRing::place(storage::Command command, u64 owner) {
  const u32 next = (tail_ + 1) % size_;
  const auto free = std::ranges::find(places_, Use::free, &Place::use);
  if (next == head_ || under_way_ + 1 >= size_ || free == places_.end()) return false;
  *free = {owner, Use::owned};
  command.id = static_cast<u16>(free - places_.begin());
  std::memcpy(reinterpret_cast<u8*>(commands_) + tail_ * sizeof command, &command, sizeof command);
  tail_ = next;
  ++under_way_;
  return true;
}

std::optional<HostRing::Ended> HostRing::take() {
  for (;;) {
    storage::Completion entry;
    std::memcpy(&entry, reinterpret_cast<const u8*>(completions_) + completion_head_ * sizeof entry, sizeof entry);
    if ((entry.status & 1) != phase_) return {};
    if (++completion_head_ == size_) completion_head_ = 0, phase_ ^= 1;
    head_ = entry.queue_head;
    if (entry.id >= size_) continue;
    const Place place = std::exchange(places_[entry.id], {});
    if (place.use != Use::owned) continue;
    --under_way_;
    return Ended{place.owner, static_cast<u32>(entry.status >> 1 & 0x7ff)};
  }
}

std::vector<u64> HostRing::drop_all() {
  std::vector<u64> owners;
  for (Place& place : places_)
    if (place.use == Use::owned) {
      owners.push_back(place.owner);
      place.use = Use::dropped;
    }
  under_way_ = 0;
  return owners;
}

}  // namespace ew::runtime
