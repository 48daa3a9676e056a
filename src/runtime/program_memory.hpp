// The memory of the program: the simulated address space, and what the program has made in it by calls of the API.
// Owned by Machine, made before everything that allocates. Guarded by the Machine's mutex, except for what its parts
// allow to the machine's thread (allocations.hpp, textures.hpp).
#pragma once

#include "memory/address_space.hpp"
#include "runtime/allocations.hpp"
#include "runtime/memory_pools.hpp"
#include "runtime/textures.hpp"

namespace ew::runtime {

class ProgramMemory {
 public:
  /// `bytes`: of device memory. `reaches_host`: AddressSpace's.
  ProgramMemory(u64 bytes, memory::Reach reach, bool reaches_host)
      : space_(bytes, reach, reaches_host), allocations_(space_), textures_(allocations_) {}

  memory::AddressSpace& space() { return space_; }
  const memory::AddressSpace& space() const { return space_; }
  Allocations& allocations() { return allocations_; }
  const Allocations& allocations() const { return allocations_; }
  Textures& textures() { return textures_; }
  /// The pools of cudaMallocAsync. Persistent pools are PersistentMemory's.
  MemoryPools& async_pools() { return async_pools_; }

  /// cudaDeviceReset: all of it is given back.
  void reset() {
    async_pools_.reset();
    textures_.reset();
    allocations_.release_all();
  }

 private:
  memory::AddressSpace space_;
  Allocations allocations_;
  Textures textures_;
  MemoryPools async_pools_;
};

}  // namespace ew::runtime
