// Each replacement policy, made by its own file; and the list that orders ways, which two of them share.
#pragma once

#include "memory/replacement.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

std::unique_ptr<Replacement> make_lru(u32 sets, u32 ways);
std::unique_ptr<Replacement> make_fifo(u32 sets, u32 ways);
std::unique_ptr<Replacement> make_random(u32 sets, u32 ways);
std::unique_ptr<Replacement> make_srrip(u32 sets, u32 ways);

/// Ways of each set in an order, as a list: moving one costs the same in a set of any size.
class WayOrder {
 public:
  WayOrder(u32 sets, u32 ways) : ways_(ways), sets_(sets), links_(sets * std::size_t{ways}) {}

  bool is_first(u32 way) const { return sets_[way / ways_].first == way; }
  void put_first(u32 way);
  void take_out(u32 way);
  /// From the last to the first.
  u32 last(u32 set) const { return sets_[set].last; }
  u32 before(u32 way) const { return links_[way].before; }

 private:
  struct Link {
    u32 before = no_way, behind = no_way;
  };
  struct Ends {
    u32 first = no_way, last = no_way;
  };
  u32 ways_;
  std::vector<Ends> sets_;
  std::vector<Link> links_;
};

}  // namespace ew::memory
