// The replacement policies of policies.inc, each described by its own file; and what two of them share: ways in an
// order, of which the last goes.
#pragma once

#include "memory/replacement.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

namespace replacement {
#define MODEL(name) ReplacementPolicy name();
#include "memory/replacement/policies.inc"
#undef MODEL
}  // namespace replacement

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

/// A line comes in first, and the last that may go makes room. A policy adds what a use changes.
class OrderedReplacement : public Replacement {
 public:
  OrderedReplacement(u32 sets, u32 ways) : order_(sets, ways) {}

  void installed(u32 way) override { order_.put_first(way); }
  void used(u32) override {}
  void removed(u32 way) override { order_.take_out(way); }
  u32 victim(u32 set, const WaySet& pinned) override;

 protected:
  WayOrder order_;
};

}  // namespace ew::memory
