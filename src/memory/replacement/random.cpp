// Pseudo-random: each cache draws from one fixed sequence, so that equal runs stay equal.
#include "core/split_mix.hpp"
#include "memory/replacement/policies.hpp"

namespace ew::memory {
namespace {

class Random final : public Replacement {
 public:
  explicit Random(u32 ways) : ways_(ways) {}

  void installed(u32) override {}
  void used(u32) override {}
  void removed(u32) override {}
  /// The way that was drawn, or the next of those behind it that is not pinned.
  u32 victim(u32 set, const WaySet& pinned) override {
    const u32 drawn = static_cast<u32>(draw_.below(ways_));
    for (u32 i = drawn;; ++i)
      if (const u32 way = set * ways_ + i % ways_; !pinned[way]) return way;
  }

 private:
  u32 ways_;
  core::SplitMix64 draw_{0x5eed};
};

}  // namespace

ReplacementPolicy replacement::random() {
  return {.name = "random",
          .sentence = "Any line goes, by a fixed pseudo-random sequence.",
          .make = [](u32, u32 ways) -> std::unique_ptr<Replacement> { return std::make_unique<Random>(ways); },
          .spares_new = false,
          .spares_used = false};
}

}  // namespace ew::memory
