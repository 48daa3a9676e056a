// A copy engine's way to the host's memory: hands pieces to the host's device, whose link gives the time, and moves
// their bytes in the cycle in which the device has served them. Reads and writes wait for the device's room apart, each
// in the order of submit(). Owned by the copy engine.
#pragma once

#include <array>
#include <deque>
#include <span>

#include "memory/device.hpp"
#include "memory/dma_pieces.hpp"
#include "memory/host_pages.hpp"

namespace ew::memory {

class DmaHostSide final : public DeviceClient {
 public:
  DmaHostSide(Device& host, HostPages& pages, u32 line, std::span<DmaPiece> pieces, DmaPieceDone done)
      : host_(host), pages_(pages), line_(line), pieces_(pieces), done_(done) {}

  /// Reads the piece from the host's memory, or writes it there.
  void submit(u32 piece);
  void served(u64 piece) override;

  /// Pieces for which the device has had no room yet.
  std::size_t waiting() const { return waiting_[false].size() + waiting_[true].size(); }
  /// That the device has accepted so far.
  u64 bytes_read() const { return bytes_[false]; }
  u64 bytes_written() const { return bytes_[true]; }

 private:
  void ask(bool write);

  Device& host_;
  HostPages& pages_;
  const u32 line_;
  const std::span<DmaPiece> pieces_;
  const DmaPieceDone done_;
  // By direction: to read, to write.
  std::array<std::deque<u32>, 2> waiting_;
  std::array<bool, 2> asked_{};  // the device will call when it has room
  std::array<u64, 2> bytes_{};
};

}  // namespace ew::memory
