#include "media/posted_writes.hpp"

#include <algorithm>
#include <bit>

#include "memory/masks.hpp"

namespace ew::media {

core::Cycle PostedWrites::arrive(u64 base, const memory::ByteMask& mask, core::Cycle now) {
  ready_ = order_ = std::max(order_, now);
  for (memory::WordMask words = memory::touched_words(mask); words != 0;) {
    const u32 first = static_cast<u32>(std::countr_zero(words));
    const u32 count = static_cast<u32>(std::countr_one(words >> first));
    words &= count == 32 ? 0 : ~(((memory::WordMask{1} << count) - 1) << first);
    packet(base + first * memory::word_bytes, count * memory::word_bytes);
  }
  return ready_;
}

void PostedWrites::packet(u64 address, u32 bytes) {
  const u64 end = address + bytes;
  while (address < end) {
    const u64 number = address / line_bytes_, next = std::min((number + 1) * line_bytes_, end);
    core::Cycle& merged = merged_.of(number);
    order_ = std::max(order_, merged);
    if (next - address < line_bytes_) merged = order_ + merge_;
    ready_ = std::max({ready_, order_, merged});
    address = next;
  }
}

}  // namespace ew::media
