// The heap behind malloc and free in kernels: one allocation of cudaLimitMallocHeapSize bytes, made at first use,
// divided first-fit. Owned by KernelServices; used by the machine's thread only.
#pragma once

#include <map>

#include "core/types.hpp"
#include "memory/address_space.hpp"
#include "memory/gaps.hpp"

namespace ew::runtime {

class DeviceHeap {
 public:
  DeviceHeap(memory::AddressSpace& memory, u64 capacity) : memory_(memory), capacity_(capacity) {}
  /// Aligned to 16; 0 when exhausted or `bytes` is 0.
  u64 allocate(u64 bytes);
  /// False unless `address` is what allocate() gave and has not been freed. free(nullptr) is the caller's to allow.
  bool release(u64 address);
  u64 capacity() const { return capacity_; }
  bool used() const { return begin_ != 0; }
  /// REQUIRES: not used().
  void set_capacity(u64 bytes) { capacity_ = bytes; }
  /// Forgets everything and gives the memory back.
  void reset();

 private:
  void set_free(u64 begin, u64 size);

  memory::AddressSpace& memory_;
  u64 capacity_ = 0, begin_ = 0;
  std::map<u64, u64> free_;  // begin -> size, neighbours joined
  memory::Gaps gaps_;        // the same, to be searched
  std::map<u64, u64> live_;
};

}  // namespace ew::runtime
