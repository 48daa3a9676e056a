// The driver API's memory: allocation, copies, fills, pointer attributes.
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/driver_api.hpp"
#include "runtime/host_range.hpp"
#include "runtime/transfer.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  u64 pitch, height, x, y, z;
};

/// Where a side of a driver copy begins; with an array x counts bytes.
cudaError_t place(Machine& machine, const Side& side, const CUDA_MEMCPY3D& copy, Place3D& result) {
  if (side.type == CU_MEMORYTYPE_ARRAY) {
    const cudaArray* array = machine.memory().textures().find(reinterpret_cast<cudaArray_t>(side.array));
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!core::lies_within(side.x, copy.WidthInBytes, 0, array->pitch()) ||
        !core::lies_within(side.y, copy.Height, 0, array->rows()) ||
        !core::lies_within(side.z, copy.Depth, 0, array->planes()))
      return cudaErrorInvalidValue;
    result = place_in(*array, side.x, side.y, side.z);
    return cudaSuccess;
  }
  const u64 base = side.type == CU_MEMORYTYPE_HOST ? reinterpret_cast<u64>(side.host) : side.device;
  const u64 pitch = side.pitch ? side.pitch : copy.WidthInBytes;
  const u64 rows = side.height ? side.height : copy.Height;
  if (base == 0 || !core::lies_within(side.x, copy.WidthInBytes, 0, pitch)) return cudaErrorInvalidValue;
  return place_3d(base, pitch, rows, side.x, side.y, side.z, result) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t ew::runtime::describe(Machine& machine, const CUDA_MEMCPY3D* p, CopyWork& work) {
  if (!p || p->srcLOD != 0 || p->dstLOD != 0) return cudaErrorInvalidValue;
  const Side to{p->dstMemoryType, p->dstHost,     p->dstDevice, p->dstArray, p->dstPitch,
                p->dstHeight,     p->dstXInBytes, p->dstY,      p->dstZ};
  const Side from{p->srcMemoryType, p->srcHost,     p->srcDevice, p->srcArray, p->srcPitch,
                  p->srcHeight,     p->srcXInBytes, p->srcY,      p->srcZ};
  if (const cudaError_t error = place(machine, to, *p, work.to)) return error;
  if (const cudaError_t error = place(machine, from, *p, work.from)) return error;
  work.width = p->WidthInBytes;
  work.height = p->Height;
  work.depth = p->Depth;
  return cudaSuccess;
}

namespace {

cudaMemLocation runtime_location(CUmemLocation location) {
  return {static_cast<cudaMemLocationType>(location.type), location.id};
}

CUresult copy(CUdeviceptr to, const void* from, size_t count, cudaMemcpyKind kind) {
  return through_runtime([&] { return cudaMemcpy(pointer_of<void>(to), from, count, kind); });
}

CUresult copy_async(CUdeviceptr to, const void* from, size_t count, cudaMemcpyKind kind, CUstream stream) {
  return through_runtime([&] { return cudaMemcpyAsync(pointer_of<void>(to), from, count, kind, stream); });
}

CUresult set(CUdeviceptr to, u64 pitch, u32 value, u32 element, u64 width, u64 height, Waiting waiting,
             CUstream handle) {
  return through_runtime([&] {
    return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
      if (to % element != 0 || (height > 1 && pitch % element != 0)) return cudaErrorInvalidValue;
      SetWork work;
      work.to = {to, pitch, (core::Checked(pitch) * height).value()};
      work.width = width;
      work.height = height;
      work.value = value;
      work.element = element;
      return fill(machine, lock, stream, work, waiting);
    });
  });
}

CUresult linear_set(CUdeviceptr to, u32 value, u32 element, u64 n, Waiting waiting, CUstream stream) {
  return set(to, (core::Checked(n) * element).value(), value, element, n, 1, waiting, stream);
}

CUresult copy3d(const CUDA_MEMCPY3D* p, Waiting waiting, CUstream handle) {
  return through_runtime([&] {
    return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
      CopyWork work;
      if (const cudaError_t error = describe(machine, p, work)) return error;
      return transfer(machine, lock, stream, std::move(work), cudaMemcpyDefault, waiting);
    });
  });
}

CUresult copy2d(const CUDA_MEMCPY2D* p, Waiting waiting, CUstream stream) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D all{};
  all.srcXInBytes = p->srcXInBytes;
  all.srcY = p->srcY;
  all.srcMemoryType = p->srcMemoryType;
  all.srcHost = p->srcHost;
  all.srcDevice = p->srcDevice;
  all.srcArray = p->srcArray;
  all.srcPitch = p->srcPitch;
  all.dstXInBytes = p->dstXInBytes;
  all.dstY = p->dstY;
  all.dstMemoryType = p->dstMemoryType;
  all.dstHost = p->dstHost;
  all.dstDevice = p->dstDevice;
  all.dstArray = p->dstArray;
  all.dstPitch = p->dstPitch;
  all.WidthInBytes = p->WidthInBytes;
  all.Height = p->Height;
  all.Depth = 1;
  return copy3d(&all, waiting, stream);
}

cudaArray_t array_of(CUarray handle) {
  return reinterpret_cast<cudaArray_t>(handle);
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return through_runtime([&] { return cudaMemGetInfo(free, total); });
}
CUresult cuMemAlloc(CUdeviceptr* address, size_t size) {
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  return through_runtime([&] { return cudaMalloc(reinterpret_cast<void**>(address), size); });
}
CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
  return through_runtime([&] { return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height); });
}
CUresult cuMemFree(CUdeviceptr address) {
  return through_runtime([&] { return cudaFree(pointer_of<void>(address)); });
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const auto found = machine.memory().space().find(address);
    if (!found) return cudaErrorSymbolNotFound;
    if (base) *base = found->begin;
    if (size) *size = found->size;
    return cudaSuccess;
  });
}
CUresult cuMemAllocHost(void** pointer, size_t size) {
  return through_runtime([&] { return cudaMallocHost(pointer, size); });
}
CUresult cuMemFreeHost(void* pointer) {
  return through_runtime([&] { return cudaFreeHost(pointer); });
}
CUresult cuMemHostAlloc(void** pointer, size_t size, unsigned flags) {
  return through_runtime([&] { return cudaHostAlloc(pointer, size, flags); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned flags) {
  return through_runtime([&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), pointer, flags); });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  return through_runtime([&] { return cudaHostGetFlags(flags, pointer); });
}
CUresult cuMemHostRegister(void* pointer, size_t size, unsigned flags) {
  return through_runtime([&] { return cudaHostRegister(pointer, size, flags); });
}
CUresult cuMemHostUnregister(void* pointer) {
  return through_runtime([&] { return cudaHostUnregister(pointer); });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t size, unsigned flags) {
  return through_runtime([&] { return cudaMallocManaged(reinterpret_cast<void**>(address), size, flags); });
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t size, CUstream stream) {
  return through_runtime([&] { return cudaMallocAsync(reinterpret_cast<void**>(address), size, stream); });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return through_runtime([&] { return cudaFreeAsync(pointer_of<void>(address), stream); });
}
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t count, CUdevice device, CUstream stream) {
  return through_runtime([&] { return cudaMemPrefetchAsync(pointer_of<void>(address), count, device, stream); });
}
CUresult cuMemAdvise(CUdeviceptr address, size_t count, CUmem_advise advice, CUdevice device) {
  return through_runtime(
      [&] { return cudaMemAdvise(pointer_of<void>(address), count, static_cast<cudaMemoryAdvise>(advice), device); });
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t count, CUmemLocation location, unsigned flags,
                               CUstream stream) {
  return through_runtime([&] {
    return cudaMemPrefetchAsync_v2(pointer_of<void>(address), count, runtime_location(location), flags, stream);
  });
}
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t count, CUmem_advise advice, CUmemLocation location) {
  return through_runtime([&] {
    return cudaMemAdvise_v2(pointer_of<void>(address), count, static_cast<cudaMemoryAdvise>(advice),
                            runtime_location(location));
  });
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const auto found = machine.memory().space().find(address);
    if (!data || !found) return cudaErrorInvalidValue;
    using memory::Region;
    const bool host = found->region == Region::host || found->region == Region::registered ||
                      found->region == Region::pool || found->region == Region::mmio;
    const auto give = [&](auto value) {
      std::memcpy(data, &value, sizeof value);
      return cudaSuccess;
    };
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        return give(primary_context());
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return give(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return give(address);
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && found->region != Region::managed) return cudaErrorInvalidValue;
        return give(address);
      case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        return give(0);
      case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return give(found->number);
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return give(static_cast<int>(found->region == Region::managed));
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return give(0);
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return give(found->begin);
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return give(found->size);
      case CU_POINTER_ATTRIBUTE_MAPPED:
        return give(1);
      case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return cudaErrorNotSupported;
    }
    return cudaErrorInvalidValue;
  });
}

CUresult cuPointerGetAttributes(unsigned number, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  if (!attributes || !data || !has_elements(attributes, number) || !has_elements(data, number))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < number; ++i)
    if (const CUresult error = cuPointerGetAttribute(data[i], attributes[i], address)) return error;
  return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t count) {
  return copy(to, pointer_of<void>(from), count, cudaMemcpyDefault);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t count) {
  return copy(to, pointer_of<void>(from), count, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t count, CUstream stream) {
  return copy_async(to, pointer_of<void>(from), count, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t count) {
  return copy(to, from, count, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t count) {
  return copy(reinterpret_cast<CUdeviceptr>(to), pointer_of<void>(from), count, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t count) {
  return copy(to, pointer_of<void>(from), count, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t count, CUstream stream) {
  return copy_async(to, pointer_of<void>(from), count, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t count, CUstream stream) {
  return copy_async(to, from, count, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t count, CUstream stream) {
  return copy_async(reinterpret_cast<CUdeviceptr>(to), pointer_of<void>(from), count, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t count, CUstream stream) {
  return copy_async(to, pointer_of<void>(from), count, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t count) {
  return through_runtime([&] {
    return cudaMemcpyToArray(array_of(to), offset, 0, pointer_of<void>(from), count, cudaMemcpyDeviceToDevice);
  });
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t count) {
  return through_runtime([&] {
    return cudaMemcpyFromArray(pointer_of<void>(to), array_of(from), offset, 0, count, cudaMemcpyDeviceToDevice);
  });
}
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t count) {
  return through_runtime(
      [&] { return cudaMemcpyToArray(array_of(to), offset, 0, from, count, cudaMemcpyHostToDevice); });
}
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t count) {
  return through_runtime(
      [&] { return cudaMemcpyFromArray(to, array_of(from), offset, 0, count, cudaMemcpyDeviceToHost); });
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t count) {
  return through_runtime([&] {
    return cudaMemcpyArrayToArray(array_of(to), to_offset, 0, array_of(from), from_offset, 0, count,
                                  cudaMemcpyDeviceToDevice);
  });
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* p) {
  return copy2d(p, Waiting::yes, nullptr);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* p) {
  return copy2d(p, Waiting::yes, nullptr);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* p, CUstream stream) {
  return copy2d(p, Waiting::no, stream);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* p) {
  return copy3d(p, Waiting::yes, nullptr);
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* p, CUstream stream) {
  return copy3d(p, Waiting::no, stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t n) {
  return linear_set(to, value, 1, n, Waiting::yes, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t n) {
  return linear_set(to, value, 2, n, Waiting::yes, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t n) {
  return linear_set(to, value, 4, n, Waiting::yes, nullptr);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return set(to, pitch, value, 1, width, height, Waiting::yes, nullptr);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return set(to, pitch, value, 2, width, height, Waiting::yes, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return set(to, pitch, value, 4, width, height, Waiting::yes, nullptr);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream) {
  return set(to, pitch, value, 1, width, height, Waiting::no, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream) {
  return set(to, pitch, value, 2, width, height, Waiting::no, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                            CUstream stream) {
  return set(to, pitch, value, 4, width, height, Waiting::no, stream);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream) {
  return linear_set(to, value, 1, n, Waiting::no, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream) {
  return linear_set(to, value, 2, n, Waiting::no, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t n, CUstream stream) {
  return linear_set(to, value, 4, n, Waiting::no, stream);
}

}  // extern "C"

EW_ALSO_CALLED(cuMemGetInfo, cuMemGetInfo_v2);
EW_ALSO_CALLED(cuMemAlloc, cuMemAlloc_v2);
EW_ALSO_CALLED(cuMemAllocPitch, cuMemAllocPitch_v2);
EW_ALSO_CALLED(cuMemFree, cuMemFree_v2);
EW_ALSO_CALLED(cuMemGetAddressRange, cuMemGetAddressRange_v2);
EW_ALSO_CALLED(cuMemAllocHost, cuMemAllocHost_v2);
EW_ALSO_CALLED(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2);
EW_ALSO_CALLED(cuMemHostRegister, cuMemHostRegister_v2);
EW_ALSO_CALLED(cuMemcpyHtoD, cuMemcpyHtoD_v2);
EW_ALSO_CALLED(cuMemcpyDtoH, cuMemcpyDtoH_v2);
EW_ALSO_CALLED(cuMemcpyDtoD, cuMemcpyDtoD_v2);
EW_ALSO_CALLED(cuMemcpyDtoA, cuMemcpyDtoA_v2);
EW_ALSO_CALLED(cuMemcpyAtoD, cuMemcpyAtoD_v2);
EW_ALSO_CALLED(cuMemcpyHtoA, cuMemcpyHtoA_v2);
EW_ALSO_CALLED(cuMemcpyAtoH, cuMemcpyAtoH_v2);
EW_ALSO_CALLED(cuMemcpyAtoA, cuMemcpyAtoA_v2);
EW_ALSO_CALLED(cuMemcpy2D, cuMemcpy2D_v2);
EW_ALSO_CALLED(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2);
EW_ALSO_CALLED(cuMemcpy3D, cuMemcpy3D_v2);
EW_ALSO_CALLED(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2);
EW_ALSO_CALLED(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2);
EW_ALSO_CALLED(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2);
EW_ALSO_CALLED(cuMemcpy2DAsync, cuMemcpy2DAsync_v2);
EW_ALSO_CALLED(cuMemcpy3DAsync, cuMemcpy3DAsync_v2);
EW_ALSO_CALLED(cuMemsetD8, cuMemsetD8_v2);
EW_ALSO_CALLED(cuMemsetD16, cuMemsetD16_v2);
EW_ALSO_CALLED(cuMemsetD32, cuMemsetD32_v2);
EW_ALSO_CALLED(cuMemsetD2D8, cuMemsetD2D8_v2);
EW_ALSO_CALLED(cuMemsetD2D16, cuMemsetD2D16_v2);
EW_ALSO_CALLED(cuMemsetD2D32, cuMemsetD2D32_v2);
