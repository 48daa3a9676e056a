// Where a line lives: its home slice, its device and its simulated physical address. Physical addresses are given in
// allocation order (arenas are contiguous; adopted host pages follow each other), so that address randomisation of the
// host changes no result. Owned by the machine; written between launches, read while simulating.
#pragma once

#include <vector>

#include "core/types.hpp"
#include "memory/address_space.hpp"

namespace ew::memory {

struct Place {
  u16 slice = 0;
  u16 device = 0;     // index of the device: channel of GPU memory, or the host's memory
  bool host = false;  // behind the host link
  u64 physical = 0;
};

struct AddressMapConfig {
  u32 slices = 24, channels = 12;  // slices are spread over channels evenly
  u32 line = 128;
  u32 interleave = 256;  // bytes that stay in one slice
  bool hashed = true;    // slices are chosen by a hash of the address above the interleave, else in turn
};

class AddressMap {
 public:
  explicit AddressMap(const AddressMapConfig&, const AddressSpace&);
  /// Slices and channels as configured; the device index of host memory is `channels`.
  Place place(u64 line) const;

 private:
  AddressMapConfig config_;
  const AddressSpace& space_;
};

}  // namespace ew::memory
