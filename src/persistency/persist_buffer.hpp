// The persist buffer of one SM (SBRP paper, section 6): dirty persistent lines and order operations in the order
// in which they came, each with the warps that it is of. Owned by the sbrp model.
//
// Places are numbered as they are taken and never again. A line has one entry at most. What leaves before its time
// leaves a hole behind, which keeps its place until it is the oldest.
#pragma once

#include <array>
#include <vector>

#include "core/types.hpp"

namespace ew::persistency {

/// The type bits. full: orders whatever is before it; the others what is of their own warps.
enum class EntryType : u8 { persist, hole, ofence, release, full, acquire, durable };

class PersistBuffer {
 public:
  using Place = u64;
  static constexpr Place none = ~Place{0};
  static constexpr u32 unnamed = ~u32{0};
  struct Entry {
    EntryType type = EntryType::hole;
    u32 way = 0;  // of an acquire: the flag that was read; of a release: its flag, or unnamed
    u64 warps = 0;
  };

  /// capacity: entries; ways: of the private cache; merges_past: see sbrp_artifact.hpp.
  PersistBuffer(u32 capacity, u32 ways, bool merges_past = false)
      : entries_(capacity), place_of_(ways, none), merges_past_(merges_past) {}

  u32 capacity() const { return static_cast<u32>(entries_.size()); }
  bool empty() const { return head_ == tail_; }
  bool full() const { return tail_ - head_ == entries_.size(); }
  Place head() const { return head_; }
  Place tail() const { return tail_; }
  const Entry& operator[](Place p) const { return entries_[p % entries_.size()]; }
  /// Not left, and nothing but it can stand there.
  bool inside(Place p) const { return p >= head_ && p < tail_ && (*this)[p].type != EntryType::hole; }

  Place place_of(u32 way) const { return place_of_[way]; }
  /// The line joins, or one more warp has written to it. True: the latter.
  bool put(u32 way, u32 warp);
  /// The line leaves from wherever it is.
  void take(u32 way);
  /// Of an order operation: it is over for all warps but these.
  void leave_to(Place p, u64 warps) {
    at(p).warps = warps;
    if (!warps) at(p) = {};
  }
  /// Holes that are the oldest go.
  void close_up() {
    while (head_ < tail_ && (*this)[head_].type == EntryType::hole) ++head_;
  }

  /// An order operation joins; the youngest entry takes it in if it is of the same type and flag. True: it did.
  /// REQUIRES: room for one more, or can_merge().
  bool put_order(EntryType, u64 warps, u32 flag = 0);
  bool can_merge(EntryType type, u64 warps, u32 flag = 0) const { return entry_to_join(type, warps, flag) != none; }
  /// The flag that a release is of; `mixed` when its warps name several.
  void name(Place release, u32 flag, u32 mixed) {
    u32& way = at(release).way;
    way = way == unnamed || way == flag ? flag : mixed;
  }
  /// The place of the warp's youngest order operation, which may have left, or none.
  Place last_order(u32 warp) const { return last_order_[warp]; }
  /// Some order operation of the warp is in the buffer, behind this place (or anywhere).
  bool order_behind(Place place, u32 warp) const { return last_order_[warp] != none && last_order_[warp] > place; }
  bool order_inside(u32 warp) const { return last_order_[warp] != none && last_order_[warp] >= head_; }
  /// Some order operation of these warps is before this place.
  bool order_before(Place, u64 warps) const;

 private:
  static constexpr std::array<Place, 64> no_orders() {
    std::array<Place, 64> places{};
    places.fill(none);
    return places;
  }

  Place entry_to_join(EntryType, u64 warps, u32 flag) const;
  Entry& at(Place p) { return entries_[p % entries_.size()]; }

  std::vector<Entry> entries_;
  std::vector<Place> place_of_;  // by way
  Place head_ = 0, tail_ = 0;
  bool merges_past_;
  std::array<Place, 64> last_order_ = no_orders();
};

}  // namespace ew::persistency
