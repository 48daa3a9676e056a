// The place where a drive's packets enter the host's memory: its last-level cache and its DRAM. A completion waits here
// until all writes before it have been performed. Owned by LinkedDma.
#pragma once

#include <deque>
#include <functional>

#include "core/ring.hpp"
#include "memory/device.hpp"
#include "storage/gpu_entry.hpp"

namespace ew::storage {

class HostEntry final : private memory::DeviceClient {
 public:
  struct Parts {
    memory::Device& memory;
    std::function<u64(u64 address)> place;  // the device's address of a byte of the host's
    Packets& packets;
    const GpuEntry& turns;  // knows which writes have been performed
    bool ordered;           // completions wait for the writes before them
    /// Calls handler(target, packet, 0) when the packet's bytes have been moved.
    memory::DmaPieceDone done;
  };
  explicit HostEntry(const Parts& parts) : parts_(parts) {}

  void enter(u32 packet);
  /// A write has been performed, here or in the GPU's memory.
  void written();
  u64 bytes_read() const { return bytes_read_; }
  u64 bytes_written() const { return bytes_written_; }

 private:
  void ask();
  void served(u64 packet) override;

  const Parts parts_;
  std::deque<u32> held_;  // completions that wait for the writes before them
  core::Ring<u32> full_;  // packets for which the memory has no room
  u64 bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace ew::storage
