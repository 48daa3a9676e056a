#include "memory/dma_port.hpp"

#include <cstring>

namespace ew::memory {

ByteMask DmaPort::perform(u32 number, u32, u8* bytes) {
  DmaPiece& piece = pieces_[number];
  const u32 offset = static_cast<u32>(piece.address() % line_);
  ByteMask mask;
  if (piece.writing) {
    std::memcpy(bytes + offset, piece.content.data(), piece.bytes);
    for (u32 i = offset; i < offset + piece.bytes; ++i) mask.bits[i / 64] |= u64{1} << (i % 64);
  } else {
    std::memcpy(piece.content.data(), bytes + offset, piece.bytes);
  }
  return mask;
}

LineAccess DmaPort::access_of(u32 number) const {
  const DmaPiece& piece = pieces_[number];
  const u64 address = piece.address();
  const u32 first = static_cast<u32>(address % line_) / word_bytes;
  const u32 last = static_cast<u32>(address % line_ + piece.bytes - 1) / word_bytes;
  LineAccess access;
  access.line = address - address % line_;
  access.words = static_cast<WordMask>(((u64{2} << last) - 1) & ~((u64{1} << first) - 1));
  access.access = number;
  access.kind = piece.writing ? AccessKind::store : AccessKind::load;
  access.strong = access.at_home = access.streaming = true;
  access.place = map_.place(access.line);
  access.scope = Scope::sys;
  access.account = core::copies;
  return access;
}

void DmaPort::go_on(u64, u64) {
  asked_ = false;
  while (!waiting_.empty()) {
    const u32 piece = waiting_.front();
    Stall why = Stall::none;
    const Accepted accepted = cache_->access(access_of(piece), why);
    if (accepted == Accepted::stalled) {
      if (why == Stall::bank) go_on_at(wheel_.now() + 1);  // nobody wakes for a bank
      return;
    }
    waiting_.pop_front();
    if (accepted == Accepted::performed) finish(piece);
  }
}

void DmaPort::go_on_at(Cycle when) {
  if (asked_) return;
  asked_ = true;
  wheel_.at<&DmaPort::go_on>(when, *this);
}

}  // namespace ew::memory
