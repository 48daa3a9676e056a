// The banks of a private cache: lines are interleaved over them, and each takes one access at a time. Or there is one
// bank whose words lie in banks of their own. Of one load it looks up several lines in a cycle, and it takes as long as
// that, or as the most words that lie at one place of their lines, if these are more. Owned by the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "core/time_wheel.hpp"
#include "memory/agent.hpp"
#include "memory/masks.hpp"
#include "memory/memory_config.hpp"
#include "memory/request.hpp"

namespace ew::memory {

class Banks {
 public:
  explicit Banks(const PrivateCacheConfig& c)
      : fill_bytes_(c.fill_bytes),
        line_shift_(static_cast<u32>(std::countr_zero(c.line))),
        mask_(std::has_single_bit(c.banks) ? c.banks - 1 : 0),
        whole_line_(all_words(c.line)),
        tags_(c.tags),
        free_(c.banks) {
    for (u32 words = 0; words < cycles_.size(); ++words)
      cycles_[words] = static_cast<u8>(std::max(1u, (words * word_bytes + c.bank_bytes - 1) / c.bank_bytes));
    whole_line_cycles_ = cycles_[c.line / word_bytes];
  }

  /// The cycle from which on the line's bank takes an access.
  core::Cycle& of(u64 line) {
    const u64 number = line >> line_shift_;
    return free_[mask_ ? number & mask_ : number % free_.size()];
  }
  /// Cycles of an access to these words. All of a line are asked for most often, and need not be counted.
  core::Cycle cycles(WordMask words) const {
    return words == whole_line_ ? whole_line_cycles_ : cycles_[count_of(words)];
  }
  /// Whether the bank, which is busy with an access, takes one more line of it: of the same load.
  bool takes_more(const LineAccess& a, core::Cycle now) const {
    return tags_ > 1 && a.part != 0 && a.access == load_ && (looked_up_ != now || lines_ < tags_);
  }
  /// It takes a part of an access. The cycle from which on it takes another access.
  core::Cycle took(const LineAccess& a, core::Cycle now) {
    if (tags_ == 1) return now + cycles(a.words);
    if (a.kind != AccessKind::load) {
      load_ = none;
      return now + cycles(a.words);
    }
    if (a.part == 0 || a.access != load_) load_ = a.access, begun_ = now, deep_ = 0;
    if (looked_up_ != now) looked_up_ = now, lines_ = 0;
    ++lines_;
    // places_[n]: at which places of their lines more than n words lie.
    WordMask more = a.words;
    for (u32 n = 0; more; ++n) {
      if (n == deep_) places_[deep_++] = 0;
      const WordMask taken = places_[n] & more;
      places_[n] |= more;
      more = taken;
    }
    return std::max(now + 1, begun_ + deep_);
  }
  /// So many bytes come from the network.
  void fill(u64 line, u32 bytes, core::Cycle now) {
    core::Cycle& bank = of(line);
    bank = std::max(bank, now) + (bytes + fill_bytes_ - 1) / fill_bytes_;
    load_ = none;  // nothing beside a fill
  }

 private:
  u32 fill_bytes_, line_shift_;
  u64 mask_;  // 0: their number is no power of two, or one
  WordMask whole_line_;
  u32 whole_line_cycles_;
  static constexpr u32 none = ~u32{0};
  u32 tags_, lines_ = 0;  // that are looked up in a cycle; that were, in looked_up_
  u32 load_ = none;       // which it takes, since begun_
  core::Cycle looked_up_ = core::never, begun_ = 0;
  u32 deep_ = 0;
  std::array<WordMask, warp_lanes> places_{};
  std::vector<core::Cycle> free_;
  std::array<u8, longest_line / word_bytes + 1> cycles_{};
};

}  // namespace ew::memory
