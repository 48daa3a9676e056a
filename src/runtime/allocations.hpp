// What the program has allocated through the API, by first byte: which call made it decides which call may free it, and
// what cudaPointerGetAttributes says. The bytes belong to the AddressSpace. Thread-safe (cudaFreeAsync frees on the
// machine's thread).
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include "core/types.hpp"
#include "memory/address_space.hpp"

namespace ew::runtime {

enum class AllocatedBy : u8 { device, host, managed, registered, pool_device, array };

struct Block {
  u64 begin = 0, size = 0;
  AllocatedBy by = AllocatedBy::device;
  unsigned flags = 0;
  const void* pool = nullptr;  // the memory pool of cudaMallocAsync
  int preferred_location = -2, prefetch_location = -2, read_mostly = 0,
      accessed_by = -2;  // cudaMemAdvise, kept to be asked for
};

class Allocations {
 public:
  explicit Allocations(memory::AddressSpace& memory) : memory_(memory) {}

  /// 0: device memory is full.
  u64 allocate(AllocatedBy, u64 size, u64 alignment, const char* label, unsigned flags = 0, const void* pool = nullptr);
  /// False: overlaps memory that is known already.
  bool adopt_registered(memory::Region, u64 begin, u64 size, unsigned flags);
  /// False: not the first byte of an allocation made by one of the given calls (a bit set of 1 << AllocatedBy).
  bool release(u64 begin, u32 by);
  std::optional<Block> find(u64 address) const;
  /// Changes what is remembered of the block that holds `address`.
  template <class F>
  void update(u64 address, F change) {
    std::lock_guard lock(mutex_);
    auto found = holder(address);
    if (found != blocks_.end()) change(found->second);
  }
  void release_all();
  /// Bytes that cudaMallocAsync has given out of a pool, now and at most.
  struct PoolUse {
    u64 now = 0, high = 0;
  };
  PoolUse pool_use(const void* pool) const;
  /// What is used now is the most from here on.
  void reset_pool_high(const void* pool);
  /// The host touches [begin, begin + size), too.
  void note_shared(u64 begin, u64 size);
  /// A range that every managed, mapped or registered address lies in: a cheap first test for traced host accesses.
  std::pair<u64, u64> shared_range() const { return {shared_low_, shared_high_}; }

 private:
  std::map<u64, Block>::iterator holder(u64 address);

  mutable std::mutex mutex_;
  memory::AddressSpace& memory_;
  std::map<u64, Block> blocks_;
  std::map<const void*, PoolUse> pool_use_;
  std::atomic<u64> shared_low_{~u64{0}}, shared_high_{0};
};

inline constexpr u32 bit(AllocatedBy by) {
  return 1u << static_cast<u32>(by);
}

}  // namespace ew::runtime
