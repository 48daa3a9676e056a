// Masks of words and bytes of a line, and copies of bytes under them: between lines, and between lines and the coherent
// image, which is the host's own memory.
#pragma once

#include <bit>
#include <cstring>

#include "memory/request.hpp"

namespace ew::memory {

/// Four bits for each of the low 16.
inline u64 widen(u64 bits) {
  bits = (bits | bits << 24) & 0x0000'00ff'0000'00ff;
  bits = (bits | bits << 12) & 0x000f'000f'000f'000f;
  bits = (bits | bits << 6) & 0x0303'0303'0303'0303;
  bits = (bits | bits << 3) & 0x1111'1111'1111'1111;
  return bits * 15;
}
/// One bit for each fourth.
inline u32 narrow(u64 bits) {
  bits &= 0x1111'1111'1111'1111;
  bits = (bits | bits >> 3) & 0x0303'0303'0303'0303;
  bits = (bits | bits >> 6) & 0x000f'000f'000f'000f;
  bits = (bits | bits >> 12) & 0x0000'00ff'0000'00ff;
  return static_cast<u32>((bits | bits >> 24) & 0xffff);
}

inline ByteMask bytes_of(WordMask words) {
  return {{widen(words & 0xffff), widen(words >> 16)}};
}
/// These bytes of a line. REQUIRES: they lie in a line of the longest kind.
inline ByteMask bytes_between(u32 begin, u32 end) {
  const auto below = [](u32 bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; };
  const auto upper = [](u32 byte) { return byte > 64 ? byte - 64 : 0; };
  return {{below(end) & ~below(begin), below(upper(end)) & ~below(upper(begin))}};
}
/// Words of which every byte is in the mask.
inline WordMask whole_words(const ByteMask& bytes) {
  const auto half = [](u64 b) { return narrow((b & b >> 1) & (b & b >> 1) >> 2); };
  return half(bytes.bits[0]) | half(bytes.bits[1]) << 16;
}
/// Words of which any byte is in the mask.
inline WordMask touched_words(const ByteMask& bytes) {
  const auto half = [](u64 b) { return narrow((b | b >> 1) | (b | b >> 1) >> 2); };
  return half(bytes.bits[0]) | half(bytes.bits[1]) << 16;
}

inline WordMask all_words(u32 bytes) {
  return bytes == longest_line ? ~WordMask{0} : (WordMask{1} << (bytes / word_bytes)) - 1;
}
/// The first word of each sector in which a word of the mask lies.
inline WordMask first_words(WordMask words, u32 sector_bytes) {
  if (sector_bytes == 32) {
    words |= words >> 4;
    words |= words >> 2;
    return (words | words >> 1) & 0x0101'0101;
  }
  const u32 width = sector_bytes / word_bytes;
  const WordMask sector = all_words(sector_bytes);
  WordMask result = 0;
  for (u32 at = 0; at < longest_line / word_bytes; at += width)
    if (words >> at & sector) result |= WordMask{1} << at;
  return result;
}
/// Every word of these sectors.
inline WordMask whole_sectors(WordMask words, u32 sector_bytes) {
  return static_cast<WordMask>(u64{first_words(words, sector_bytes)} * all_words(sector_bytes));
}

/// Bytes of the line that lie in [begin, end) leave the mask.
inline void clear_range(ByteMask& mask, u64 line, u64 begin, u64 end) {
  if (line >= end || line + longest_line <= begin) return;
  for (u32 byte = 0; byte < longest_line; ++byte)
    if (line + byte >= begin && line + byte < end) mask.bits[byte / 64] &= ~(u64{1} << (byte % 64));
}

/// Copies the bytes of the mask, and writes no other byte. Mostly they are whole stretches of 32.
inline void copy_bytes(u8* to, const u8* from, const ByteMask& mask) {
  for (u32 quarter = 0; quarter < 4; ++quarter) {
    u32 bits = static_cast<u32>(mask.bits[quarter / 2] >> quarter % 2 * 32);
    if (bits == ~u32{0}) {
      std::memcpy(to + quarter * 32, from + quarter * 32, 32);
      continue;
    }
    for (u32 at = quarter * 32; bits; at += 8, bits >>= 8) {
      const u8 some = static_cast<u8>(bits);
      if (some == 0xff) {
        std::memcpy(to + at, from + at, 8);
      } else if (some) {
        for (u32 i = 0; i < 8; ++i)
          if (some >> i & 1) to[at + i] = from[at + i];
      }
    }
  }
}
/// The same for whole words.
inline void copy_words(u8* to, const u8* from, WordMask words) {
  for (u32 at = 0; words; at += 32, words >>= 8) {
    u32 some = words & 0xff;
    if (some == 0xff) {
      std::memcpy(to + at, from + at, 32);
      continue;
    }
    for (; some; some &= some - 1) {
      const u32 byte = at + static_cast<u32>(std::countr_zero(some)) * word_bytes;
      std::memcpy(to + byte, from + byte, word_bytes);
    }
  }
}

inline u8* image_of(u64 line) {
  return reinterpret_cast<u8*>(line);
}
/// These words will be looked at soon: they come into the host's caches.
inline void expect_image(u64 line, WordMask words) {
  if (words & 0xffff) core::prefetch(image_of(line));
  if (words >> 16) core::prefetch(image_of(line) + 64);
}
/// Whole words out of the image. Neighbours of an allocation, which sanitizers may have poisoned, are read with it.
void copy_from_image(u8* to, u64 line, WordMask words);
void copy_to_image(u64 line, const u8* from, const ByteMask& mask);

}  // namespace ew::memory
