#include "persistency/persist_buffer.hpp"

#include <bit>
#include <cassert>

namespace ew::persistency {

bool PersistBuffer::put(u32 way, u32 warp) {
  if (place_of_[way] != none) {
    at(place_of_[way]).warps |= u64{1} << warp;
    return true;
  }
  assert(!full());
  place_of_[way] = tail_;
  at(tail_++) = {EntryType::persist, way, u64{1} << warp};
  return false;
}

void PersistBuffer::take(u32 way) {
  at(place_of_[way]) = {};
  place_of_[way] = none;
}

bool PersistBuffer::put_order(EntryType type, u64 warps) {
  const bool merges = can_merge(type);
  if (merges) {
    at(tail_ - 1).warps |= warps;
  } else {
    assert(!full());
    at(tail_++) = {type, 0, warps};
  }
  for (u64 left = warps; left; left &= left - 1) last_order_[static_cast<u32>(std::countr_zero(left))] = tail_ - 1;
  return merges;
}

bool PersistBuffer::order_before(Place place, u64 warps) const {
  for (Place p = head_; p < place; ++p)
    if ((*this)[p].type > EntryType::hole && ((*this)[p].warps & warps)) return true;
  return false;
}

}  // namespace ew::persistency
