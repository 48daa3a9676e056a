#include "memory/replacement/policies.hpp"

namespace ew::memory {

void WayOrder::put_first(u32 way) {
  Ends& set = sets_[way / ways_];
  links_[way] = {no_way, set.first};
  (set.first == no_way ? set.last : links_[set.first].before) = way;
  set.first = way;
}

void WayOrder::take_out(u32 way) {
  Ends& set = sets_[way / ways_];
  const Link link = links_[way];
  (link.before == no_way ? set.first : links_[link.before].behind) = link.behind;
  (link.behind == no_way ? set.last : links_[link.behind].before) = link.before;
}

u32 OrderedReplacement::victim(u32 set, const WaySet& pinned) {
  u32 way = order_.last(set);
  while (pinned[way]) way = order_.before(way);
  return way;
}

}  // namespace ew::memory
