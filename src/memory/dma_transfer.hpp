// A copy or fill of bytes in up to three dimensions, as a value: what a copy engine moves line by line, and what
// functional mode does at once.
#pragma once

#include <vector>

#include "core/page_aligned.hpp"
#include "core/types.hpp"

namespace ew::memory {

/// One side of a transfer: bytes in up to three dimensions.
struct DmaSide {
  u64 address = 0, pitch = 0, slice = 0;
  bool host = false;  // behind the host link: reached through its device, not through homes

  u64 at(u64 x, u64 y, u64 z) const;
};

struct DmaTransfer {
  DmaSide to, from;
  u64 width = 0, height = 1, depth = 1;  // width in bytes
  core::PageBytes staged;                // the source, packed; `from` is ignored but for `host`
  std::vector<u8> pattern;               // a fill: these bytes again and again; there is no source

  u64 bytes() const { return width * height * depth; }
  /// Bytes of a fill from offset `x` of its row. REQUIRES: a pattern.
  void fill(u64 x, u8* to, u64 bytes) const;
};

/// The same now, on the calling thread, without simulated time.
void perform(const DmaTransfer&);

}  // namespace ew::memory
