// The root port above the GPU, as programs see it that switch DDIO off by its register: its configuration space.
#pragma once

#include "core/types.hpp"

namespace ew::runtime {

struct RootPort {
  static constexpr u8 bus = 0x16, below = 0x17;  // its own, and the GPU's
  static constexpr u16 vendor = 0x8086, device = 0x2030, bridge = 0x0604;
  static constexpr int perfctrlsts = 0x180;
  static constexpr u32 allocating_writes = 0x80;  // Use_Allocating_Flow_Wr: DDIO is on

  /// So many bytes (1, 2 or 4) of the configuration space.
  static u32 read(int offset, u32 bytes);
  /// Some of these bytes are of perfctrlsts_0.
  static bool holds_switch(int offset, int bytes) { return offset < perfctrlsts + 4 && perfctrlsts < offset + bytes; }
  /// DDIO is on or off from now on: gpm_persist_end() or gpm_persist_begin(). Kernels before it end first. False: the
  /// program has no machine.
  static bool write_switch(u32 value);
};

}  // namespace ew::runtime
