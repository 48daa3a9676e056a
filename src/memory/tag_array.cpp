#include "memory/tag_array.hpp"

#include <bit>
#include <cassert>
#include <utility>

namespace ew::memory {
namespace {
constexpr u32 most_scanned_ways = 16;
}

TagArray::TagArray(const Shape& shape, std::string_view replacement)
    : line_shift_(static_cast<u32>(std::countr_zero(shape.line_bytes))),
      stretch_shift_(static_cast<u32>(std::countr_zero(shape.stretch))),
      hashed_(shape.hashed),
      filled_(static_cast<u32>(shape.bytes / shape.line_bytes)),
      pinned_(static_cast<u32>(shape.bytes / shape.line_bytes)) {
  const u32 lines = static_cast<u32>(shape.bytes / shape.line_bytes);
  ways_ = shape.ways ? shape.ways : lines;
  const u32 sets = lines / ways_;
  assert(std::has_single_bit(shape.line_bytes) && sets && u64{sets} * ways_ * shape.line_bytes == shape.bytes);
  assert(std::has_single_bit(shape.stretch) && sets % shape.stretch == 0);
  if (std::has_single_bit(sets)) set_mask_ = sets - 1;
  tags_.assign(lines, no_line);
  pinned_of_.assign(sets, 0);
  policy_ = replacement_policy(replacement)->make(sets, ways_);
  next_empty_.resize(lines);
  for (u32 set = 0; set < sets; ++set) {
    const u32 first = set * ways_;
    for (u32 way = first; way < first + ways_; ++way) next_empty_[way] = way == first ? no_way : way - 1;
    empty_.push_back(first + ways_ - 1);
  }
  if (ways_ > most_scanned_ways) {
    const u32 slots = std::bit_ceil(2 * lines);
    index_shift_ = 32 - static_cast<u32>(std::countr_zero(slots));
    index_.assign(slots, {});
  }
}

u32 TagArray::find_in_index(u64 line) const {
  const u32 mask = static_cast<u32>(index_.size()) - 1, hash = hash_of(line);
  for (u32 slot = hash >> index_shift_; index_[slot].way != no_way; slot = (slot + 1) & mask)
    if (index_[slot].hash == hash && tags_[index_[slot].way] == line) return index_[slot].way;
  return no_way;
}

void TagArray::install(u32 way, u64 line) {
  u32& empty = empty_[way / ways_];
  assert(empty == way && tags_[way] == no_line);
  empty = next_empty_[way];
  tags_[way] = line;
  filled_.add(way);
  policy_->installed(way);
  if (index_.empty()) return;
  const u32 mask = static_cast<u32>(index_.size()) - 1, hash = hash_of(line);
  u32 slot = hash >> index_shift_;
  while (index_[slot].way != no_way) slot = (slot + 1) & mask;
  index_[slot] = {way, hash};
}

void TagArray::remove(u32 way) {
  if (!index_.empty()) forget(way);
  tags_[way] = no_line;
  filled_.remove(way);
  policy_->removed(way);
  next_empty_[way] = std::exchange(empty_[way / ways_], way);
}

/// Those behind the slot that could have stood in it move up, so that no search ends too early.
void TagArray::forget(u32 way) {
  const u32 mask = static_cast<u32>(index_.size()) - 1;
  u32 hole = hash_of(tags_[way]) >> index_shift_;
  while (index_[hole].way != way) hole = (hole + 1) & mask;
  for (u32 slot = (hole + 1) & mask; index_[slot].way != no_way; slot = (slot + 1) & mask) {
    const u32 wanted = index_[slot].hash >> index_shift_;
    if (((slot - wanted) & mask) < ((slot - hole) & mask)) continue;
    index_[hole] = index_[slot];
    hole = slot;
  }
  index_[hole].way = no_way;
}

}  // namespace ew::memory
