// Where a line lives: its home slice, its device and its simulated physical address. Physical addresses are given in
// allocation order (an arena's are its offsets; adopted host pages and the frames of pools follow each other), so that
// neither address randomisation of the host nor the names of pool files change a result. Owned by the machine;
// refreshed between launches, read while simulating by one thread.
#pragma once

#include <utility>
#include <vector>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "memory/address_space.hpp"
#include "memory/host_frames.hpp"
#include "memory/request.hpp"

namespace ew::memory {

/// A pool lies in frames of its own, from the first byte of the arena of pools on. A frame keeps its physical address
/// for as long as the machine lives: what caches hold of a pool that was unmapped is found again.
inline constexpr u64 pool_frame = u64{16} << 20;

/// Where a line lies in its device.
struct DevicePlace {
  u16 device = 0;   // its index: see AddressMap::in_device
  u64 address = 0;  // of the device's own bytes: a channel's lines follow each other without gaps
};

struct AddressMapConfig {
  u32 slices = 24, channels = 12;  // slices are spread over channels evenly
  u32 line = 128;
  u32 nvm_channels = 0;  // of non-volatile memory on the GPU; 0: pools lie in one device behind the host link
  u32 interleave = 256;  // bytes that stay in one slice
  bool hashed = true;    // slices are chosen by a hash of the address above the interleave, else in turn
  bool shared = false;   // the host's memory is the GPU's own: in its channels, not behind a link

  /// `line` is the private caches', `nvm_channels` the non-volatile memory's, `shared` the device's.
  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    using core::Range;
    visit("slices", self.slices, Range{1, 1024}, "slices", "Slices of the L2; a multiple of the channels.",
          "SBRP artifact, gpgpu_n_sub_partition_per_mchannel: two a channel");
    visit("channels", self.channels, Range{1, 1024}, "channels", "Channels of the GPU's memory.",
          "SBRP artifact, gpgpu_n_mem");
    visit("interleave", self.interleave, Range{64, 1 << 20}, "bytes",
          "Stretch of addresses that lies in one slice; a multiple of the line.", "SBRP artifact: 256 bytes");
    visit("hashed", self.hashed, Range{}, "",
          "Whether the slice is a hash of the address above the stretch; else slices follow in turn.",
          "SBRP artifact, gpgpu_memory_partition_indexing");
  }
};

class AddressMap {
 public:
  AddressMap(const AddressMapConfig&, const AddressSpace&);
  /// Takes in what was allocated or adopted since; cheap when nothing was. Between launches.
  void refresh();
  /// Looks the line up. Persistent by the arena alone: true for what is not mapped yet, too.
  Place place(u64 line) const {
    const Window* const found = window(line);
    const bool persistent = line - pools_begin_ < pools_bytes_;
    if (!found)
      return {.physical = reaches_host_ && !persistent ? frames_.physical(line) : line,
              .host = !persistent,
              .persistent = persistent,
              .shared = true};
    return {.physical = line - found->begin + found->physical,
            .host = found->host,
            .persistent = persistent,
            .shared = found->shared,
            .mmio = found->mmio};
  }
  /// The home of a line of this place. Slices and channels as configured.
  u16 slice_of(Place) const;
  /// The device index of host memory is `channels`, those of non-volatile memory follow.
  DevicePlace in_device(Place) const;
  /// Whether there are registers of devices at all.
  bool has_mmio() const { return has_mmio_; }
  /// Those that the machine simulates.
  const RegisterWindows& registers() const { return space_.registers(); }
  u32 slices() const { return config_.slices; }

 private:
  struct Window {
    u64 begin, end, physical;
    bool host, shared, mmio;
  };
  void map_frames(u64 begin, u64 end);
  DevicePlace in_channel(Place, u32 channels) const;
  const Window* window(u64 line) const {
    if (last_ < windows_.size() && line - windows_[last_].begin < windows_[last_].end - windows_[last_].begin)
      return &windows_[last_];
    return look_up(line);
  }
  const Window* look_up(u64 line) const;

  AddressMapConfig config_;
  const AddressSpace& space_;
  u64 pools_begin_ = 0, pools_bytes_ = 0;
  std::vector<Window> windows_;   // by address
  mutable std::size_t last_ = 0;  // the window found last
  bool has_mmio_ = false;
  bool reaches_host_;  // kernels may use the host's own memory: its pages have frames
  mutable HostFrames frames_;
  std::vector<std::pair<u64, u64>> adopted_;  // number, physical address; by number
  u64 adopted_end_;                           // physical
  std::vector<u64> pool_frames_;              // their addresses, in the order of their first mapping
  u64 adoptions_ = ~u64{0};                   // of the address space, when last seen
};

}  // namespace ew::memory
