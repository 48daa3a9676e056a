#include "memory/tag_array.hpp"

#include <bit>
#include <cassert>

namespace ew::memory {
namespace {
constexpr u32 most_scanned_ways = 16;
}

TagArray::TagArray(u64 bytes, u32 line_bytes, u32 ways, bool hashed)
    : line_shift_(static_cast<u32>(std::countr_zero(line_bytes))), hashed_(hashed) {
  const u32 lines = static_cast<u32>(bytes / line_bytes);
  ways_ = ways ? ways : lines;
  const u32 sets = lines / ways_;
  assert(std::has_single_bit(line_bytes) && sets && u64{sets} * ways_ * line_bytes == bytes);
  if (std::has_single_bit(sets)) set_mask_ = sets - 1;
  tags_.assign(lines, no_line);
  order_.resize(lines);
  for (u32 set = 0; set < sets; ++set) {
    const u32 first = set * ways_, last = first + ways_ - 1;
    sets_.push_back({first, last});
    for (u32 way = first; way <= last; ++way)
      order_[way] = {way == first ? no_way : way - 1, way == last ? no_way : way + 1};
  }
  if (ways_ > most_scanned_ways) {
    const u32 slots = std::bit_ceil(2 * lines);
    index_shift_ = 64 - static_cast<u32>(std::countr_zero(slots));
    index_.assign(slots, no_way);
  }
}

u32 TagArray::find_in_index(u64 line) const {
  const u64 mask = index_.size() - 1;
  for (u64 slot = slot_of(line); index_[slot] != no_way; slot = (slot + 1) & mask)
    if (tags_[index_[slot]] == line) return index_[slot];
  return no_way;
}

void TagArray::install(u32 way, u64 line) {
  assert(tags_[way] == no_line);
  tags_[way] = line;
  move(way, true);
  if (index_.empty()) return;
  u64 slot = slot_of(line);
  while (index_[slot] != no_way) slot = (slot + 1) & (index_.size() - 1);
  index_[slot] = way;
}

void TagArray::remove(u32 way) {
  if (!index_.empty()) forget(tags_[way]);
  tags_[way] = no_line;
  move(way, false);
}

/// Those behind the slot that could have stood in it move up, so that no search ends too early.
void TagArray::forget(u64 line) {
  const u64 mask = index_.size() - 1;
  u64 hole = slot_of(line);
  while (tags_[index_[hole]] != line) hole = (hole + 1) & mask;
  for (u64 slot = (hole + 1) & mask; index_[slot] != no_way; slot = (slot + 1) & mask) {
    const u64 wanted = slot_of(tags_[index_[slot]]);
    if (((slot - wanted) & mask) < ((slot - hole) & mask)) continue;
    index_[hole] = index_[slot];
    hole = slot;
  }
  index_[hole] = no_way;
}

void TagArray::move(u32 way, bool to_front) {
  Set& set = sets_[way / ways_];
  Order& order = order_[way];
  if (order.before != no_way)
    order_[order.before].behind = order.behind;
  else
    set.first = order.behind;
  if (order.behind != no_way)
    order_[order.behind].before = order.before;
  else
    set.last = order.before;
  if (set.first == no_way) {  // a set of one way
    set = {way, way};
    order = {};
  } else if (to_front) {
    order = {no_way, set.first};
    order_[set.first].before = way;
    set.first = way;
  } else {
    order = {set.last, no_way};
    order_[set.last].behind = way;
    set.last = way;
  }
}

}  // namespace ew::memory
