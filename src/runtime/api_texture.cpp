// Arrays, texture and surface objects.
#include "cuda_runtime_api.h"
#include "runtime/process.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

template <class F>
cudaError_t object_api(u64 handle, bool surface, F&& call) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const TextureEntry* entry = machine.memory().textures().find(handle);
    if (!entry || entry->object.surface != surface) return cudaErrorInvalidValue;
    return call(*entry);
  });
}

template <class Handle>
cudaError_t destroy_array(Handle handle) {
  return api([&](Machine& machine, ApiLock& lock) -> cudaError_t {
    if (!handle) return cudaSuccess;
    if (const cudaError_t error = machine.context().wait_idle(lock)) return error;
    return machine.memory().textures().destroy(handle);
  });
}

}  // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t handle) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const cudaArray* array = machine.memory().textures().find(handle);
    if (!format || !array) return format ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    *format = array->format;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned flags) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!array || !format) return cudaErrorInvalidValue;
    return machine.memory().textures().create_array(*format, extent, flags, *array);
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* mipmap, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!mipmap || !format) return cudaErrorInvalidValue;
    return machine.memory().textures().create_mipmap(*format, extent, levels, flags, *mipmap);
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t handle, unsigned level) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const cudaMipmappedArray* mipmap = machine.memory().textures().find(handle);
    if (!mipmap) return cudaErrorInvalidResourceHandle;
    if (!array || level >= mipmap->levels.size()) return cudaErrorInvalidValue;
    *array = mipmap->levels[level];
    return cudaSuccess;
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return destroy_array(array);
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  return destroy_array(mipmap);
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t handle) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const cudaArray* array = machine.memory().textures().find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetPlane(cudaArray_t*, cudaArray_t, unsigned) {
  return keep(cudaErrorNotSupported);
}  // no planar formats

cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements* requirements, cudaArray_t handle, int device) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    const cudaArray* array = machine.memory().textures().find(handle);
    if (!array || device != 0) return array ? cudaErrorInvalidDevice : cudaErrorInvalidResourceHandle;
    if (!requirements) return cudaErrorInvalidValue;
    *requirements = {};
    requirements->size = array->bytes();
    requirements->alignment = 512;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!object || !resource || !texture) return cudaErrorInvalidValue;
    u64 handle = 0;
    const cudaError_t error = machine.memory().textures().create_texture(*resource, *texture, view, handle);
    if (!error) *object = handle;
    return error;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return api([&](Machine& machine, ApiLock&) {
    return object == 0 || machine.memory().textures().destroy_object(object, false) ? cudaSuccess
                                                                                    : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return object_api(object, false, [&](const TextureEntry& entry) {
    if (!resource) return cudaErrorInvalidValue;
    *resource = entry.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return object_api(object, false, [&](const TextureEntry& entry) {
    if (!texture) return cudaErrorInvalidValue;
    *texture = entry.texture;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
  return object_api(object, false, [&](const TextureEntry& entry) {
    if (!view || !entry.has_view) return cudaErrorInvalidValue;
    *view = entry.view;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!object || !resource) return cudaErrorInvalidValue;
    u64 handle = 0;
    const cudaError_t error = machine.memory().textures().create_surface(*resource, handle);
    if (!error) *object = handle;
    return error;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return api([&](Machine& machine, ApiLock&) {
    return object == 0 || machine.memory().textures().destroy_object(object, true) ? cudaSuccess
                                                                                   : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return object_api(object, true, [&](const TextureEntry& entry) {
    if (!resource) return cudaErrorInvalidValue;
    *resource = entry.resource;
    return cudaSuccess;
  });
}

}  // extern "C"
