#include "runtime/gpu_limits.hpp"

#include <algorithm>

#include "simt/carveout.hpp"

namespace ew::runtime {

simt::GpuLimits gpu_limits(const MachineConfig& config) {
  simt::GpuLimits limits;
  limits.sms = config.sm.count;
  limits.warps_per_sm = config.sm.warps;
  limits.blocks_per_sm = config.sm.blocks;
  limits.registers_per_sm = config.sm.registers;
  limits.registers_per_block = config.sm.registers_per_block;
  limits.registers_per_thread = config.sm.registers_per_thread;
  limits.register_allocation_unit = config.sm.register_allocation_unit;
  limits.shared_bytes_per_sm = static_cast<u32>(config.sm.shared.count);
  limits.shared_bytes_per_block = static_cast<u32>(config.sm.shared_per_block.count);
  limits.shared_bytes_per_block_optin = static_cast<u32>(config.sm.shared_per_block_optin.count);
  limits.shared_reserved_per_block = static_cast<u32>(config.sm.shared_reserved_per_block.count);
  limits.unified_bytes = static_cast<u32>(config.l1.unified);
  limits.carveouts = simt::carveouts_of(config.device.compute_capability);
  limits.threads_per_block = config.sm.threads_per_block;
  limits.block_limit = config.launch.block_limit;
  limits.grid_limit = config.launch.grid_limit;
  limits.parameter_bytes = static_cast<u32>(config.launch.parameters.count);
  limits.assist = config.assist.limits();
  if (limits.assist.warps) {
    limits.warps_per_sm = std::min(limits.warps_per_sm, simt::most_warps - limits.assist.warps);
    limits.registers_per_sm -= simt::assist_registers(limits.assist, limits.register_allocation_unit);
  }
  limits.clock_khz = static_cast<u32>(config.device.clock.count);
  return limits;
}

}  // namespace ew::runtime
