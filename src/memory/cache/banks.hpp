// The banks of a private cache: lines are interleaved over them, and each takes one access at a time. Or there is one
// bank, whose words lie in banks of their own, and it takes parts of a load together that need different ones. Owned by
// the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "core/time_wheel.hpp"
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
  /// Whether the bank, which is busy, takes this part of a load beside those that it took in this cycle.
  bool takes_beside(WordMask words, core::Cycle now) const {
    return lines_ < tags_ && took_ == now && !(taken_ & words);
  }
  /// It takes a part of a load.
  void took(WordMask words, core::Cycle now) {
    if (tags_ == 1) return;
    if (took_ != now) took_ = now, taken_ = {}, lines_ = 0;
    taken_ |= words;
    ++lines_;
  }
  /// So many bytes come from the network.
  void fill(u64 line, u32 bytes, core::Cycle now) {
    core::Cycle& bank = of(line);
    bank = std::max(bank, now) + (bytes + fill_bytes_ - 1) / fill_bytes_;
    lines_ = tags_;  // nothing beside a fill
  }

 private:
  u32 fill_bytes_, line_shift_;
  u64 mask_;  // 0: their number is no power of two, or one
  WordMask whole_line_;
  u32 whole_line_cycles_;
  u32 tags_, lines_ = 1;  // that a cycle takes; that took_ has taken
  core::Cycle took_ = 0;
  WordMask taken_{};
  std::vector<core::Cycle> free_;
  std::array<u8, longest_line / word_bytes + 1> cycles_{};
};

}  // namespace ew::memory
