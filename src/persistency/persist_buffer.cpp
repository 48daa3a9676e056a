#include "persistency/persist_buffer.hpp"

#include <bit>
#include <cassert>

#include "persistency/sbrp_artifact.hpp"

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

bool PersistBuffer::put_order(EntryType type, u64 warps, u32 flag) {
  Place place = entry_to_join(type, warps, flag);
  const bool merges = place != none;
  if (merges) {
    at(place).warps |= warps;
  } else {
    assert(!full());
    place = tail_++;
    at(place) = {type, flag, warps};
  }
  for (u64 left = warps; left; left &= left - 1) last_order_[static_cast<u32>(std::countr_zero(left))] = place;
  return merges;
}

PersistBuffer::Place PersistBuffer::entry_to_join(EntryType type, u64 warps, u32 flag) const {
  if (merges_past_) return entry_past_others(*this, type, warps, flag);
  const bool same = !empty() && (*this)[tail_ - 1].type == type && (*this)[tail_ - 1].way == flag;
  return same ? tail_ - 1 : none;
}

bool PersistBuffer::order_before(Place place, u64 warps) const {
  for (Place p = head_; p < place; ++p)
    if ((*this)[p].type > EntryType::hole && ((*this)[p].warps & warps)) return true;
  return false;
}

}  // namespace ew::persistency
