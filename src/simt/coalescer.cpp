#include "simt/coalescer.hpp"

#include <algorithm>
#include <bit>

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#define EW_CLONES
#else
#define EW_CLONES [[gnu::target_clones("arch=x86-64-v3", "default")]]
#endif

namespace ew::simt {
namespace {

using memory::WordMask;

/// Words first to last of a line.
WordMask words_between(u64 first, u64 last) {
  return (~WordMask{0} >> (31 - (last - first))) << first;
}

EW_CLONES LaneMask lanes_on_line(const u64* address, u64 line, u64 offsets) {
  LaneMask lanes = 0;
  for (u32 i = 0; i < warp_lanes; ++i) lanes |= LaneMask{(address[i] & ~offsets) == line} << i;
  return lanes;
}

void set_bytes(memory::ByteMask& mask, u32 first, u32 count) {
  for (u32 half = 0; half < 2; ++half) {
    const u32 begin = std::max(first, half * 64), end = std::min(first + count, half * 64 + 64);
    if (begin < end) mask.bits[half] |= (~u64{0} >> (64 - (end - begin))) << (begin - half * 64);
  }
}

LaneMask lanes_between(u32 first, u32 last) {
  return (~LaneMask{0} >> (31 - (last - first))) << first;
}

}  // namespace

u32 coalesce(const MemoryOp& op, Shape shape, u32 bytes, u32 line, std::array<AccessPart, warp_lanes>& parts) {
  const u64 offsets = line - 1;
  const u32 first_lane = static_cast<u32>(std::countr_zero(op.lanes));
  const u64 first = op.address[first_lane];
  if (shape == Shape::uniform) {
    const u64 in_line = first & offsets;
    parts[0] = {first & ~offsets, op.lanes, words_between(in_line / 4, std::min(in_line + bytes - 1, offsets) / 4)};
    return 1;
  }
  u32 count = 0;
  if (shape == Shape::consecutive && op.lanes == all_lanes) {
    const u64 end = first + u64{bytes} * warp_lanes;
    for (u64 at = first; at < end;) {
      const u64 this_line = at & ~offsets, stop = std::min(end, this_line + line);
      const u32 low = static_cast<u32>((at - first) / bytes), high = static_cast<u32>((stop - first) / bytes) - 1;
      parts[count++] = {this_line, lanes_between(low, high),
                        words_between((at & offsets) / 4, ((stop - 1) & offsets) / 4)};
      at = stop;
    }
    return count;
  }
  for (LaneMask left = op.lanes; left;) {
    const u64 this_line = op.address[static_cast<u32>(std::countr_zero(left))] & ~offsets;
    AccessPart& part = parts[count++];
    part = {this_line, lanes_on_line(op.address.data(), this_line, offsets) & left, 0};
    for (LaneMask lanes = part.lanes; lanes; lanes &= lanes - 1) {
      const u64 in_line = op.address[static_cast<u32>(std::countr_zero(lanes))] & offsets;
      part.words |= words_between(in_line / 4, std::min(in_line + bytes - 1, offsets) / 4);
    }
    left &= ~part.lanes;
  }
  return count;
}

bool crosses_lines(const MemoryOp& op, u32 bytes, u32 line) {
  for (LaneMask left = op.lanes; left; left &= left - 1)
    if ((op.address[static_cast<u32>(std::countr_zero(left))] & (line - 1)) + bytes > line) return true;
  return false;
}

u32 sectors_of(WordMask words) {
  words |= words >> 4;
  words |= words >> 2;
  words |= words >> 1;
  return static_cast<u32>(std::popcount(words & 0x01010101u));
}

memory::ByteMask bytes_of(const MemoryOp& op, const AccessPart& part, u32 bytes) {
  memory::ByteMask mask;
  if (bytes >= 4) {
    for (u32 half = 0; half < 2; ++half) {
      // Each bit of 16 becomes four.
      u64 wide = (part.words >> (half * 16)) & 0xffff;
      wide = (wide | wide << 24) & 0x0000'00ff'0000'00ff;
      wide = (wide | wide << 12) & 0x000f'000f'000f'000f;
      wide = (wide | wide << 6) & 0x0303'0303'0303'0303;
      wide = (wide | wide << 3) & 0x1111'1111'1111'1111;
      mask.bits[half] = wide * 15;
    }
    return mask;
  }
  for (LaneMask left = part.lanes; left; left &= left - 1)
    set_bytes(mask, static_cast<u32>(op.address[static_cast<u32>(std::countr_zero(left))] - part.line), bytes);
  return mask;
}

namespace {

/// All want words of one stretch that has a word in each bank, and begins in the first: no two are in the same bank.
EW_CLONES bool in_one_stretch(const u64* address, u64 stretch) {
  u64 different = 0;
  for (u32 i = 0; i < warp_lanes; ++i) different |= address[i] ^ address[0];
  return different < stretch;
}

/// No two lanes of the group want different words of one bank: one pass is enough.
EW_CLONES bool conflict_free(const u64* address, LaneMask group, u32 banks) {
  std::array<u32, warp_lanes> word;
  for (u32 i = 0; i < warp_lanes; ++i) word[i] = static_cast<u32>(address[i] / 4);
  std::array<u32, 64> in_bank;  // the last word that was asked of it
  u32 different = 0;
  if (group == all_lanes) {
    for (u32 i = 0; i < warp_lanes; ++i) in_bank[word[i] & (banks - 1)] = word[i];
    for (u32 i = 0; i < warp_lanes; ++i) different |= in_bank[word[i] & (banks - 1)] ^ word[i];
    return !different;
  }
  for (LaneMask left = group; left; left &= left - 1) {
    const u32 one = word[static_cast<u32>(std::countr_zero(left))];
    in_bank[one & (banks - 1)] = one;
  }
  for (LaneMask left = group; left; left &= left - 1) {
    const u32 one = word[static_cast<u32>(std::countr_zero(left))];
    different |= in_bank[one & (banks - 1)] ^ one;
  }
  return !different;
}

}  // namespace

u32 shared_passes(const MemoryOp& op, Shape shape, u32 bytes, u32 banks, bool atomic) {
  if (bytes <= 4 && !atomic && op.lanes == all_lanes &&
      (shape == Shape::uniform || in_one_stretch(op.address.data(), u64{banks} * 4)))
    return 1;
  const u32 words = bytes <= 4 ? 1 : bytes / 4;
  const u32 lanes_at_once = warp_lanes / std::min(words, 4u);
  const auto one_pass = [&](LaneMask group) {
    if (shape == Shape::uniform) return words <= banks;
    if (shape == Shape::consecutive && lanes_at_once * words <= banks) return true;
    if (words != 1) return false;
    return conflict_free(op.address.data(), group, banks);
  };
  u32 passes = 0;
  for (u32 first = 0; first < warp_lanes; first += lanes_at_once) {
    const LaneMask group = op.lanes & lanes_between(first, first + lanes_at_once - 1);
    if (!group) continue;
    if (!atomic && one_pass(group)) {
      ++passes;
      continue;
    }
    std::array<u8, 64> used{};
    std::array<u64, warp_lanes> seen;  // words, by order of first use
    u32 seen_count = 0, worst = 1;
    for (LaneMask left = group; left; left &= left - 1) {
      const u64 word = op.address[static_cast<u32>(std::countr_zero(left))] / 4;
      if (!atomic && std::find(seen.begin(), seen.begin() + seen_count, word) != seen.begin() + seen_count) continue;
      seen[seen_count++] = word;
      for (u32 w = 0; w < words; ++w) worst = std::max<u32>(worst, ++used[(word + w) & (banks - 1)]);
    }
    passes += worst;
  }
  return passes;
}

}  // namespace ew::simt
