// Least recently used: a use puts the line first.
#include "memory/replacement/policies.hpp"

namespace ew::memory {
namespace {

class Lru final : public OrderedReplacement {
 public:
  using OrderedReplacement::OrderedReplacement;

  void used(u32 way) override {
    if (order_.is_first(way)) return;
    order_.take_out(way);
    order_.put_first(way);
  }
};

}  // namespace

ReplacementPolicy replacement::lru() {
  return {"lru", "The line that was not used for longest goes.",
          [](u32 sets, u32 ways) -> std::unique_ptr<Replacement> { return std::make_unique<Lru>(sets, ways); }};
}

}  // namespace ew::memory
