// A drive of a timing machine. Its controller stands behind a link. Its DMA goes through the machine's memory system.
// Its medium takes time. Accesses of the host happen while the machine is at rest: at once, and not over the links.
// Owned by the memory hierarchy.
#pragma once

#include <functional>

#include "memory/registers.hpp"
#include "storage/controller.hpp"
#include "storage/drive_statistics.hpp"
#include "storage/linked_dma.hpp"
#include "storage/timed_medium.hpp"
#include "storage/untimed_medium.hpp"

namespace ew::storage {

class TimedDrive final : public memory::Registers, private Dma, private Medium {
 public:
  struct Parts {
    core::TimeWheel& wheel;
    core::Kilohertz clock;
    memory::HostLinkConfig link;  // the drive's own link
    LinkTree::Routes routes;
    memory::Device& host_memory;
    std::function<u64(u64 address)> in_host_memory;
    memory::DmaPort::Parts port;
    const memory::AddressSpace& space;
    core::Picoseconds overtaking;
    /// Called when these bytes are read, or were written, not through the machine's memory system.
    std::function<void(u64 address, u64 bytes, bool written)> meet_image;
  };
  TimedDrive(const ControllerConfig&, const DriveModel&, Contents&, const Parts&);

  u64 load(u64 offset, u32 bytes) override { return controller_.read(offset, bytes); }
  void store(u64 offset, u32 bytes, u64 value) override;
  u64 host_load(u64 offset, u32 bytes) override { return controller_.read(offset, bytes); }
  void host_store(u64 offset, u32 bytes, u64 value) override;

  bool quiescent() const { return controller_.quiet() && link_.quiescent() && linked_.under_way() == 0; }
  std::string what_is_under_way() const;
  DriveStatistics statistics() const;

 private:
  bool reaches(u64 address, u64 bytes) const override { return direct_.reaches(address, bytes); }
  void read(u64 address, std::span<u8> to, u32 tag) override;
  void write(u64 address, std::span<const u8> from, u32 tag) override;
  void start(u32 tag, const MediaCommand&) override;
  u64 blocks_in_use() const override { return timed_.blocks_in_use(); }
  void arrived(u64 offset_and_bytes, u64 value);

  const Parts parts_;
  memory::HostLink link_;
  LinkedDma linked_;
  DirectDma direct_;
  TimedMedium timed_;
  UntimedMedium untimed_;
  Controller controller_;
  bool at_rest_ = false;  // during an access of the host
  u64 stores_ = 0;
};

}  // namespace ew::storage
