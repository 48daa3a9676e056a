// Persists of one cache that are on their way to the persistence domain, counted by who waits for them. Owned by the
// cache.
//
// A persist's number names its generation: 1 + generation % 255. Whoever waits (a mark) waits for the persists of its
// generation and of all older ones. Marks are reached in their order.
#pragma once

#include <array>
#include <optional>

#include "core/ring.hpp"
#include "core/types.hpp"

namespace ew::memory {

class PersistsUnderWay {
 public:
  u32 count() const { return count_; }
  /// One more. Returns its number, for Request::persist.
  u8 open() {
    ++open_[generation_ % numbers];
    ++count_;
    return static_cast<u8>(1 + generation_ % numbers);
  }
  void durable(u8 number) {
    --open_[number - 1u];
    --count_;
  }
  /// True: there are none. Else reached() names these warps when those of now are durable.
  bool when_durable(u64 warps) {
    if (!count_) return true;
    marks_.push_back({generation_, warps});
    if (generation_ - oldest_ < numbers - 1) ++generation_;
    return false;
  }
  /// The warps of the oldest mark, if its persists are durable. To be asked until it answers nothing.
  std::optional<u64> reached() {
    while (!marks_.empty()) {
      while (oldest_ != generation_ && !open_[oldest_ % numbers]) ++oldest_;
      const Mark mark = marks_.front();
      if (mark.generation == generation_) {  // every number was in use when it came
        if (generation_ - oldest_ == numbers - 1) return {};
        ++generation_;
        continue;
      }
      if (static_cast<i32>(mark.generation - oldest_) >= 0) return {};
      marks_.pop_front();
      return mark.warps;
    }
    return {};
  }

 private:
  struct Mark {
    u32 generation = 0;
    u64 warps = 0;
  };
  static constexpr u32 numbers = 255;

  std::array<u32, numbers> open_{};
  u32 oldest_ = 0, generation_ = 0, count_ = 0;
  core::Ring<Mark> marks_;
};

}  // namespace ew::memory
