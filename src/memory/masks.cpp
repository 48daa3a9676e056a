#include "memory/masks.hpp"

namespace ew::memory {

#if defined(__SANITIZE_ADDRESS__)

// A plain loop over volatile bytes: nothing here may become a call that checks poison.
__attribute__((no_sanitize("address"))) void copy_from_image(u8* to, u64 line, WordMask words) {
  const volatile u8* const from = image_of(line);
  for (u32 i = 0; i < longest_line; ++i)
    if (words >> (i / word_bytes) & 1) to[i] = from[i];
}

__attribute__((no_sanitize("address"))) void copy_to_image(u64 line, const u8* from, const ByteMask& mask) {
  volatile u8* const to = image_of(line);
  for (u32 i = 0; i < longest_line; ++i)
    if (mask.bits[i / 64] >> (i % 64) & 1) to[i] = from[i];
}

#else

void copy_from_image(u8* to, u64 line, WordMask words) {
  copy_words(to, image_of(line), words);
}

void copy_to_image(u64 line, const u8* from, const ByteMask& mask) {
  copy_bytes(image_of(line), from, mask);
}

#endif

}  // namespace ew::memory
