// The driver API's arrays, texture and surface objects, and texture references.
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/driver_api.hpp"

using namespace ew;
using namespace ew::runtime;

/// A .texref variable of a module: what it is bound to is remade as a texture object at every change.
struct CUtexref_st {
  Symbol symbol;
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindFloat};
  unsigned flags = 0;  // CU_TRSF_…: what they mean depends on the format that is bound
  bool bound = false;
  u64 object = 0;
};

namespace {

cudaChannelFormatDesc channels(CUarray_format format, unsigned count) {
  int bits = 32;
  cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      bits = 8;
      kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      bits = 16;
      kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
      kind = cudaChannelFormatKindUnsigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8;
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT16:
      bits = 16;
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_SIGNED_INT32:
      kind = cudaChannelFormatKindSigned;
      break;
    case CU_AD_FORMAT_HALF:
      bits = 16;
      break;
    case CU_AD_FORMAT_FLOAT:
      break;
  }
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}

CUarray_format format_of(const cudaChannelFormatDesc& d) {
  if (d.f == cudaChannelFormatKindFloat) return d.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const bool sign = d.f == cudaChannelFormatKindSigned;
  if (d.x == 8) return sign ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8;
  if (d.x == 16) return sign ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_UNSIGNED_INT16;
  return sign ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32;
}

unsigned count_of(const cudaChannelFormatDesc& d) {
  return d.w ? 4 : d.z ? 3 : d.y ? 2 : 1;
}

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& from) {
  cudaResourceDesc to{};
  to.resType = static_cast<cudaResourceType>(from.resType);
  switch (from.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.res.array.array = reinterpret_cast<cudaArray_t>(from.res.array.hArray);
      break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      to.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(from.res.mipmap.hMipmappedArray);
      break;
    case CU_RESOURCE_TYPE_LINEAR:
      to.res.linear.devPtr = pointer_of<void>(from.res.linear.devPtr);
      to.res.linear.desc = channels(from.res.linear.format, from.res.linear.numChannels);
      to.res.linear.sizeInBytes = from.res.linear.sizeInBytes;
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      to.res.pitch2D.devPtr = pointer_of<void>(from.res.pitch2D.devPtr);
      to.res.pitch2D.desc = channels(from.res.pitch2D.format, from.res.pitch2D.numChannels);
      to.res.pitch2D.width = from.res.pitch2D.width;
      to.res.pitch2D.height = from.res.pitch2D.height;
      to.res.pitch2D.pitchInBytes = from.res.pitch2D.pitchInBytes;
      break;
  }
  return to;
}

bool integer_of_8_or_16(const cudaChannelFormatDesc& d) {
  return d.f != cudaChannelFormatKindFloat && d.x < 32;
}

/// CUDA's driver reads 8- and 16-bit integers as normalised floats unless told otherwise.
cudaTextureReadMode read_mode(unsigned flags, const cudaChannelFormatDesc& format) {
  const bool as_integer = (flags & CU_TRSF_READ_AS_INTEGER) != 0 || !integer_of_8_or_16(format);
  return as_integer ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
}

cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& from, const cudaChannelFormatDesc& format) {
  cudaTextureDesc to{};
  for (int i = 0; i < 3; ++i) to.addressMode[i] = static_cast<cudaTextureAddressMode>(from.addressMode[i]);
  to.filterMode = static_cast<cudaTextureFilterMode>(from.filterMode);
  to.readMode = read_mode(from.flags, format);
  to.normalizedCoords = (from.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  to.sRGB = (from.flags & CU_TRSF_SRGB) != 0;
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), to.borderColor);
  return to;
}

cudaChannelFormatDesc format_in(Machine& machine, const cudaResourceDesc& resource) {
  if (resource.resType == cudaResourceTypeLinear) return resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) return resource.res.pitch2D.desc;
  const cudaArray* array =
      resource.resType == cudaResourceTypeArray ? machine.memory().textures().find(resource.res.array.array) : nullptr;
  return array ? array->format : cudaChannelFormatDesc{};
}

/// Makes the object of a bound reference again and writes its handle to the module's variable.
cudaError_t rebind(Machine& machine, CUtexref_st& reference) {
  if (!reference.bound) return cudaSuccess;
  if (reference.object) machine.memory().textures().destroy_object(reference.object, false);
  reference.object = 0;
  reference.texture.readMode = read_mode(reference.flags, reference.format);
  const cudaError_t error =
      machine.memory().textures().create_texture(reference.resource, reference.texture, nullptr, reference.object);
  std::memcpy(reinterpret_cast<void*>(reference.symbol.address), &reference.object, sizeof reference.object);
  return error;
}

template <class F>
CUresult reference_api(CUtexref reference, F&& change) {
  return driver_api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    if (!reference) return cudaErrorInvalidValue;
    if (const cudaError_t error = machine.context().wait_idle(lock)) return error;
    if (const cudaError_t error = change(machine, *reference)) return error;
    return rebind(machine, *reference);
  });
}

}  // namespace

extern "C" {

CUresult cuArray3DCreate(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!handle || !d) return cudaErrorInvalidValue;
    if (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) return cudaErrorInvalidValue;
    cudaArray_t array = nullptr;
    const cudaError_t error = machine.memory().textures().create_array(
        channels(d->Format, d->NumChannels), {d->Width, d->Height, d->Depth}, d->Flags, array);
    *handle = reinterpret_cast<CUarray>(array);
    return error;
  });
}

CUresult cuArrayCreate(CUarray* handle, const CUDA_ARRAY_DESCRIPTOR* d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR all{d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate(handle, &all);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray handle) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const cudaArray* array = machine.memory().textures().find(reinterpret_cast<cudaArray_t>(handle));
    if (!array || !d) return array ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *d = {array->extent.width,      array->extent.height,    array->extent.depth,
          format_of(array->format), count_of(array->format), array->flags};
    return cudaSuccess;
  });
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* d, CUarray handle) {
  CUDA_ARRAY3D_DESCRIPTOR all{};
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = cuArray3DGetDescriptor(&all, handle)) return error;
  *d = {all.Width, all.Height, all.Format, all.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray handle) {
  if (!handle) return CUDA_ERROR_INVALID_HANDLE;
  return through_runtime([&] { return cudaFreeArray(reinterpret_cast<cudaArray_t>(handle)); });
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!object || !resource || !texture) return cudaErrorInvalidValue;
    if (view && view->format != 0) return cudaErrorNotSupported;
    const cudaResourceDesc what = resource_of(*resource);
    u64 handle = 0;
    const cudaError_t error = machine.memory().textures().create_texture(
        what, texture_of(*texture, format_in(machine, what)), nullptr, handle);
    if (!error) *object = handle;
    return error;
  });
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  return through_runtime([&] { return cudaDestroyTextureObject(object); });
}

CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  if (!resource) return CUDA_ERROR_INVALID_VALUE;
  const cudaResourceDesc what = resource_of(*resource);
  return through_runtime([&] { return cudaCreateSurfaceObject(object, &what); });
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return through_runtime([&] { return cudaDestroySurfaceObject(object); });
}

CUresult cuModuleGetTexRef(CUtexref* reference, CUmodule handle, const char* name) {
  return driver_api([&](Machine& machine, ApiLock&) -> cudaError_t {
    Module* module = machine.modules().find(handle);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!reference || !name) return cudaErrorInvalidValue;
    const Symbol* symbol = module->symbol(name);
    if (!symbol || symbol->size < sizeof(u64)) return cudaErrorSymbolNotFound;
    auto& kept = module->texture_reference(name);
    if (!kept) {
      kept = std::shared_ptr<CUtexref_st>(new CUtexref_st);
      static_cast<CUtexref_st*>(kept.get())->symbol = *symbol;
    }
    *reference = static_cast<CUtexref_st*>(kept.get());
    return cudaSuccess;
  });
}

CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned flags) {
  return reference_api(handle, [&](Machine& machine, CUtexref_st& reference) {
    const cudaArray* found = machine.memory().textures().find(reinterpret_cast<cudaArray_t>(array));
    if (!found) return cudaErrorInvalidResourceHandle;
    if (flags & ~static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT)) return cudaErrorInvalidValue;
    reference.resource = {};
    reference.resource.resType = cudaResourceTypeArray;
    reference.resource.res.array.array = reinterpret_cast<cudaArray_t>(array);
    reference.format = found->format;
    reference.bound = true;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetAddress(size_t* offset, CUtexref handle, CUdeviceptr address, size_t bytes) {
  return reference_api(handle, [&](Machine&, CUtexref_st& reference) {
    if (offset) *offset = 0;
    reference.resource = {};
    reference.resource.resType = cudaResourceTypeLinear;
    reference.resource.res.linear = {pointer_of<void>(address), reference.format, bytes};
    reference.bound = true;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetAddress2D(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR* d, CUdeviceptr address, size_t pitch) {
  return reference_api(handle, [&](Machine&, CUtexref_st& reference) {
    if (!d) return cudaErrorInvalidValue;
    reference.resource = {};
    reference.resource.resType = cudaResourceTypePitch2D;
    reference.format = channels(d->Format, d->NumChannels);
    reference.resource.res.pitch2D = {pointer_of<void>(address), reference.format, d->Width, d->Height, pitch};
    reference.bound = true;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetFormat(CUtexref handle, CUarray_format format, int count) {
  return reference_api(handle, [&](Machine&, CUtexref_st& reference) {
    if (count != 1 && count != 2 && count != 4) return cudaErrorInvalidValue;
    reference.format = channels(format, static_cast<unsigned>(count));
    if (reference.bound && reference.resource.resType == cudaResourceTypeLinear)
      reference.resource.res.linear.desc = reference.format;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetAddressMode(CUtexref handle, int dimension, CUaddress_mode mode) {
  return reference_api(handle, [&](Machine&, CUtexref_st& reference) {
    if (dimension < 0 || dimension > 2) return cudaErrorInvalidValue;
    reference.texture.addressMode[dimension] = static_cast<cudaTextureAddressMode>(mode);
    return cudaSuccess;
  });
}

CUresult cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode mode) {
  return reference_api(handle, [&](Machine&, CUtexref_st& reference) {
    reference.texture.filterMode = static_cast<cudaTextureFilterMode>(mode);
    return cudaSuccess;
  });
}

CUresult cuTexRefSetFlags(CUtexref handle, unsigned flags) {
  return reference_api(handle, [&](Machine&, CUtexref_st& reference) {
    reference.flags = flags;
    reference.texture.normalizedCoords = (flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    reference.texture.sRGB = (flags & CU_TRSF_SRGB) != 0;
    return cudaSuccess;
  });
}

CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref reference) {
  return function && reference && unit == CU_PARAM_TR_DEFAULT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"

EW_ALSO_CALLED(cuArrayCreate, cuArrayCreate_v2);
EW_ALSO_CALLED(cuArrayGetDescriptor, cuArrayGetDescriptor_v2);
EW_ALSO_CALLED(cuArray3DCreate, cuArray3DCreate_v2);
EW_ALSO_CALLED(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2);
EW_ALSO_CALLED(cuTexRefSetAddress, cuTexRefSetAddress_v2);
EW_ALSO_CALLED(cuTexRefSetAddress2D, cuTexRefSetAddress2D_v3);
