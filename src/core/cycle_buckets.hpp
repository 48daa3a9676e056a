// What parts of the machine that run ahead leave for the others: items by cycle, for a window of cycles, in the order
// in which they came. When parts run one after the other through a window, in a fixed order, the items of a cycle are
// in that order, whatever the length of the window.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "core/time_wheel.hpp"

namespace ew::core {

template <class Item>
class CycleBuckets {
 public:
  /// Cycles from the first that has items to the last: fewer than this.
  static constexpr u32 longest = 64;

  CycleBuckets() { all_.reserve(1024); }

  void put(Cycle when, const Item& item) {
    u32 index = free_;
    if (index == none) {
      index = static_cast<u32>(all_.size());
      all_.emplace_back();
    } else {
      free_ = all_[index].next;
    }
    all_[index] = {item, none};
    Bucket& bucket = buckets_[when % longest];
    (bucket.first == none ? bucket.first : all_[bucket.last].next) = index;
    bucket.last = index;
    filled_ |= u64{1} << when % longest;
  }
  bool empty() const { return !filled_; }
  /// The first cycle at or behind `from` that has items, or `never`. REQUIRES: no earlier one has.
  Cycle next(Cycle from) const {
    return filled_ ? from + static_cast<u32>(std::countr_zero(std::rotr(filled_, static_cast<int>(from % longest))))
                   : never;
  }
  /// Calls `use` with each item of a cycle, which are gone then. `use` may put items of later cycles.
  template <class Use>
  void take(Cycle when, Use&& use) {
    if (!(filled_ >> when % longest & 1)) return;
    filled_ &= ~(u64{1} << when % longest);
    u32 index = buckets_[when % longest].first;
    buckets_[when % longest] = {};
    while (index != none) {
      const Item item = all_[index].item;
      const u32 next = all_[index].next;
      all_[index].next = free_;
      free_ = index;
      use(item);
      index = next;
    }
  }

 private:
  static constexpr u32 none = ~u32{0};
  struct Node {
    Item item;
    u32 next = none;
  };
  struct Bucket {
    u32 first = none, last = none;
  };

  std::array<Bucket, longest> buckets_;
  std::vector<Node> all_;  // grows to the working size of a run and stays there
  u32 free_ = none;
  u64 filled_ = 0;
};

}  // namespace ew::core
