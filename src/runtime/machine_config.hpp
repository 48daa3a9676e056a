// What a machine file says: the simulated GPU and its link to the host. One plain struct a component, which stands with
// the component; the defaults are a Turing GPU of 30 SMs, the machine of SBRP's artifact (an RTX 2060), and
// machines/default.toml repeats every one of them. Values only: whoever needs them in another shape (simt's limits,
// cudaDeviceProp) converts.
#pragma once

#include <string>
#include <vector>

#include "core/fields.hpp"
#include "core/model_section.hpp"
#include "core/units.hpp"
#include "host/host_config.hpp"
#include "media/dram_config.hpp"
#include "media/host_memory_config.hpp"
#include "media/nvm_config.hpp"
#include "memory/address_map.hpp"
#include "memory/address_space.hpp"
#include "memory/host_link.hpp"
#include "memory/managed/managed_config.hpp"
#include "memory/memory_config.hpp"
#include "memory/networks/networks.hpp"
#include "persistency/config.hpp"
#include "runtime/energy.hpp"
#include "runtime/model_config.hpp"
#include "simt/assist_config.hpp"
#include "simt/sm_timing_config.hpp"
#include "storage/storage_config.hpp"

namespace ew::runtime {

using core::Bytes, core::BytesPerSecond, core::ComputeCapability, core::Kilohertz, core::Picoseconds, core::Range;
using namespace core::literals;

/// What the device says about itself and the memory it has.
struct DeviceConfig {
  std::string name = "Everwarp default";
  ComputeCapability compute_capability{7, 5};
  Kilohertz clock = 1365_MHz;
  Bytes memory = 6_GiB;
  Kilohertz memory_clock{};  // 0, here and in the next two: as simulated
  u32 memory_bus_bits = 0;
  Bytes l2{};
  Bytes constant_memory = 64_KiB;
  u32 copy_engines = 3;
  bool integrated = false;
  bool pageable = false;
  bool ecc = false;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// The limits of one SM and of a block on it: they decide occupancy and which launches are refused.
struct SmConfig {
  u32 count = 30;
  u32 warps = 32;
  u32 blocks = 16;
  u32 registers = 65536;
  u32 registers_per_block = 65536;
  u32 registers_per_thread = 255;
  u32 register_allocation_unit = 256;
  Bytes shared = 64_KiB;
  Bytes shared_per_block = 48_KiB;
  Bytes shared_per_block_optin = 64_KiB;
  Bytes shared_reserved_per_block = 0_B;
  u32 threads_per_block = 1024;
  u32 double_ratio = 0;  // as simulated

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// Which addresses of memory a kernel may touch.
struct BoundsConfig {
  std::string bounds = "allocation";

  memory::Reach reach() const { return bounds == "page" ? memory::Reach::page : memory::Reach::allocation; }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// What a launch may ask for, what it costs the host, and the defaults of cudaDeviceSetLimit.
struct LaunchConfig {
  Dim3 block_limit{1024, 1024, 64};
  Dim3 grid_limit{2147483647, 65535, 65535};
  Bytes parameters = 32764_B;
  Picoseconds latency = 5000_ns;
  Picoseconds gap = 1000_ns, graph_gap;
  Bytes stack = 1_KiB;
  Bytes heap = 8_MiB;
  Bytes printf_buffer = 1_MiB;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// Copies between host and device, and inside the device.
struct CopyConfig {
  BytesPerSecond host_to_device = 12_GBps;
  BytesPerSecond device_to_host = 12_GBps;
  BytesPerSecond device_to_device = 150_GBps;
  Picoseconds latency = 1500_ns;
  u32 outstanding = 512;
  u32 ports = 4;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

struct MachineConfig {
  ModeConfig machine;
  DeviceConfig device;
  SmConfig sm;
  simt::SmTimingConfig sm_timing;
  simt::AssistConfig assist;
  memory::PrivateCacheConfig l1;
  memory::HomeConfig l2;
  memory::AddressMapConfig address_map;
  CoherenceConfig coherence;
  memory::HostCoreConfig host_core;
  ConsistencyConfig consistency;
  memory::NetworkConfig network;
  BoundsConfig bounds;
  media::DramConfig memory;
  host::HostConfig host;
  memory::HostLinkConfig host_link;
  media::HostMemoryConfig host_memory;
  media::NvmConfig nvm;
  core::ModelSections media;  // of media that have keys of their own
  persistency::PersistencyConfig persistency;
  LaunchConfig launch;
  CopyConfig copy;
  memory::ManagedConfig managed;
  storage::StorageConfig storage;
  EnergyConfig energy;

  /// That are nodes of the machine.
  u32 host_cores() const { return device.integrated ? host_core.cores : 0; }
  /// Pools lie behind the host link: what the host writes there is in its caches first.
  bool far_pools() const { return !device.integrated && !nvm.none() && !nvm.near(); }
  /// A core of the host makes copies from and to pools.
  bool bounces_copies() const { return far_pools() && host.bounced; }
  /// What kernels write to pools outside of gpm_persist_begin() .. gpm_persist_end() ends in the host's last-level
  /// cache, which a crash empties.
  bool ddio_loses_persists() const { return far_pools() && nvm.ddio && !nvm.eadr && host_memory.llc.count; }
};

/// Every field, in the order in which it is documented. The fields point into `config`.
std::vector<core::Field> fields_of(MachineConfig& config);
/// One sentence about a section ("sm"), for explain and for files.
std::string_view section_sentence(std::string_view section);

/// Reads a machine by name ("titan-rtx") or by path. What it does not say keeps its default. Mistakes are UserErrors
/// with file, line and the nearest valid name.
MachineConfig load_machine(std::string_view name_or_path);
void read_toml(std::string_view text, const std::string& file, MachineConfig& config);
/// Applies one "section.key=value", or what goes together under a name (named_settings.hpp).
void apply_setting(std::string_view setting, MachineConfig& config);
std::string to_toml(const MachineConfig& config, bool sentences = false);
/// With a value in every field that says 0 for what another field or a standard says: what is simulated, and what
/// programs are told.
MachineConfig effective(const MachineConfig&);
/// Fields that are each in range but cannot stand together: a UserError that names them, a line for each that was
/// found.
void check(const MachineConfig&);
/// The same of a machine that was read from this file, or by this name, and then changed by these settings. A message
/// begins with the place of its field: "file:line: ", or "--set section.key=value: ".
void check(const MachineConfig&, std::string_view name_or_path, const std::vector<std::string>& settings);
/// Why such a machine cannot map persistent pools, by the fields that say so; empty: it can.
std::string why_no_pools(const MachineConfig&);
/// Of the GPU's memory, all channels together; 0: its medium has no limit.
core::BytesPerSecond memory_bandwidth(const MachineConfig&);
/// SMs, the host's core of a GPU that shares its memory, the ports of copy engines, and drives.
u32 agents_of(const MachineConfig&);
u32 copy_ports_of(const MachineConfig&);

template <class Self, class Visitor>
void DeviceConfig::fields(Self& self, Visitor&& visit) {
  visit("name", self.name, Range{}, "", "Name that cudaGetDeviceProperties reports.",
        "a choice of the user: programs print it, nothing depends on it");
  visit("compute_capability", self.compute_capability, Range{1.0, 12.9}, "",
        "Version of the programming model that the device claims; it changes no behaviour by itself.",
        "CUDA C++ Programming Guide, Compute Capabilities");
  visit("clock", self.clock, Range{100, 10000}, "", "Clock of the SMs; simulated time and clock64() count it.",
        "SBRP artifact, gpgpu_clock_domains; RTX 2060 base clock");
  visit("memory", self.memory, Range{1 << 20, 1e13}, "", "Device memory; an allocation beyond it fails.",
        "RTX 2060 data sheet");
  visit("memory_clock", self.memory_clock, Range{0, 100000}, "",
        "Memory clock as cudaDeviceProp::memoryClockRate; 0: that of the simulated channels at two transfers a clock.",
        "what is simulated ([memory], address_map.channels)");
  visit("memory_bus_bits", self.memory_bus_bits, Range{0, 65536}, "bits",
        "Width of the memory bus; 0: that of the simulated channels.",
        "what is simulated ([memory], address_map.channels)");
  visit("l2", self.l2, Range{0, 1e12}, "", "Size of the L2 cache; 0: that of the simulated slices.",
        "what is simulated (l2.bytes, address_map.slices)");
  visit("constant_memory", self.constant_memory, Range{1024, 1 << 26}, "", "Bytes of .const memory a module may have.",
        "CUDA C++ Programming Guide, Technical Specifications");
  visit("copy_engines", self.copy_engines, Range{0, 64}, "engines",
        "Copies that may run beside kernels (cudaDeviceProp::asyncEngineCount).", "deviceQuery on Turing");
  visit("integrated", self.integrated, Range{}, "", "Whether the GPU shares the host's memory.",
        "RTX 2060 data sheet: a card with 6 GB of GDDR6 of its own");
  visit("pageable", self.pageable, Range{}, "",
        "Whether kernels may access all memory of the host program: malloc, stacks, variables "
        "(cudaDevAttrPageableMemoryAccess). Only where the GPU shares the host's memory. Wrong host pointers are then "
        "not found.",
        "CUDA C++ Programming Guide, System Allocator: not so on a card behind PCIe");
  visit("ecc", self.ecc, Range{}, "", "Whether programs are told of error correction; it costs nothing here.",
        "RTX 2060 data sheet: names none");
}

template <class Self, class Visitor>
void BoundsConfig::fields(Self& self, Visitor&& visit) {
  visit("bounds", self.bounds, core::Choices{{"allocation", "page"}}, "",
        "What a kernel may touch. allocation: only bytes that were allocated. page: the whole pages in which they lie, "
        "of "
        "2 MiB (host memory: 4 KiB), as real GPUs check; for programs that read past the end of an array.",
        "a choice of the user: a real GPU does not see such a mistake, and allocation does");
}

template <class Self, class Visitor>
void SmConfig::fields(Self& self, Visitor&& visit) {
  const char* guide = "CUDA C++ Programming Guide, Technical Specifications, 7.5";
  visit("count", self.count, Range{1, 1024}, "SMs", "Streaming multiprocessors.", "SBRP artifact, gpgpu_n_clusters");
  visit("warps", self.warps, Range{1, 128}, "warps", "Resident warps of one SM.", guide);
  visit("blocks", self.blocks, Range{1, 128}, "blocks", "Resident blocks of one SM.", guide);
  visit("registers", self.registers, Range{1024, 1 << 24}, "registers", "32-bit registers of one SM.", guide);
  visit("registers_per_block", self.registers_per_block, Range{1024, 1 << 24}, "registers",
        "32-bit registers that one block may use.", guide);
  visit("registers_per_thread", self.registers_per_thread, Range{16, 65535}, "registers",
        "32-bit registers that one thread may use.", guide);
  visit("register_allocation_unit", self.register_allocation_unit, Range{1, 4096}, "registers",
        "Registers are given to a warp in multiples of this.", "CUDA Occupancy Calculator");
  visit("shared", self.shared, Range{1024, 1 << 24}, "", "Shared memory of one SM.", guide);
  visit("shared_per_block", self.shared_per_block, Range{1024, 1 << 24}, "",
        "Shared memory that a block may use without asking.", guide);
  visit("shared_per_block_optin", self.shared_per_block_optin, Range{1024, 1 << 24}, "",
        "Shared memory that a block may use after cudaFuncSetAttribute.", guide);
  visit("shared_reserved_per_block", self.shared_reserved_per_block, Range{0, 65536}, "",
        "Shared memory that the system keeps of every block.", "CUDA C++ Programming Guide, 8.0 and later: 1 KiB");
  visit("threads_per_block", self.threads_per_block, Range{32, 1024}, "threads", "Threads of the largest block.",
        guide);
  visit("double_ratio", self.double_ratio, Range{0, 1024}, "",
        "Single- to double-precision throughput (cudaDeviceProp::singleToDoublePrecisionPerfRatio); 0: as simulated.",
        "what is simulated (sm_timing.double_interval, double_shared, float_interval)");
}

template <class Self, class Visitor>
void LaunchConfig::fields(Self& self, Visitor&& visit) {
  const char* guide = "CUDA C++ Programming Guide, Technical Specifications";
  visit("block_limit", self.block_limit, Range{1, 1024}, "threads", "Largest x, y and z of a block.", guide);
  visit("grid_limit", self.grid_limit, Range{1, 2147483647}, "blocks", "Largest x, y and z of a grid.", guide);
  visit("parameters", self.parameters, Range{256, 32764}, "", "Bytes of kernel parameters.",
        "CUDA C++ Programming Guide: 32,764 from CUDA 12.1 on, 4096 before capability 7.0");
  visit("latency", self.latency, Range{0, 1e9}, "",
        "From a launch on an idle stream to the kernel's first instruction.",
        "order of magnitude of published launch overheads");
  visit("gap", self.gap, Range{0, 1e9}, "",
        "From the end of a kernel to the first instruction of one that waits for it in its stream, by an event or in a "
        "graph.",
        "assumed: the order of magnitude of published launch overheads, about 1 us on a V100");
  visit("graph_gap", self.graph_gap, Range{0, 1e9}, "", "The same between two kernels of one graph; 0: as gap.",
        "a choice of ours: one value for both");
  visit("stack", self.stack, Range{16, 524288}, "", "Stack of one thread (cudaLimitStackSize).",
        "cudaDeviceGetLimit on a fresh context");
  visit("heap", self.heap, Range{4096, 1e12}, "", "Heap of malloc and new in kernels (cudaLimitMallocHeapSize).",
        "CUDA C++ Programming Guide, Dynamic Global Memory Allocation");
  visit("printf_buffer", self.printf_buffer, Range{1024, 1e10}, "",
        "Buffer of printf in kernels (cudaLimitPrintfFifoSize).", "CUDA C++ Programming Guide, Formatted Output");
}

template <class Self, class Visitor>
void CopyConfig::fields(Self& self, Visitor&& visit) {
  visit("host_to_device", self.host_to_device, Range{0.001, 100000}, "",
        "Functional: bandwidth of a copy to the device.", "PCIe 3.0 x16 after protocol overhead");
  visit("device_to_host", self.device_to_host, Range{0.001, 100000}, "",
        "Functional: bandwidth of a copy from the device.", "PCIe 3.0 x16 after protocol overhead");
  visit("device_to_device", self.device_to_device, Range{0.001, 100000}, "",
        "Functional: bandwidth of a copy inside the device: about half of the memory's, since each byte is read and "
        "written.",
        "336 GB/s (SBRP artifact) / 2, less refresh and turnaround");
  visit("latency", self.latency, Range{0, 1e9}, "", "From the start of a copy to its first byte.",
        "order of magnitude of published PCIe round trips");
  visit("outstanding", self.outstanding, Range{1, 65536}, "lines",
        "Timing: lines of a copy that one copy engine has under way.", "assumed: covers 600 ns at 28 GB/s twice over");
  visit("ports", self.ports, Range{1, 16}, "ports",
        "Timing: ports of one copy engine on the network; lines are dealt to them in turn.",
        "assumed: copies inside the device then reach about half of the memory's bandwidth");
}

}  // namespace ew::runtime
