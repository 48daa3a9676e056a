// What the runtime asks of a GPU: it takes launches, runs their blocks on SMs within occupancy limits, reports
// completions and faults. FunctionalGpu is one; a timing machine is another. Owned by a Simulator of runtime/; every
// member function is called from the machine's thread only, except request_stop().
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "memory/address_space.hpp"
#include "ptx/kernel.hpp"
#include "simt/assist_config.hpp"
#include "simt/fault.hpp"

namespace ew::simt {

/// The limits of an SM that decide occupancy and which launches are refused. Filled from the machine file.
struct GpuLimits {
  u32 sms = 30;
  u32 warps_per_sm = 32;
  u32 blocks_per_sm = 16;
  u32 registers_per_sm = 65536;
  u32 registers_per_block = 65536;
  u32 registers_per_thread = 255;
  u32 register_allocation_unit = 256;  // registers, per warp
  u32 shared_bytes_per_sm = 64 * 1024;
  u32 shared_bytes_per_block = 48 * 1024;
  u32 shared_bytes_per_block_optin = 64 * 1024;
  u32 shared_reserved_per_block = 0;
  u32 unified_bytes = 0;                // that shared memory and the L1 have together; 0: each has a size of its own
  std::span<const u32> carveouts = {};  // sizes of shared memory, in KiB (carveout.hpp)
  u32 threads_per_block = 1024;
  Dim3 block_limit{1024, 1024, 64};
  Dim3 grid_limit{2147483647, 65535, 65535};
  u32 parameter_bytes = 32764;
  u32 clock_khz = 1'365'000;
  AssistLimits assist;  // its registers are not in registers_per_sm
};

struct Launch {
  const ptx::Kernel* kernel = nullptr;  // outlives the launch
  Dim3 grid, block;
  u32 dynamic_shared = 0;
  std::vector<u8> parameters;  // laid out as kernel->parameters
  bool cooperative = false;
  u32 stack_bytes = 1024;  // cudaLimitStackSize, per thread
  int carveout = -1;       // preferred, percent of the most shared memory; -1: none is
};

using LaunchId = u64;

struct Counters {  // of a launch or in all
  u64 warp_instructions = 0, thread_instructions = 0;
  u64 memory_instructions = 0, memory_lanes = 0;
  u64 blocks = 0, warps = 0;
  u64 divergent_branches = 0, barriers = 0;
  u64 max_resident_bytes = 0;  // simulator memory for blocks in flight

  /// Of several launches together; `max_resident_bytes` is the larger one.
  Counters& operator+=(const Counters&);
};

struct Completion {
  LaunchId id = 0;
  Counters counters;
  u64 nanoseconds_begin = 0, nanoseconds_end = 0;  // simulated
  std::optional<Fault> fault;                      // the whole context is lost then, as on a real GPU
};

/// A launch that has not ended, for a person who ends the program before: where its warps are.
struct InFlight {
  Completion so_far;   // as if it had ended now
  std::string kernel;  // readable
  Dim3 grid, block;
  u64 blocks_done = 0, blocks_running = 0, blocks_waiting = 0;
  u64 warps_not_begun = 0;  // of the blocks that run
  struct Place {
    std::string at;          // source line
    std::string_view doing;  // empty: it runs
    u64 warps = 0;           // a warp whose lanes have parted is at several places
  };
  std::vector<Place> places;  // the one with most warps first
};

/// The string at a generic address of the thread that prints (a %s may lie on its stack), or false.
using ReadString = std::function<bool(u64 address, std::string& text)>;

/// What device code asks of the runtime. Called on the machine's thread.
class DeviceServices {
 public:
  virtual ~DeviceServices() = default;
  /// printf: format is a generic address of the string; arguments points at the packed buffer (host-readable copy).
  /// Returns printf's value.
  virtual i32 print(const char* format, const u8* arguments, const ReadString& read) = 0;
  /// Device heap; 0 when exhausted.
  virtual u64 heap_allocate(u64 bytes) = 0;
  /// False: not the start of a live heap block.
  virtual bool heap_free(u64 address) = 0;
  /// A texture or surface object as the runtime made it; nullptr if the handle is not one.
  virtual const struct TextureObject* texture(u64 handle) = 0;
  /// False: no such operation (the loader has refused such a module already).
  virtual bool knows_region(std::string_view name) = 0;
  /// An "everwarp.NAME" region was reached. True: the operation is done, go on behind the region. False: run the
  /// region's own instructions (they carry data, as the store of pRel does; functional mode always says so, since a
  /// store is durable at once).
  virtual bool region(std::string_view name, LaneMask lanes) = 0;
};

/// A texture object: memory, shape and how it is read. Made by runtime/, read by simt/texture_unit.cpp.
struct TextureObject {
  u64 address = 0;
  u32 width = 1, height = 1, depth = 1, layers = 0;  // texels; height 0/1 for 1D
  u64 row_pitch = 0, slice_pitch = 0;                // bytes
  u8 channels = 1, channel_bytes = 4;                // 1, 2, 4 channels of 1, 2, 4 bytes
  enum class Format : u8 { unsigned_integer, signed_integer, floating } format = Format::floating;
  enum class Address : u8 {
    wrap,
    clamp,
    mirror,
    border
  } address_mode[3] = {Address::clamp, Address::clamp, Address::clamp};
  bool linear_filter = false, normalized_coordinates = false, normalized_read = false, srgb = false;
  bool linear_memory = false;  // cudaResourceTypeLinear: tex1Dfetch, out of range reads zero
  bool surface = false;
  bool cube = false, seamless = false;  // layers are faces, six a cube; filters go across the edges of faces
  float border[4] = {0, 0, 0, 0};
};

class Gpu {
 public:
  virtual ~Gpu() = default;

  /// Empty when the launch fits; else one sentence that names the limit it exceeds.
  virtual std::string refuse(const Launch&) const = 0;

  /// Queues a launch; launches started without an earlier completion run side by side. REQUIRES: refuse() is empty.
  virtual LaunchId start(Launch) = 0;
  /// Runs until a launch completes or about `warp_instructions` have been executed. True while any launch is
  /// unfinished.
  virtual bool run(u64 warp_instructions) = 0;
  virtual std::vector<Completion> take_completions() = 0;

  /// Ends every running launch with FaultKind::instruction_limit once this many warp instructions have run in one
  /// launch (0: no limit).
  virtual void set_instruction_limit(u64) = 0;
  /// Calls `crash` on the machine's thread right after the Nth warp instruction of this process (all launches together)
  /// has been performed.
  virtual void set_crash_point(u64 warp_instruction, std::function<void()> crash) = 0;
  /// From any thread: run() returns soon.
  virtual void request_stop() = 0;
  /// Whether the host waits for what is under way: a Gpu that finds deadlocks itself (FunctionalGpu) then reports one.
  virtual void set_unattended(bool, std::function<bool()> /*no_other_thread*/) {}

  /// Of launches that have ended.
  virtual const Counters& totals() const = 0;
  /// With those that have not, up to now.
  virtual Counters so_far() const { return totals(); }
  /// Launches that have not ended, in order of their start.
  virtual std::vector<InFlight> in_flight() const { return {}; }
  /// Kernels that are not under way may go.
  virtual void forget_kernels() {}
  virtual u64 simulated_nanoseconds() const = 0;
  virtual void advance_nanoseconds(u64) = 0;
};

}  // namespace ew::simt
