#include "storage/gpu_entry.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ew::storage {

GpuEntry::GpuEntry(const memory::DmaPort::Parts& port, Packets& packets, bool ordered, Done done)
    : line_(port.line),
      ordered_(ordered),
      packets_(packets),
      done_(done),
      pieces_(most_lines),
      packet_of_(most_lines),
      port_(port, pieces_,
            {[](void* entry, u64 piece, u64) { static_cast<GpuEntry*>(entry)->line_done(static_cast<u32>(piece)); },
             this}) {
  for (u32 piece = most_lines; piece-- > 0;) free_.push_back(piece);
}

u32 GpuEntry::lines_of(const Packet& packet) const {
  const u64 offset = packet.address & (line_ - 1);
  return static_cast<u32>((offset + packet.bytes + line_ - 1) >> std::countr_zero(line_));
}

void GpuEntry::enter(u32 number) {
  if (may_go(packets_[number]))
    go(number);
  else
    held_.push_back(number);
}

void GpuEntry::go(u32 number) {
  Packet& packet = packets_[number];
  packet.lines_left = lines_of(packet);
  if (crowded_.empty() && free_.size() >= packet.lines_left)
    send(number);
  else
    crowded_.push_back(number);
}

void GpuEntry::send(u32 number) {
  const Packet& packet = packets_[number];
  const u64 behind = packet.address + packet.bytes;
  for (u64 at = packet.address, end = at & ~u64{line_ - 1}; at < behind;) {
    end = std::min(behind, end + line_);
    const u32 chosen = free_.back();
    free_.pop_back();
    packet_of_[chosen] = number;
    memory::DmaPiece& piece = pieces_[chosen];
    piece.writing = packet.write;
    piece.to = piece.from = at;
    piece.bytes = static_cast<u32>(end - at);
    if (packet.write) std::memcpy(piece.content.data(), packet.content.data() + (at - packet.address), piece.bytes);
    port_.submit(chosen);
    at = end;
  }
}

void GpuEntry::line_done(u32 number) {
  const u32 of = packet_of_[number];
  Packet& packet = packets_[of];
  const memory::DmaPiece& piece = pieces_[number];
  (packet.write ? bytes_written_ : bytes_read_) += piece.bytes;
  if (!packet.write)
    std::memcpy(packet.content.data() + (piece.from - packet.address), piece.content.data(), piece.bytes);
  free_.push_back(number);
  if (--packet.lines_left == 0) done_.handler(done_.target, of, 0);
  while (!crowded_.empty() && free_.size() >= packets_[crowded_.front()].lines_left) {
    send(crowded_.front());
    crowded_.pop_front();
  }
}

void GpuEntry::written(u64 turn) {
  performed_[static_cast<u32>(turn - first_)] = 1;
  while (!performed_.empty() && performed_.front()) {
    performed_.pop_front();
    ++first_;
  }
  while (!held_.empty() && may_go(packets_[held_.front()])) {
    go(held_.front());
    held_.pop_front();
  }
}

}  // namespace ew::storage
