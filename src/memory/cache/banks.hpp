// The banks of a private cache: lines are interleaved over them, and each takes one access at a time. Owned by the
// cache.
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
  /// So many bytes come from the network.
  void fill(u64 line, u32 bytes, core::Cycle now) {
    core::Cycle& bank = of(line);
    bank = std::max(bank, now) + (bytes + fill_bytes_ - 1) / fill_bytes_;
  }

 private:
  u32 fill_bytes_, line_shift_;
  u64 mask_;  // 0: their number is no power of two, or one
  WordMask whole_line_;
  u32 whole_line_cycles_;
  std::vector<core::Cycle> free_;
  std::array<u8, longest_line / word_bytes + 1> cycles_{};
};

}  // namespace ew::memory
