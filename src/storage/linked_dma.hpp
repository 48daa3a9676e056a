// A controller's DMA on a timing machine. Bytes go in packets over the drive's own link to its switch, and from there
// over the links of a tree (link_tree.hpp): to the GPU, where the homes of their lines are, or to the host's memory.
// A write goes to its line's home like any agent's. The coherence protocol revokes copies that others own. A copy that
// is not revoked stays old until an acquire. Owned by the drive.
//
// Writes leave in order. A completion (the last write of a command) reaches the memory when all writes before it have
// been performed, wherever they went. If `overtaking` is set, data come so much later, and completions wait for
// nothing.
#pragma once

#include "storage/direct_dma.hpp"
#include "storage/gpu_entry.hpp"
#include "storage/host_entry.hpp"
#include "storage/link_tree.hpp"

namespace ew::storage {

class LinkedDma final : public Dma {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    memory::HostLink& own;    // the drive's link to its switch
    LinkTree::Routes routes;  // from there
    memory::Device& host_memory;
    std::function<u64(u64 address)> in_host_memory;  // the device's address of a byte of the host's
    memory::DmaPort::Parts port;
    const memory::AddressSpace& space;
    u32 packet;      // the most bytes of a packet
    u64 overtaking;  // cycles: how much later data come (0: completions come last)
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
  u64 bytes_from_host() const { return host_.bytes_read(); }
  u64 bytes_to_host() const { return host_.bytes_written(); }
  std::size_t under_way() const { return packets_.under_way(); }

 private:
  void cut(u64 address, u64 bytes, const PacketHead& like, const u8* from);
  void at_switch(u64 packet, u64);
  void at_gpu(u64 packet, u64);
  void enter(u64 packet, u64) { entry_.enter(static_cast<u32>(packet)); }
  const std::vector<LinkTree::Hop>& route(const Packet& packet) const {
    return packet.host ? parts_.routes.to_host : parts_.routes.to_gpu;
  }
  void go_on(u64 packet, u64);
  void go_back(u64 packet, u64);
  void performed(u64 packet);
  void answered(u64 packet, u64);

  const Parts parts_;
  const DmaReach reach_;
  DmaClient* client_ = nullptr;
  Packets packets_;
  GpuEntry entry_;
  HostEntry host_;
  std::vector<u32> packets_left_, free_reads_;  // for each read, its packets without an answer; free numbers of reads
  u64 bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace ew::storage
