// Copies of every kind and shape, and fills.
#include "cuda_runtime_api.h"
#include "runtime/transfer.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

cudaError_t copy(CopyWork work, cudaMemcpyKind kind, Waiting waiting, cudaStream_t handle = nullptr) {
  return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) {
    return transfer(machine, lock, stream, std::move(work), kind, waiting);
  });
}

CopyWork plane_copy(Place3D to, Place3D from, u64 width, u64 height) {
  CopyWork work;
  work.to = to;
  work.from = from;
  work.width = width;
  work.height = height;
  return work;
}

Place3D plane(const void* pointer, u64 pitch, u64 height) {
  return {reinterpret_cast<u64>(pointer), pitch, (core::Checked(pitch) * height).value()};
}

CopyWork pitched_copy(void* to, u64 to_pitch, const void* from, u64 from_pitch, u64 width, u64 height) {
  return plane_copy(plane(to, to_pitch, height), plane(from, from_pitch, height), width, height);
}

cudaError_t copy3d(const cudaMemcpy3DParms* parameters, Waiting waiting, cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    if (!parameters) return cudaErrorInvalidValue;
    CopyWork work;
    if (const cudaError_t error = describe(machine, *parameters, work)) return error;
    return transfer(machine, lock, stream, std::move(work), parameters->kind, waiting);
  });
}

bool inside(const cudaArray& array, u64 x, u64 y, u64 width, u64 height) {
  return core::lies_within(x, width, 0, array.pitch()) && core::lies_within(y, height, 0, array.rows());
}

/// The same for bytes in row order.
bool stretch_inside(const cudaArray& array, u64 x, u64 y, u64 count) {
  const core::Checked first = core::Checked(y) * array.pitch() + x;
  return x <= array.pitch() && first.fits() && core::lies_within(first.value(), count, 0, array.bytes());
}

/// Between memory and an array, as a rectangle of `width` bytes and `height` rows at byte x, row y.
cudaError_t array_copy(cudaArray_const_t handle, u64 x, u64 y, void* pointer, u64 pitch, u64 width, u64 height,
                       cudaMemcpyKind kind, bool into_array, Waiting waiting, cudaStream_t stream_handle) {
  return stream_api(stream_handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    const cudaArray* array = machine.memory().textures().find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!inside(*array, x, y, width, height)) return cudaErrorInvalidValue;
    const Place3D in_array = place_in(*array, x, y, 0);
    const Place3D outside = plane(pointer, pitch, height);
    CopyWork work =
        into_array ? plane_copy(in_array, outside, width, height) : plane_copy(outside, in_array, width, height);
    return transfer(machine, lock, stream, std::move(work), kind, waiting);
  });
}

/// `count` bytes of an array in row order from byte x of row y: the old one-dimensional calls.
cudaError_t stretch_copy(cudaArray_const_t handle, u64 x, u64 y, void* pointer, u64 count, cudaMemcpyKind kind,
                         bool into_array, Waiting waiting, cudaStream_t stream_handle) {
  return stream_api(stream_handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    const cudaArray* array = machine.memory().textures().find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (!stretch_inside(*array, x, y, count)) return cudaErrorInvalidValue;
    void* in_array = reinterpret_cast<void*>(place_in(*array, x, y, 0).address);
    CopyWork work =
        into_array ? linear_copy(in_array, pointer, count, kind) : linear_copy(pointer, in_array, count, kind);
    return transfer(machine, lock, stream, std::move(work), kind, waiting);
  });
}

cudaError_t symbol_copy(const void* symbol, u64 offset, void* other, u64 count, cudaMemcpyKind kind, bool into_symbol,
                        Waiting waiting, cudaStream_t stream_handle) {
  return stream_api(stream_handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    const cudaMemcpyKind outside = into_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != outside && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return cudaErrorInvalidMemcpyDirection;
    void* address = nullptr;
    if (const cudaError_t error = symbol_place(machine, symbol, offset, count, address)) return error;
    CopyWork work = into_symbol ? linear_copy(address, other, count, kind) : linear_copy(other, address, count, kind);
    return transfer(machine, lock, stream, std::move(work), kind, waiting);
  });
}

cudaError_t set(Place3D to, int value, u64 width, u64 height, u64 depth, Waiting waiting, cudaStream_t handle) {
  return stream_api(handle, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    if (width > to.pitch) return cudaErrorInvalidValue;
    SetWork work;
    work.to = to;
    work.width = width;
    work.height = height;
    work.depth = depth;
    work.value = static_cast<u32>(value) & 0xff;
    return fill(machine, lock, stream, work, waiting);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return copy(linear_copy(dst, src, count, kind), kind, Waiting::yes);
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(linear_copy(dst, src, count, kind), kind, Waiting::no, stream);
}

cudaError_t cudaMemcpyPeer(void* dst, int to, const void* src, int from, size_t count) {
  if (to != 0 || from != 0) return keep(cudaErrorInvalidDevice);
  return copy(linear_copy(dst, src, count, cudaMemcpyDeviceToDevice), cudaMemcpyDeviceToDevice, Waiting::yes);
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int to, const void* src, int from, size_t count, cudaStream_t stream) {
  if (to != 0 || from != 0) return keep(cudaErrorInvalidDevice);
  return copy(linear_copy(dst, src, count, cudaMemcpyDeviceToDevice), cudaMemcpyDeviceToDevice, Waiting::no, stream);
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  if (width > dpitch || width > spitch) return keep(cudaErrorInvalidPitchValue);
  return copy(pitched_copy(dst, dpitch, src, spitch, width, height), kind, Waiting::yes);
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (width > dpitch || width > spitch) return keep(cudaErrorInvalidPitchValue);
  return copy(pitched_copy(dst, dpitch, src, spitch, width, height), kind, Waiting::no, stream);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return array_copy(dst, x, y, const_cast<void*>(src), pitch, width, height, kind, true, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void* src, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return array_copy(dst, x, y, const_cast<void*>(src), pitch, width, height, kind, true, Waiting::no, stream);
}

cudaError_t cudaMemcpy2DFromArray(void* dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return array_copy(src, x, y, dst, pitch, width, height, kind, false, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return array_copy(src, x, y, dst, pitch, width, height, kind, false, Waiting::no, stream);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t to_x, size_t to_y, cudaArray_const_t src, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  return stream_api(nullptr, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    const cudaArray* to = machine.memory().textures().find(dst);
    const cudaArray* from = machine.memory().textures().find(src);
    if (!to || !from) return cudaErrorInvalidResourceHandle;
    if (!inside(*to, to_x, to_y, width, height) || !inside(*from, from_x, from_y, width, height))
      return cudaErrorInvalidValue;
    CopyWork work = plane_copy(place_in(*to, to_x, to_y, 0), place_in(*from, from_x, from_y, 0), width, height);
    return transfer(machine, lock, stream, std::move(work), kind, Waiting::yes);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void* src, size_t count, cudaMemcpyKind kind) {
  return stretch_copy(dst, x, y, const_cast<void*>(src), count, kind, true, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void* src, size_t count,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return stretch_copy(dst, x, y, const_cast<void*>(src), count, kind, true, Waiting::no, stream);
}

cudaError_t cudaMemcpyFromArray(void* dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                cudaMemcpyKind kind) {
  return stretch_copy(src, x, y, dst, count, kind, false, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpyFromArrayAsync(void* dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return stretch_copy(src, x, y, dst, count, kind, false, Waiting::no, stream);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t to_x, size_t to_y, cudaArray_const_t src, size_t from_x,
                                   size_t from_y, size_t count, cudaMemcpyKind kind) {
  return stream_api(nullptr, [&](Machine& machine, ApiLock& lock, CUstream_st& stream) -> cudaError_t {
    const cudaArray* to = machine.memory().textures().find(dst);
    const cudaArray* from = machine.memory().textures().find(src);
    if (!to || !from) return cudaErrorInvalidResourceHandle;
    if (!stretch_inside(*to, to_x, to_y, count) || !stretch_inside(*from, from_x, from_y, count))
      return cudaErrorInvalidValue;
    void* into = reinterpret_cast<void*>(place_in(*to, to_x, to_y, 0).address);
    const void* out_of = reinterpret_cast<void*>(place_in(*from, from_x, from_y, 0).address);
    return transfer(machine, lock, stream, linear_copy(into, out_of, count, kind), kind, Waiting::yes);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy3d(parameters, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy3d(parameters, Waiting::no, stream);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return cudaMemcpy3DPeerAsync(p, nullptr);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  if (!p) return keep(cudaErrorInvalidValue);
  if (p->srcDevice != 0 || p->dstDevice != 0) return keep(cudaErrorInvalidDevice);
  const cudaMemcpy3DParms parameters{p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                     p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
  return copy3d(&parameters, Waiting::no, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset, cudaMemcpyKind kind) {
  return symbol_copy(symbol, offset, const_cast<void*>(src), count, kind, true, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return symbol_copy(symbol, offset, dst, count, kind, false, Waiting::yes, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return symbol_copy(symbol, offset, const_cast<void*>(src), count, kind, true, Waiting::no, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return symbol_copy(symbol, offset, dst, count, kind, false, Waiting::no, stream);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!pointer) return cudaErrorInvalidValue;
    return symbol_place(machine, symbol, 0, 0, *pointer);
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    Symbol found;
    if (!size) return cudaErrorInvalidValue;
    if (const cudaError_t error = machine.modules().symbol(symbol, found)) return error;
    *size = found.size;
    return cudaSuccess;
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return set({reinterpret_cast<u64>(pointer), count, count}, value, count, 1, 1, Waiting::yes, nullptr);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return set({reinterpret_cast<u64>(pointer), count, count}, value, count, 1, 1, Waiting::no, stream);
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return set(plane(pointer, pitch, height), value, width, height, 1, Waiting::yes, nullptr);
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return set(plane(pointer, pitch, height), value, width, height, 1, Waiting::no, stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return set(plane(p.ptr, p.pitch, p.ysize), value, extent.width, extent.height, extent.depth, Waiting::yes, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream) {
  return set(plane(p.ptr, p.pitch, p.ysize), value, extent.width, extent.height, extent.depth, Waiting::no, stream);
}

}  // extern "C"
