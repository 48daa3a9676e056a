#include "simt/lane_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace ew::simt {
namespace {

using ptx::Special;

void set(u32* to, LaneMask lanes, u32 value) {
  if (lanes == all_lanes) {
    std::fill_n(to, warp_lanes, value);
    return;
  }
  for (u32 i = 0; i < warp_lanes; ++i) to[i] = (lanes >> i) & 1 ? value : to[i];
}

void set(u32* to, LaneMask lanes, const u32* from) {
  if (lanes == all_lanes) {
    std::memcpy(to, from, warp_lanes * sizeof(u32));
    return;
  }
  for (u32 i = 0; i < warp_lanes; ++i) to[i] = (lanes >> i) & 1 ? from[i] : to[i];
}

void set_wide(u32* row, LaneMask lanes, u64 value) {
  u64* to = reinterpret_cast<u64*>(row);
  for (u32 i = 0; i < warp_lanes; ++i) to[i] = (lanes >> i) & 1 ? value : to[i];
}

}  // namespace

bool is_clock(Special special) {
  switch (special) {
    case Special::clock:
    case Special::clock64:
    case Special::clock_hi:
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi:
      return true;
    default:
      return false;
  }
}

void special_register(Warp& warp, const ptx::Instr& instr, LaneMask mask, const GpuLimits& limits, u64 cycles_in_run) {
  const Block& block = *warp.block;
  const Grid& grid = *block.grid;
  u32* to = warp.rows.data() + (std::size_t{warp.frame().row_base} + instr.dst) * warp_lanes;
  u64 value = 0;
  const auto nanoseconds = [&] {
    return grid.begin_ns + (block.sm->cycle - grid.begin_cycle) * 1'000'000 / limits.clock_khz;
  };
  const auto lane_value = [&](auto of_lane) {
    alignas(64) u32 row[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) row[i] = of_lane(i);
    if (instr.b == 1) {
      u64* wide = reinterpret_cast<u64*>(to);
      for (u32 i = 0; i < warp_lanes; ++i) wide[i] = (mask >> i) & 1 ? row[i] : wide[i];
    } else {
      set(to, mask, row);
    }
  };
  switch (static_cast<Special>(instr.imm)) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z: {
      const u32 axis = instr.imm - static_cast<u32>(Special::tid_x);
      const u32* row = grid.thread_ids[axis].data() + std::size_t{warp.index} * warp_lanes;
      if (instr.b != 1) return set(to, mask, row);
      return lane_value([&](u32 i) { return row[i]; });
    }
    case Special::laneid:
      return lane_value([](u32 i) { return i; });
    case Special::lanemask_eq:
      return lane_value([](u32 i) { return u32{1} << i; });
    case Special::lanemask_lt:
      return lane_value([](u32 i) { return (u32{1} << i) - 1; });
    case Special::lanemask_le:
      return lane_value([](u32 i) { return ~u32{0} >> (31 - i); });
    case Special::lanemask_gt:
      return lane_value([](u32 i) { return ~(~u32{0} >> (31 - i)); });
    case Special::lanemask_ge:
      return lane_value([](u32 i) { return ~u32{0} << i; });
    case Special::ntid_x:
      value = grid.launch.block.x;
      break;
    case Special::ntid_y:
      value = grid.launch.block.y;
      break;
    case Special::ntid_z:
      value = grid.launch.block.z;
      break;
    case Special::ctaid_x:
      value = block.index.x;
      break;
    case Special::ctaid_y:
      value = block.index.y;
      break;
    case Special::ctaid_z:
      value = block.index.z;
      break;
    case Special::nctaid_x:
      value = grid.launch.grid.x;
      break;
    case Special::nctaid_y:
      value = grid.launch.grid.y;
      break;
    case Special::nctaid_z:
      value = grid.launch.grid.z;
      break;
    case Special::warpid:
      value = warp.index;
      break;
    case Special::nwarpid:
      value = limits.warps_per_sm;
      break;
    case Special::smid:
      value = block.sm->index;
      break;
    case Special::nsmid:
      value = limits.sms;
      break;
    case Special::gridid:
      value = grid.id;
      break;
    case Special::clock:
    case Special::clock64:
      warp.spin.timed = true;
      value = block.sm->cycle + cycles_in_run;
      break;
    case Special::clock_hi:
      warp.spin.timed = true;
      value = (block.sm->cycle + cycles_in_run) >> 32;
      break;
    case Special::globaltimer:
    case Special::globaltimer_lo:
      warp.spin.timed = true;
      value = nanoseconds();
      break;
    case Special::globaltimer_hi:
      warp.spin.timed = true;
      value = nanoseconds() >> 32;
      break;
    case Special::dynamic_smem_size:
      value = grid.launch.dynamic_shared;
      break;
    case Special::total_smem_size:
    case Special::aggr_smem_size:
      value = grid.shared_bytes;
      break;
    default:  // of the driver's environment registers, a grid barrier's address alone means something here
      if (instr.imm == static_cast<u32>(Special::envreg0) + 1) value = static_cast<u32>(grid.workspace);
      if (instr.imm == static_cast<u32>(Special::envreg0) + 2) value = grid.workspace >> 32;
      break;
  }
  if (instr.b == 1)
    set_wide(to, mask, value);
  else
    set(to, mask, static_cast<u32>(value));
}

void frame_address(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const Frame& frame = warp.frame();
  u32* to = warp.rows.data() + (std::size_t{frame.row_base} + instr.dst) * warp_lanes;
  const u64 value = u64{frame.local_base} + instr.imm;
  if (instr.b == 1)
    set(to, mask, static_cast<u32>(value));
  else
    set_wide(to, mask, value);
}

namespace {

u64 window_of(ptx::Space space) {
  switch (space) {
    case ptx::Space::shared:
      return memory::shared_window;
    case ptx::Space::local:
      return memory::local_window;
    case ptx::Space::param:
      return memory::parameter_window;
    default:
      return 0;
  }
}

bool inside(u64 address, u64 begin, u64 bytes) {
  return address - begin < bytes;
}

}  // namespace

void address_query(Warp& warp, const ptx::Instr& instr, LaneMask mask, const memory::AddressSpace& space) {
  const Frame& frame = warp.frame();
  const u32* base = instr.a & ptx::constant_row
                        ? warp.block->grid->kernel->constants.data() + (instr.a & 0x7fff) * warp_lanes
                        : warp.rows.data() + (std::size_t{frame.row_base} + instr.a) * warp_lanes;
  LaneMask yes = 0;
  for (LaneMask left = mask; left; left &= left - 1) {
    const u32 lane = std::countr_zero(left);
    const u64 a = reinterpret_cast<const u64*>(base)[lane];
    const bool shared = inside(a, memory::shared_window, memory::shared_window_bytes);
    const bool local = inside(a, memory::local_window, memory::local_window_bytes);
    const bool param = inside(a, memory::parameter_window, memory::parameter_window_bytes);
    bool is = false;
    switch (static_cast<ptx::Space>(instr.imm)) {
      case ptx::Space::shared:
        is = shared;
        break;
      case ptx::Space::local:
        is = local;
        break;
      case ptx::Space::param:
        is = param;
        break;
      case ptx::Space::constant: {
        const auto found = shared || local || param ? std::nullopt : space.find(a);
        is = found && found->region == memory::Region::constant;
        break;
      }
      default:
        is = !shared && !local && !param;
        break;
    }
    yes |= LaneMask{is} << lane;
  }
  u32& to = warp.predicates.data()[frame.predicate_base + instr.dst];
  to = (to & ~mask) | yes;
}

void convert_address(Warp& warp, const ptx::Instr& instr, LaneMask mask) {
  const ptx::Kernel& kernel = *warp.block->grid->kernel;
  u32* base = warp.rows.data() + std::size_t{warp.frame().row_base} * warp_lanes;
  const u64* from = reinterpret_cast<const u64*>(instr.a & ptx::constant_row
                                                     ? kernel.constants.data() + (instr.a & 0x7fff) * warp_lanes
                                                     : base + instr.a * warp_lanes);
  u64* to = reinterpret_cast<u64*>(base + instr.dst * warp_lanes);
  const u64 window = window_of(static_cast<ptx::Space>(instr.imm));
  const u64 move = instr.b == 1 ? -window : window;
  if (mask == all_lanes) {
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = from[i] + move;
  } else {
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = (mask >> i) & 1 ? from[i] + move : to[i];
  }
}

}  // namespace ew::simt
