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
  /// The way that was drawn, or the next of those behind it that may go.
  u32 victim(u32 set, core::FunctionRef<bool(u32)> may_go) override {
    const u32 drawn = static_cast<u32>(draw_.below(ways_));
    for (u32 i = 0; i < ways_; ++i) {
      const u32 way = set * ways_ + (drawn + i) % ways_;
      if (may_go(way)) return way;
    }
    return no_way;
  }

 private:
  u32 ways_;
  core::SplitMix64 draw_{0x5eed};
};

}  // namespace

ReplacementPolicy replacement::random() {
  return {"random", "Any line goes, by a fixed pseudo-random sequence.",
          [](u32, u32 ways) -> std::unique_ptr<Replacement> { return std::make_unique<Random>(ways); }};
}

}  // namespace ew::memory
