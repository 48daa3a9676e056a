// A controller's DMA on a timing machine. Bytes go in packets over the drive's own link to a switch. From there they go
// over the GPU's link to the homes of their lines (peer to peer, not through the host's root), or to the host's memory.
// A write goes to its line's home like any agent's. The coherence protocol revokes copies that others own. A copy that
// is not revoked stays old until an acquire. Owned by the drive.
//
// Writes leave in order. A completion (the last write of a command) reaches the memory when all writes before it have
// been performed, wherever they went. If `overtaking` is set, data come so much later, and completions wait for
// nothing.
#pragma once

#include "memory/host_link.hpp"
#include "storage/direct_dma.hpp"
#include "storage/gpu_entry.hpp"

namespace ew::storage {

class LinkedDma final : public Dma {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    memory::HostLink &own, &gpu;  // the drive's link to the switch; the GPU's link
    memory::DmaPort::Parts port;
    const memory::AddressSpace& space;
    u32 packet;                   // the most bytes of a packet
    u64 host_cycles, overtaking;  // latency of the host's memory; how much later data come (0: completions come last)
  };
  explicit LinkedDma(const Parts&);
  /// To be called before any command.
  void use(DmaClient& client) { client_ = &client; }

  bool reaches(u64 address, u64 bytes) const override { return reach_.reaches(address, bytes); }
  void read(u64 address, std::span<u8> to, u32 tag) override;
  void write(u64 address, std::span<const u8> from, u32 tag) override;

  u64 bytes_read() const { return bytes_read_; }
  u64 bytes_written() const { return bytes_written_; }
  u64 bytes_from_homes() const { return entry_.bytes_read(); }
  u64 bytes_to_homes() const { return entry_.bytes_written(); }
  std::size_t under_way() const { return packets_.under_way(); }

 private:
  void cut(u64 address, u64 bytes, const PacketHead& like, const u8* from);
  void at_switch(u64 packet, u64);
  void at_gpu(u64 packet, u64);
  void enter(u64 packet, u64) { entry_.enter(static_cast<u32>(packet)); }
  void at_host(u64 packet, u64);
  void performed(u64 packet);
  void release_held();
  void answer_at_switch(u64 packet, u64);
  void answered(u64 packet, u64);
  bool in_host(u64 address) const;

  const Parts parts_;
  const DmaReach reach_;
  DmaClient* client_ = nullptr;
  Packets packets_;
  std::vector<u32> held_;  // completions in the host's memory that wait for writes before them
  GpuEntry entry_;
  std::vector<u32> packets_left_, free_reads_;  // for each read, its packets without an answer; free numbers of reads
  u64 bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace ew::storage
