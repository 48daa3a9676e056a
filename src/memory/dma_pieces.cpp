#include "memory/dma_pieces.hpp"

#include <algorithm>
#include <cstring>

namespace ew::memory {

bool DmaCursor::next(DmaPiece& piece) {
  if (at_end_) return false;
  const DmaTransfer& transfer = *transfer_;
  piece.has_content = !transfer.staged.empty() || !transfer.pattern.empty();
  piece.to = transfer.to.at(x_, y_, z_);
  piece.from = piece.has_content ? 0 : transfer.from.at(x_, y_, z_);
  u64 bytes = std::min(transfer.width - x_, line_ - (transfer.to.host ? 0 : piece.to % line_));
  if (!piece.has_content && !transfer.from.host) bytes = std::min(bytes, line_ - piece.from % line_);
  piece.bytes = static_cast<u32>(bytes);
  piece.writing = false;
  if (!transfer.pattern.empty()) transfer.fill(x_, piece.content.data(), bytes);
  if (!transfer.staged.empty())
    std::memcpy(piece.content.data(), transfer.staged.data() + (z_ * transfer.height + y_) * transfer.width + x_,
                bytes);
  x_ += bytes;
  if (x_ == transfer.width) x_ = 0, ++y_;
  if (y_ == transfer.height) y_ = 0, ++z_;
  at_end_ = z_ == transfer.depth;
  return true;
}

}  // namespace ew::memory
