// Where a drive's packets enter the GPU's memory system: cuts them into lines, and asks the lines' homes by a port of
// the network. A completion waits here until all writes before it have been performed; what waits for nothing goes past
// it. Owned by LinkedDma.
#pragma once

#include <deque>
#include <vector>

#include "memory/dma_port.hpp"
#include "storage/packets.hpp"

namespace ew::storage {

class GpuEntry {
 public:
  /// handler(target, packet, 0): all lines of the packet have been performed.
  using Done = memory::DmaPieceDone;
  /// `ordered`: completions wait.
  GpuEntry(const memory::DmaPort::Parts& port, Packets& packets, bool ordered, Done done);

  /// The turn of a write, to be told in the order in which writes are asked for.
  u64 next_turn() {
    performed_.push_back(false);
    return first_ + performed_.size() - 1;
  }
  void enter(u32 packet) {
    entering_.push_back(packet);
    submit();
  }
  u64 bytes_read() const { return bytes_read_; }
  u64 bytes_written() const { return bytes_written_; }
  /// The write has been performed, here or elsewhere.
  void written(u64 turn);

 private:
  static constexpr u32 most_lines = 1024;  // under way at homes

  bool may_go(const Packet& packet) const { return !ordered_ || !packet.completion || first_ == packet.turn; }
  u32 lines_of(const Packet&) const;
  void submit();
  void send(u32 packet);
  void line_done(u32 piece);

  const u32 line_;
  const bool ordered_;
  Packets& packets_;
  const Done done_;
  std::vector<memory::DmaPiece> pieces_;
  std::vector<u32> free_, packet_of_;  // by piece: of which packet
  memory::DmaPort port_;
  std::deque<u32> entering_;
  std::vector<u32> lines_left_;  // by packet
  std::deque<bool> performed_;   // writes from first_ on
  u64 first_ = 0;
  u64 bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace ew::storage
