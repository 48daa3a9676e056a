// Static re-reference interval prediction with hit priority (Jaleel, Theobald, Steely and Emer, "High Performance Cache
// Replacement Using Re-Reference Interval Prediction (RRIP)", ISCA 2010, section 4.1), two bits a line: a line comes in
// with a long interval (2), a hit makes it near (0), and one with a distant interval (3) goes. Where none is distant,
// all age.
#include <algorithm>

#include "memory/replacement/policies.hpp"

namespace ew::memory {
namespace {

class Srrip final : public Replacement {
 public:
  Srrip(u32 sets, u32 ways) : ways_(ways), interval_(sets * std::size_t{ways}, distant) {}

  void installed(u32 way) override { interval_[way] = distant - 1; }
  void used(u32 way) override { interval_[way] = 0; }
  void removed(u32 way) override { interval_[way] = distant; }
  /// The first of those with the longest interval. All age as if they had done so one by one.
  u32 victim(u32 set, const WaySet& pinned) override {
    u32 found = no_way;
    const u32 first = set * ways_;
    for (u32 way = first; way < first + ways_; ++way)
      if ((found == no_way || interval_[way] > interval_[found]) && !pinned[way]) found = way;
    const u8 age = static_cast<u8>(distant - interval_[found]);
    for (u32 way = first; way < first + ways_; ++way)
      interval_[way] = std::min<u8>(static_cast<u8>(interval_[way] + age), distant);
    return found;
  }

 private:
  static constexpr u8 distant = 3;
  u32 ways_;
  std::vector<u8> interval_;
};

}  // namespace

ReplacementPolicy replacement::srrip() {
  return {"srrip", "A line that was hit stays longer than one that was not (SRRIP-HP, two bits a line).",
          [](u32 sets, u32 ways) -> std::unique_ptr<Replacement> { return std::make_unique<Srrip>(sets, ways); }};
}

}  // namespace ew::memory
