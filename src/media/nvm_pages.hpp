// The pages of one channel whose place in the medium the modules know: Optane keeps the table of places in the medium,
// and the last used part of it in a buffer (AIT buffer; Wang et al. 2020, Characterizing and Modeling Non-Volatile
// Memory Systems). Owned by the medium. A size of 0 is a buffer that has every page.
#pragma once

#include <optional>

#include "memory/tag_array.hpp"

namespace ew::media {

class NvmPages {
 public:
  static constexpr u32 page = 4096;

  explicit NvmPages(u32 pages) {
    constexpr u32 fully_associative = 0;
    if (pages) tags_.emplace(memory::TagArray::Shape{u64{pages} * page, page, fully_associative, false});
  }

  /// A write to this address: whether the page's place was known. It is from then on.
  bool know(u64 address) {
    if (!tags_) return true;
    const u64 number = address / page;
    if (const u32 way = tags_->find(number, address); way != memory::no_way) {
      tags_->used(way);
      return true;
    }
    const u32 way = tags_->victim(address);
    if (tags_->line_of(way) != memory::no_line) tags_->remove(way);
    tags_->install(way, number);
    return false;
  }

 private:
  std::optional<memory::TagArray> tags_;
};

}  // namespace ew::media
