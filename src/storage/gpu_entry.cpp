#include "storage/gpu_entry.hpp"

#include <algorithm>
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
  return static_cast<u32>((packet.address + packet.bytes - 1) / line_ - packet.address / line_ + 1);
}

void GpuEntry::submit() {
  for (auto next = entering_.begin(); next != entering_.end();) {
    const Packet& packet = packets_[*next];
    if (free_.size() < lines_of(packet)) return;
    if (!may_go(packet)) {
      ++next;
      continue;
    }
    send(*next);
    next = entering_.erase(next);
  }
}

void GpuEntry::send(u32 number) {
  const Packet& packet = packets_[number];
  if (number >= lines_left_.size()) lines_left_.resize(number + 1);
  lines_left_[number] = lines_of(packet);
  for (u64 at = packet.address; at < packet.address + packet.bytes;) {
    const u64 end = std::min(packet.address + packet.bytes, (at / line_ + 1) * line_);
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
  if (--lines_left_[of] == 0) done_.handler(done_.target, of, 0);
  submit();
}

void GpuEntry::written(u64 turn) {
  performed_[turn - first_] = true;
  while (!performed_.empty() && performed_.front()) {
    performed_.pop_front();
    ++first_;
  }
  submit();
}

}  // namespace ew::storage
