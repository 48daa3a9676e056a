// Least recently used.
#include "memory/replacement/policies.hpp"

namespace ew::memory {
namespace {

class Lru final : public Replacement {
 public:
  Lru(u32 sets, u32 ways) : order_(sets, ways) {}

  void installed(u32 way) override { order_.put_first(way); }
  void used(u32 way) override {
    if (order_.is_first(way)) return;
    order_.take_out(way);
    order_.put_first(way);
  }
  void removed(u32 way) override { order_.take_out(way); }
  u32 victim(u32 set, core::FunctionRef<bool(u32)> may_go) override {
    for (u32 way = order_.last(set); way != no_way; way = order_.before(way))
      if (may_go(way)) return way;
    return no_way;
  }

 private:
  WayOrder order_;
};

}  // namespace

std::unique_ptr<Replacement> make_lru(u32 sets, u32 ways) {
  return std::make_unique<Lru>(sets, ways);
}

}  // namespace ew::memory
