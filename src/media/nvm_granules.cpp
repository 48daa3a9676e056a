#include "media/nvm_granules.hpp"

#include <algorithm>

namespace ew::media {

NvmGranules::Span NvmGranules::span_of(const NvmAccess& access) const {
  Span span{range_of(access), 0, {}};
  if (access.payload != memory::no_payload) {
    // Addresses of a channel keep the place in the line alone: slices and channels share out what is above it.
    span.base = access.address - ((access.address - access.line) & (memory::longest_line - 1));
    span.mask = (*payloads_)[access.payload].valid;
    return span;
  }
  span.base = access.address & ~u64{memory::longest_line - 1};
  const u64 first = access.address - span.base, end = first + access.bytes;
  for (u64 word = first / 64; word * 64 < end; ++word) {
    const u64 from = std::max(first, word * 64) - word * 64, to = std::min(end - word * 64, u64{64});
    span.mask.bits[word] = (~u64{0} >> (64 - (to - from))) << from;
  }
  return span;
}

NvmGranules::Bytes NvmGranules::bytes_in(const Span& span, u64 granule) const {
  Bytes bytes{};
  if (bytes_ < 64) {
    const u64 at = granule * bytes_ - span.base;
    if (at < memory::longest_line) bytes[0] = span.mask.bits[at / 64] >> (at % 64) & ((u64{1} << bytes_) - 1);
    return bytes;
  }
  for (u32 w = 0; w < bytes_ / 64; ++w) {
    const u64 at = granule * bytes_ + w * 64 - span.base;
    if (at < memory::longest_line) bytes[w] = span.mask.bits[at / 64];
  }
  return bytes;
}

}  // namespace ew::media
