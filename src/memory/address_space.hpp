// The simulated address space: what a program allocated, at host virtual addresses inside reserved arenas.
//
// One AddressSpace belongs to a Machine. Allocations are first-fit in address order from each arena's fixed base, so
// that address randomisation changes no result. Freed memory is kept apart for a while (quarantine) so that a use after
// free is seen as such. Thread-safe: the host allocates while the machine's thread runs kernels; a lookup by the
// machine's thread takes a lock only after a change (else it reads an immutable table).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "memory/registers.hpp"

namespace ew::memory {

enum class Region : u8 {
  device,      // cudaMalloc, module variables
  constant,    // .const variables: kernels may not write
  managed,     // cudaMallocManaged
  host,        // cudaMallocHost, cudaHostAlloc: mapped
  registered,  // cudaHostRegister: host pages of the program
  pool,        // gpm_map: a persistent pool's coherent image
  internal,    // printf buffers, grid barriers, heap of device malloc
  mmio         // cudaHostRegister with cudaHostRegisterIoMemory: registers of a device, never cached
};

struct Allocation {
  u64 begin = 0, size = 0;  // bytes asked for; the last byte is begin + size - 1
  Region region = Region::device;
  bool read_only = false;
  u64 number = 0;     // order of allocation, from 1: names the allocation in reports
  std::string label;  // symbol name, "cudaMalloc", pool path …
  bool live = true;
  bool for_kernels = true;  // false: a mapping of the host alone
  u64 end() const { return begin + size; }
};

/// Fixed windows of generic addresses. Never mapped: a host access faults.
inline constexpr u64 shared_window = 0x3f00'0000'0000, shared_window_bytes = u64{1} << 32;
inline constexpr u64 local_window = 0x3f80'0000'0000, local_window_bytes = u64{1} << 32;
inline constexpr u64 parameter_window = 0x3fc0'0000'0000, parameter_window_bytes = u64{1} << 32;

/// What of an address a kernel may touch.
enum class Reach : u8 {
  allocation,  // bytes of live allocations
  page         // whole pages in which a live allocation lies, as hardware checks: 2 MiB, host memory 4 KiB
};

class AddressSpace {
 public:
  /// device_bytes: capacity of the device arena (cudaMemGetInfo; allocation beyond it fails). reaches_host: kernels may
  /// use the process's own memory, too: malloc, stacks, variables (cudaDevAttrPageableMemoryAccess).
  explicit AddressSpace(u64 device_bytes, Reach reach = Reach::allocation, bool reaches_host = false);
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Address of zero-filled-on-first-use memory (device memory keeps old bytes after reuse), aligned to at least 256; 0
  /// when the arena is full.
  u64 allocate(Region, u64 size, u64 alignment, std::string label, bool read_only = false);
  /// Adds memory that exists already (cudaHostRegister, a pool's mapping). False if it overlaps a live allocation.
  bool adopt(Region, u64 begin, u64 size, std::string label, bool read_only = false);
  /// False unless `begin` is the first byte of a live allocation.
  bool release(u64 begin);
  /// Whether kernels reach the live allocation that begins here, from now on. A machine whose kernels reach all memory
  /// of the host (reaches_host) makes no difference.
  void give_to_kernels(u64 begin, bool given);

  /// A reserved, unmapped stretch of the pool arena in which a file can be mapped with MAP_FIXED; 0 when full or taken.
  u64 reserve_pool(u64 size, u64 wanted_address = 0);
  void unreserve_pool(u64 begin, u64 size);
  /// First address and bytes of the arena of pools.
  std::pair<u64, u64> pool_range() const;

  /// The live allocation that holds `address`; a snapshot, valid for any thread.
  std::optional<Allocation> find(u64 address) const;
  /// Is it in an arena, live or not? Nothing else of the process is there.
  bool reserved(u64 address) const;
  /// For reports: the live allocation nearest below and above, and the freed one that held the address.
  struct Neighbours {
    std::optional<Allocation> below, above, freed;
  };
  Neighbours neighbours(u64 address) const;
  u64 used(Region) const;
  u64 capacity() const;

  /// Bounds of a live allocation, or of its pages, for the machine's fast path: {0, 0} when there is none. A lock only
  /// after a change.
  struct Bounds {
    u64 begin = 0, end = 0;
    bool read_only = false;
    bool for_kernels = true;
  };
  Bounds bounds(u64 address) const;
  /// A live allocation holds the address, whether kernels reach it or not. As fast.
  bool holds(u64 address) const;

  bool reaches_host() const;
  /// The process may have given memory back: its mappings are read anew at the next need. Before a kernel begins.
  void forget_host_mappings();

  /// Counts every release: a cached Bounds is valid while this number stands still.
  u64 generation() const;

  /// Where live allocations stand: the arenas, then pools and what was adopted outside of the arenas, in the order of
  /// adoption.
  /// `number`: of the adopted allocation, 0 for an arena.
  struct Window {
    u64 begin = 0, end = 0;
    Region region = Region::device;
    u64 number = 0;
  };
  std::vector<Window> windows() const;
  /// Counts every change of windows().
  u64 adoptions() const;

  /// Memory that the host may use, too: accessible parts of arenas (whole pages), and what was adopted.
  std::vector<Window> seen_by_host() const;
  /// Counts every change of seen_by_host(), at least.
  u64 seen_by_host_changes() const;

  /// Of devices that the machine simulates, at windows of Region::mmio.
  RegisterWindows& registers() { return registers_; }
  const RegisterWindows& registers() const { return registers_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  RegisterWindows registers_;
};

}  // namespace ew::memory
