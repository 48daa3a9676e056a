// The place where a drive's packets enter the GPU's memory system. It cuts them into lines, and sends each line to its
// home through a port of the network. A completion waits here until all writes before it have been performed. Other
// packets pass it. Owned by LinkedDma.
#pragma once

#include <vector>

#include "core/ring.hpp"
#include "memory/dma_port.hpp"
#include "storage/packets.hpp"

namespace ew::storage {

class GpuEntry {
 public:
  /// Calls handler(target, packet, 0) when all lines of the packet have been performed.
  using Done = memory::DmaPieceDone;
  /// `ordered`: completions wait for the writes before them.
  GpuEntry(const memory::DmaPort::Parts& port, Packets& packets, bool ordered, Done done);

  /// Gives a write its turn. To be called in the order of the writes.
  u64 next_turn() {
    performed_.push_back(0);
    return first_ + performed_.size() - 1;
  }
  void enter(u32 packet);
  u64 bytes_read() const { return bytes_read_; }
  u64 bytes_written() const { return bytes_written_; }
  /// All writes before this turn have been performed.
  bool is_first(u64 turn) const { return first_ == turn; }
  /// The write with this turn has been performed, here or in the host's memory.
  void written(u64 turn);

 private:
  static constexpr u32 most_lines = 1024;  // lines that may be under way to homes at the same time

  bool may_go(const Packet& packet) const { return !ordered_ || !packet.completion || is_first(packet.turn); }
  u32 lines_of(const Packet&) const;
  void go(u32 packet);
  void send(u32 packet);
  void line_done(u32 piece);

  const u32 line_;
  const bool ordered_;
  Packets& packets_;
  const Done done_;
  std::vector<memory::DmaPiece> pieces_;
  std::vector<u32> free_, packet_of_;  // free pieces; for each piece, its packet
  memory::DmaPort port_;
  core::Ring<u32> held_;      // completions that wait for writes before them, in the order of their turns
  core::Ring<u32> crowded_;   // packets that wait for free pieces
  core::Ring<u8> performed_;  // for each write from turn first_ on: whether it has been
  u64 first_ = 0;
  u64 bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace ew::storage
