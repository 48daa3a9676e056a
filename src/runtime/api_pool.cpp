// Stream-ordered allocation: cudaMallocAsync and memory pools. A pool here is a name and its accounting: the bytes come
// from device memory when asked for and go back when the stream reaches the free.
#include <algorithm>
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/host_range.hpp"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

template <class F>
cudaError_t pool_api(cudaMemPool_t handle, F&& call) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    CUmemPoolHandle_st* pool = machine.memory().async_pools().find(handle);
    if (!pool) return cudaErrorInvalidValue;
    return call(machine, *pool);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool_handle, cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    const CUmemPoolHandle_st* pool = machine.memory().async_pools().find(pool_handle);
    if (!pointer || !pool) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (size == 0) return cudaSuccess;
    const void* account = stream.capture ? static_cast<const void*>(&machine.work().graphs()) : pool;
    const u64 address =
        machine.memory().allocations().allocate(AllocatedBy::pool_device, size, 256, "cudaMallocAsync", 0, account);
    if (address == 0) return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void*>(address);
    if (!stream.capture) return cudaSuccess;  // the address may be used by any later work; nothing has to wait for it
    cudaMemAllocNodeParams parameters{};
    parameters.bytesize = size;
    parameters.dptr = *pointer;
    return machine.work().enqueue(stream, AllocateWork{parameters});
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) return cudaErrorNotSupported;
    if (properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
      return cudaErrorInvalidDevice;
    *pool = machine.memory().async_pools().create();
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Machine& machine, ApiLock&) {
    return machine.memory().async_pools().destroy(pool) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return pool_api(handle, [](Machine&, CUmemPoolHandle_st&) { return cudaSuccess; });  // nothing is held back
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return pool_api(handle, [&](Machine& machine, CUmemPoolHandle_st& pool) {
    if (!value) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        std::memcpy(&pool.reuse[attribute - 1], value, sizeof(int));
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        std::memcpy(&pool.release_threshold, value, sizeof pool.release_threshold);
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        machine.memory().allocations().reset_pool_high(&pool);
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return pool_api(handle, [&](Machine& machine, CUmemPoolHandle_st& pool) {
    if (!value) return cudaErrorInvalidValue;
    const auto use = machine.memory().allocations().pool_use(&pool);
    const auto give = [&](u64 number) {
      std::memcpy(value, &number, sizeof number);
      return cudaSuccess;
    };
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        std::memcpy(value, &pool.reuse[attribute - 1], sizeof(int));
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        return give(pool.release_threshold);
      case cudaMemPoolAttrReservedMemCurrent:
      case cudaMemPoolAttrUsedMemCurrent:
        return give(use.now);
      case cudaMemPoolAttrReservedMemHigh:
      case cudaMemPoolAttrUsedMemHigh:
        return give(use.high);
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list, size_t count) {
  return pool_api(handle, [&](Machine&, CUmemPoolHandle_st&) {
    if (!has_elements(list, count)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0) return cudaErrorInvalidDevice;
      if (list[i].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;  // the owner keeps its access
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
  return pool_api(handle, [&](Machine&, CUmemPoolHandle_st&) {
    if (!flags || !location || location->type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    *flags = location->id == 0 ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!pool) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *pool = machine.memory().async_pools().default_pool();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!pool) return cudaErrorInvalidValue;
    if (device != 0) return cudaErrorInvalidDevice;
    *pool = machine.memory().async_pools().find(nullptr);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    return handle && machine.memory().async_pools().set_current(handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // extern "C"
