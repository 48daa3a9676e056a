#include "memory/dma_host_side.hpp"

#include <cstring>

namespace ew::memory {

void DmaHostSide::submit(u32 piece) {
  const bool write = pieces_[piece].writing;
  waiting_[write].push_back(piece);
  if (!asked_[write]) ask(write);
}

void DmaHostSide::ask(bool write) {
  asked_[write] = false;
  auto& waiting = waiting_[write];
  while (!waiting.empty()) {
    const u32 piece = waiting.front();
    if (!host_.serve({.address = pages_.copied(pieces_[piece].address(), line_),
                      .bytes = pieces_[piece].bytes,
                      .write = write,
                      .token = piece,
                      .client = this,
                      .account = core::copies})) {
      asked_[write] = true;
      const auto again = [](void* target, u64 a, u64) { static_cast<DmaHostSide*>(target)->ask(a != 0); };
      host_.notify_when_free(write, again, this, write);
      return;
    }
    bytes_[write] += pieces_[piece].bytes;
    waiting.pop_front();
  }
}

void DmaHostSide::served(u64 number) {
  DmaPiece& piece = pieces_[number];
  if (piece.writing)
    std::memcpy(reinterpret_cast<u8*>(piece.to), piece.content.data(), piece.bytes);
  else if (!piece.has_content)
    std::memcpy(piece.content.data(), reinterpret_cast<const u8*>(piece.from), piece.bytes);
  done_.handler(done_.target, number, 0);
}

}  // namespace ew::memory
