#include "simt/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/register_limit.hpp"

namespace ew::simt {
namespace {

constexpr u32 register_granule = 8;  // registers of a thread come in eights

u32 round_up(u32 value, u32 unit) {
  return unit ? (value + unit - 1) / unit * unit : value;
}

std::string axes(Dim3 d) {
  return fmt::format("{} x {} x {}", d.x, d.y, d.z);
}

bool beyond(Dim3 d, Dim3 limit) {
  return d.x > limit.x || d.y > limit.y || d.z > limit.z;
}

}  // namespace

u32 registers_of_thread(const GpuLimits& limits, const ptx::Kernel& kernel) {
  u32 registers = std::min(std::max(kernel.registers_per_thread, 1u), limits.registers_per_thread);
  if (kernel.max_registers)
    registers = std::min(registers, std::max(kernel.max_registers, ptx::fewest_registers_allowed));
  // A compiler that was told the block's size spills until it fits.
  const u64 bound = std::max(kernel.max_threads.count(), kernel.required_threads.count());
  if (bound)
    registers = std::min<u64>(
        registers,
        std::max<u64>(limits.registers_per_block / bound / register_granule * register_granule, register_granule));
  // … and that so many of them should be resident.
  if (bound && kernel.min_blocks)
    registers = std::min<u64>(
        registers, std::max<u64>(limits.registers_per_sm / (u64{kernel.min_blocks} * round_up(bound, warp_lanes)) /
                                     register_granule * register_granule,
                                 register_granule));
  return registers;
}

u32 registers_taken(const GpuLimits& limits, const ptx::Kernel& kernel) {
  return round_up(registers_of_thread(limits, kernel), register_granule);
}

BlockNeeds needs_of(const GpuLimits& limits, const ptx::Kernel& kernel, u32 threads, u32 dynamic_shared) {
  BlockNeeds needs;
  needs.threads = threads;
  needs.warps = (threads + warp_lanes - 1) / warp_lanes;
  needs.registers =
      needs.warps * round_up(registers_taken(limits, kernel) * warp_lanes, limits.register_allocation_unit);
  needs.shared_bytes = kernel.static_shared;
  if (dynamic_shared)
    needs.shared_bytes = round_up(kernel.static_shared, std::max(kernel.dynamic_shared_alignment, 1u)) + dynamic_shared;
  return needs;
}

Occupancy occupancy_of(const GpuLimits& limits, const BlockNeeds& needs) {
  const u32 blocks = blocks_per_sm(limits, needs);
  const u32 shared = needs.shared_bytes + limits.shared_reserved_per_block;
  std::string_view limiter = "blocks";
  if (limits.warps_per_sm / needs.warps == blocks) limiter = "warps";
  if (needs.registers && limits.registers_per_sm / needs.registers == blocks) limiter = "registers";
  if (needs.shared_bytes && limits.shared_bytes_per_sm / shared == blocks) limiter = "shared memory";
  if (limits.warps_per_sm / needs.warps == blocks && blocks * needs.warps == limits.warps_per_sm) limiter = "warps";
  return {blocks * needs.warps, limiter};
}

u32 blocks_per_sm(const GpuLimits& limits, const BlockNeeds& needs) {
  if (needs.threads == 0 || needs.threads > limits.threads_per_block) return 0;
  if (needs.shared_bytes > limits.shared_bytes_per_block_optin) return 0;
  if (needs.registers > limits.registers_per_block) return 0;
  u32 blocks = std::min(limits.blocks_per_sm, limits.warps_per_sm / needs.warps);
  if (needs.registers) blocks = std::min(blocks, limits.registers_per_sm / needs.registers);
  const u32 shared = needs.shared_bytes + limits.shared_reserved_per_block;
  if (needs.shared_bytes) blocks = std::min(blocks, limits.shared_bytes_per_sm / shared);
  return blocks;
}

std::string refusal(const GpuLimits& limits, const Launch& launch) {
  const ptx::Kernel& kernel = *launch.kernel;
  if (launch.block.count() == 0 || launch.grid.count() == 0)
    return fmt::format("grid {} of blocks {} is empty", axes(launch.grid), axes(launch.block));
  if (beyond(launch.block, limits.block_limit))
    return fmt::format("block {} exceeds the limit {}", axes(launch.block), axes(limits.block_limit));
  if (beyond(launch.grid, limits.grid_limit))
    return fmt::format("grid {} exceeds the limit {}", axes(launch.grid), axes(limits.grid_limit));
  if (launch.block.count() > limits.threads_per_block)
    return fmt::format("{} threads a block exceed the limit of {}", launch.block.count(), limits.threads_per_block);
  if (kernel.max_threads.count() && launch.block.count() > kernel.max_threads.count())
    return fmt::format("{} threads a block exceed the {} that it was compiled for (__launch_bounds__)",
                       launch.block.count(), kernel.max_threads.count());
  if (kernel.required_threads.count() && !(launch.block == kernel.required_threads))
    return fmt::format("block {} is not the {} that it requires (.reqntid)", axes(launch.block),
                       axes(kernel.required_threads));
  if (launch.dynamic_shared > limits.shared_bytes_per_block_optin)
    return fmt::format("{} bytes of dynamic shared memory exceed the limit of {}", launch.dynamic_shared,
                       limits.shared_bytes_per_block_optin);
  const BlockNeeds needs = needs_of(limits, kernel, static_cast<u32>(launch.block.count()), launch.dynamic_shared);
  if (needs.shared_bytes > limits.shared_bytes_per_block_optin)
    return fmt::format("{} bytes of shared memory a block exceed the limit of {}", needs.shared_bytes,
                       limits.shared_bytes_per_block_optin);
  if (needs.registers > limits.registers_per_block)
    return fmt::format("{} registers a block exceed the limit of {}", needs.registers, limits.registers_per_block);
  if (launch.parameters.size() > limits.parameter_bytes)
    return fmt::format("{} bytes of parameters exceed the limit of {}", launch.parameters.size(),
                       limits.parameter_bytes);
  const u32 resident = blocks_per_sm(limits, needs);
  if (resident == 0) return "no SM has room for one block";
  if (launch.cooperative && launch.grid.count() > u64{resident} * limits.sms)
    return fmt::format("a cooperative grid of {} blocks needs all of them resident; {} fit ({} on each of {} SMs)",
                       launch.grid.count(), u64{resident} * limits.sms, resident, limits.sms);
  return {};
}

}  // namespace ew::simt
