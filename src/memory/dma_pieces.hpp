// A transfer, cut into pieces: a piece lies inside one cache line at the destination and inside one at the source.
// DmaPiece is one that is under way; the copy engine owns a fixed number of them and names them by index. DmaCursor
// cuts: it remembers where the next piece begins, and hands out every byte of its transfer once, in order.
#pragma once

#include <array>

#include "core/time_wheel.hpp"
#include "memory/dma_transfer.hpp"
#include "memory/request.hpp"

namespace ew::memory {

struct DmaPiece {
  u64 to = 0, from = 0;
  u32 bytes = 0;
  bool writing = false;      // its bytes have been read
  bool has_content = false;  // they were there from the beginning: a fill's, or a packed source's
  std::array<u8, longest_line> content{};

  /// Of the side that the piece is about to access.
  u64 address() const { return writing ? to : from; }
};

/// Who is told that a piece has been read, or written, at one side: `handler(target, index of the piece, 0)`.
struct DmaPieceDone {
  core::TimeWheel::Handler handler;
  void* target;
};

class DmaCursor {
 public:
  DmaCursor() = default;
  /// At the transfer's first byte. The transfer must outlive the cursor. `line`: bytes of a cache line; a host's side
  /// is not cut at lines.
  DmaCursor(const DmaTransfer& transfer, u32 line)
      : transfer_(&transfer), line_(line), at_end_(transfer.bytes() == 0) {}

  bool at_end() const { return at_end_; }
  /// The next piece, as yet unread; false when there is none left.
  bool next(DmaPiece&);

 private:
  const DmaTransfer* transfer_ = nullptr;
  u32 line_ = 0;
  u64 x_ = 0, y_ = 0, z_ = 0;  // where the next piece begins: byte, row, slice
  bool at_end_ = true;
};

}  // namespace ew::memory
