// Memory pools of stream-ordered allocation: their attributes. Owned by ProgramMemory, guarded by the Machine's mutex.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "core/types.hpp"
#include "driver_types.h"

struct CUmemPoolHandle_st {
  int reuse[3] = {1, 1, 1};
  ew::u64 release_threshold = 0;
};

namespace ew::runtime {

class MemoryPools {
 public:
  MemoryPools() { reset(); }
  CUmemPoolHandle_st* default_pool() const { return pools_.front().get(); }
  /// nullptr stands for the device's current pool; nullptr comes back for what is no pool.
  CUmemPoolHandle_st* find(cudaMemPool_t handle) const {
    if (!handle) return current_;
    const auto found = std::ranges::find(pools_, handle, [](const auto& owned) { return owned.get(); });
    return found == pools_.end() ? nullptr : found->get();
  }
  cudaMemPool_t create() {
    pools_.push_back(std::make_unique<CUmemPoolHandle_st>());
    return pools_.back().get();
  }
  bool destroy(cudaMemPool_t handle) {
    if (!handle || handle == default_pool() || !find(handle)) return false;
    if (current_ == handle) current_ = default_pool();
    std::erase_if(pools_, [&](const auto& owned) { return owned.get() == handle; });
    return true;
  }
  bool set_current(cudaMemPool_t handle) {
    if (!find(handle)) return false;
    current_ = handle;
    return true;
  }
  void reset() {
    std::ranges::move(pools_, std::back_inserter(gone_));
    pools_.clear();
    current_ = create();
  }

 private:
  std::vector<std::unique_ptr<CUmemPoolHandle_st>> pools_;  // the first is the device's default pool
  CUmemPoolHandle_st* current_ = nullptr;
  std::vector<std::unique_ptr<CUmemPoolHandle_st>> gone_;  // from before a reset: no new handle equals an old one
};

}  // namespace ew::runtime
