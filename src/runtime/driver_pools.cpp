// The driver API's memory pools, and what it tells of ranges of managed memory. A pool is one of the runtime API.
#include "cuda_runtime_api.h"
#include "runtime/driver_api.hpp"

using namespace ew;
using namespace ew::runtime;

extern "C" {

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return through_runtime([&] { return cudaMemPoolCreate(pool, same<const cudaMemPoolProps>(properties)); });
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return through_runtime([&] { return cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep) {
  return through_runtime([&] { return cudaMemPoolTrimTo(pool, bytes_to_keep); });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return through_runtime([&] { return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return through_runtime([&] { return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value); });
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list, size_t count) {
  return through_runtime([&] { return cudaMemPoolSetAccess(pool, same<const cudaMemAccessDesc>(list), count); });
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return through_runtime(
      [&] { return cudaMemPoolGetAccess(same<cudaMemAccessFlags>(flags), pool, same<cudaMemLocation>(location)); });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  if (!address) return CUDA_ERROR_INVALID_VALUE;
  return through_runtime(
      [&] { return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream); });
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return through_runtime([&] { return cudaDeviceGetDefaultMemPool(pool, device); }, Needs::initialization);
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return through_runtime([&] { return cudaDeviceGetMemPool(pool, device); }, Needs::initialization);
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return through_runtime([&] { return cudaDeviceSetMemPool(device, pool); }, Needs::initialization);
}

CUresult cuMemRangeGetAttribute(void* data, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                                size_t count) {
  return through_runtime([&] {
    return cudaMemRangeGetAttribute(data, size, static_cast<cudaMemRangeAttribute>(attribute),
                                    pointer_of<const void>(address), count);
  });
}
CUresult cuMemRangeGetAttributes(void** data, size_t* sizes, CUmem_range_attribute* attributes, size_t number,
                                 CUdeviceptr address, size_t count) {
  return through_runtime([&] {
    return cudaMemRangeGetAttributes(data, sizes, same<cudaMemRangeAttribute>(attributes), number,
                                     pointer_of<const void>(address), count);
  });
}

}  // extern "C"
