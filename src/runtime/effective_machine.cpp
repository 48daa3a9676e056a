// What a machine file leaves to others: figures that a memory standard has, and what the device says of itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/diagnostics.hpp"
#include "media/dram_standards.hpp"
#include "media/kinds.hpp"
#include "runtime/machine_checks.hpp"
#include "runtime/machine_config.hpp"

namespace ew::runtime {

namespace {

u32 simulated_bus_bits(const media::DramConfig& memory, u32 channels) {
  const media::DramStandard& standard = media::standard_of(memory.standard);
  return static_cast<u32>(
      std::max<u64>(8, u64{channels} * standard.bits * memory.bytes_per_clock / standard.bytes_per_clock));
}

/// Bytes a millisecond.
u64 simulated_bandwidth(const media::DramConfig& memory, u32 channels) {
  return u64{channels} * memory.bytes_per_clock * memory.clock.count;
}

/// What cudaDeviceProp says of it: two transfers a clock.
u64 told_bandwidth(const DeviceConfig& device) {
  return 2 * device.memory_clock.count * device.memory_bus_bits / 8;
}

u32 simulated_double_ratio(const simt::SmTimingConfig& timing) {
  const u32 units = timing.wide_shared ? timing.schedulers : 1;  // of single precision, for one of double
  return std::max<u32>(1, timing.wide.interval * units / timing.single.interval);
}

}  // namespace

core::BytesPerSecond memory_bandwidth(const MachineConfig& config) {
  const media::MediaKind* const kind = media::find_media_kind(config.memory.model);
  if (!kind || !kind->peak) return {};
  return {kind->peak(
      {.dram = config.memory, .host_memory = config.host_memory, .nvm = config.nvm, .sections = config.media},
      config.address_map.channels)};
}

MachineConfig effective(const MachineConfig& config) {
  MachineConfig machine = config;
  machine.memory = media::resolved(config.memory);
  DeviceConfig& device = machine.device;
  const u32 channels = config.address_map.channels;
  if (!device.l2.count) device.l2.count = u64{config.address_map.slices} * config.l2.bytes;
  const u64 bandwidth = simulated_bandwidth(machine.memory, channels);
  if (!device.memory_bus_bits) device.memory_bus_bits = simulated_bus_bits(machine.memory, channels);
  if (!device.memory_clock.count) device.memory_clock.count = bandwidth * 4 / device.memory_bus_bits;
  if (!machine.sm.double_ratio) machine.sm.double_ratio = simulated_double_ratio(config.sm_timing);
  return machine;
}

void check_what_is_told(const MachineConfig& config) {
  const MachineConfig machine = effective(config);
  const u64 l2 = u64{config.address_map.slices} * config.l2.bytes;
  if (machine.device.l2.count != l2)
    throw core::UserError(fmt::format(
        "device.l2 should be 0 (as simulated) or {} bytes, which address_map.slices times l2.bytes are, but is {}", l2,
        machine.device.l2.count));
  if (const u32 bus = simulated_bus_bits(machine.memory, config.address_map.channels);
      machine.device.memory_bus_bits != bus)
    throw core::UserError(
        fmt::format("device.memory_bus_bits should be 0 (as simulated) or {} bits, which [memory] times "
                    "address_map.channels are, but is {}",
                    bus, machine.device.memory_bus_bits));
  if (const u32 ratio = simulated_double_ratio(config.sm_timing); machine.sm.double_ratio != ratio)
    throw core::UserError(
        fmt::format("sm.double_ratio should be 0 (as simulated) or {}, which sm_timing.double_interval (times "
                    "sm_timing.schedulers, where these share the unit) over sm_timing.float_interval is, but is {}",
                    ratio, machine.sm.double_ratio));
  const double told = static_cast<double>(told_bandwidth(machine.device)) / 1e6;
  const double simulated = static_cast<double>(simulated_bandwidth(machine.memory, config.address_map.channels)) / 1e6;
  if (std::abs(told - simulated) > simulated / 100)
    throw core::UserError(
        fmt::format("device.memory_clock and device.memory_bus_bits tell programs of {:.4g} GB/s, but {:.4g} GB/s are "
                    "simulated ([memory], address_map.channels); 0 in either: as simulated",
                    told, simulated));
}

}  // namespace ew::runtime
