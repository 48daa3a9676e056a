// An access to non-volatile memory, and the granules in which the medium sees its bytes. A granule is what the medium
// reads and writes at once (256 bytes inside Optane); granules are numbered from address 0 on. NvmGranules is a value,
// owned by the medium.
#pragma once

#include <array>
#include <bit>

#include "memory/request.hpp"

namespace ew::media {

struct NvmAccess {
  u64 address = 0;  // simulated physical
  u32 bytes = 0;
  bool write = false;
  u64 token = 0;
  memory::PayloadId payload = memory::no_payload;  // none: every byte of a write, and none for the durable image
  u64 line = 0;
  bool durable = false;  // already: nothing for the durable image
};

class NvmGranules {
 public:
  static constexpr u32 longest = 1024;          // bytes
  using Bytes = std::array<u64, longest / 64>;  // of one granule: one bit a byte
  struct Range {                                // of an access
    u64 first, last;                            // granules
  };
  struct Span : Range {
    u64 base;  // address of the first byte of the mask
    memory::ByteMask mask;
  };

  /// REQUIRES: bytes is a power of two.
  NvmGranules(u32 bytes, memory::Payloads* payloads)
      : bytes_(bytes), shift_(static_cast<u32>(std::countr_zero(bytes))), payloads_(payloads) {}

  u32 bytes() const { return bytes_; }
  u64 address_of(u64 granule) const { return granule * bytes_; }
  Range range_of(const NvmAccess& access) const {
    return {access.address >> shift_, (access.address + access.bytes - 1) >> shift_};
  }
  Span span_of(const NvmAccess&) const;
  /// The span's bytes in one of its granules.
  Bytes bytes_in(const Span&, u64 granule) const;

 private:
  const u32 bytes_, shift_;
  memory::Payloads* const payloads_;
};

}  // namespace ew::media
