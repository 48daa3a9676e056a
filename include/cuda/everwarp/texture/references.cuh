// texture<T, dimension, mode>: CUDA 11's global texture references, over texture objects.
// On the device a reference is an 8-byte variable of type .texref that holds the object (0 until bound); binding creates
// the object and copies it there. __cudaRegisterTexture tells the runtime the variable's name.
#pragma once

#include "../../channel_descriptor.h"
#include "objects.cuh"

template <class T, int texType = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  __host__ texture(int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                   enum cudaTextureAddressMode address = cudaAddressModeClamp)
      : texture(norm, filter, address, cudaCreateChannelDesc<T>()) {}
  __host__ texture(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
                   cudaChannelFormatDesc desc)
      : textureReference() {
    normalized = norm;
    filterMode = filter;
    addressMode[0] = addressMode[1] = addressMode[2] = address;
    channelDesc = desc;
    readMode = mode;
  }
};

namespace everwarp_detail {
template <class T, cudaTextureReadMode mode>
struct Fetched {
  typedef T Type;
};
template <class T>
struct Fetched<T, cudaReadModeNormalizedFloat> {
  typedef typename Texel<T>::Normalized Type;
};
}  // namespace everwarp_detail

// clang passes a reference by the address of its variable.
#define EW_REFERENCE_FUNCTION(name, kind, parameters, arguments)                                                   \
  template <class T, cudaTextureReadMode mode>                                                                     \
  EW_DEVICE typename everwarp_detail::Fetched<T, mode>::Type name(texture<T, kind, mode> t, EW_UNPACK parameters) { \
    cudaTextureObject_t object;                                                                                    \
    asm("ld.global.u64 %0, [%1];" : "=l"(object) : "l"(t));                                                        \
    return name<typename everwarp_detail::Fetched<T, mode>::Type>(object, EW_UNPACK arguments);                    \
  }
EW_REFERENCE_FUNCTION(tex1Dfetch, cudaTextureType1D, (int x), (x))
EW_REFERENCE_FUNCTION(tex1D, cudaTextureType1D, (float x), (x))
EW_REFERENCE_FUNCTION(tex2D, cudaTextureType2D, (float x, float y), (x, y))
EW_REFERENCE_FUNCTION(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
EW_REFERENCE_FUNCTION(tex1DLod, cudaTextureType1D, (float x, float level), (x, level))
EW_REFERENCE_FUNCTION(tex2DLod, cudaTextureType2D, (float x, float y, float level), (x, y, level))
EW_REFERENCE_FUNCTION(tex3DLod, cudaTextureType3D, (float x, float y, float z, float level), (x, y, z, level))
EW_REFERENCE_FUNCTION(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
EW_REFERENCE_FUNCTION(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
EW_REFERENCE_FUNCTION(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z), (x, y, z))
EW_REFERENCE_FUNCTION(texCubemapLayered, cudaTextureTypeCubemapLayered, (float x, float y, float z, int layer),
                      (x, y, z, layer))
EW_REFERENCE_FUNCTION(texCubemapLod, cudaTextureTypeCubemap, (float x, float y, float z, float level),
                      (x, y, z, level))
#undef EW_REFERENCE_FUNCTION

namespace everwarp_detail {
inline __host__ cudaError_t unbind(textureReference *ref) {
  if (!ref) return cudaErrorInvalidTexture;
  if (!ref->object) return cudaSuccess;
  const cudaTextureObject_t none = 0;
  cudaError_t e = ::cudaMemcpyToSymbol((const void *)ref, &none, sizeof none, 0, cudaMemcpyHostToDevice);
  if (e == cudaSuccess) e = ::cudaDestroyTextureObject(ref->object);
  ref->object = 0;
  return e;
}
inline __host__ cudaError_t bind(const textureReference *constant_ref, const cudaResourceDesc &resource) {
  textureReference *ref = const_cast<textureReference *>(constant_ref);
  cudaError_t e = unbind(ref);
  if (e != cudaSuccess) return e;
  cudaTextureDesc desc = cudaTextureDesc();
  for (int i = 0; i < 3; ++i) desc.addressMode[i] = ref->addressMode[i];
  desc.filterMode = ref->filterMode;
  desc.readMode = ref->readMode;
  desc.sRGB = ref->sRGB;
  desc.normalizedCoords = ref->normalized;
  desc.maxAnisotropy = ref->maxAnisotropy;
  desc.mipmapFilterMode = ref->mipmapFilterMode;
  desc.mipmapLevelBias = ref->mipmapLevelBias;
  desc.minMipmapLevelClamp = ref->minMipmapLevelClamp;
  desc.maxMipmapLevelClamp = ref->maxMipmapLevelClamp;
  e = ::cudaCreateTextureObject(&ref->object, &resource, &desc, 0);
  if (e != cudaSuccess) return e;
  return ::cudaMemcpyToSymbol((const void *)ref, &ref->object, sizeof ref->object, 0, cudaMemcpyHostToDevice);
}
}  // namespace everwarp_detail

inline __host__ cudaError_t cudaBindTexture(size_t *offset, const textureReference *ref, const void *devPtr,
                                            const cudaChannelFormatDesc *desc, size_t size = UINT_MAX) {
  cudaResourceDesc resource = cudaResourceDesc();
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void *>(devPtr);
  resource.res.linear.desc = *desc;
  resource.res.linear.sizeInBytes = size;
  if (offset) *offset = 0;
  return everwarp_detail::bind(ref, resource);
}
inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *ref, const void *devPtr,
                                              const cudaChannelFormatDesc *desc, size_t width, size_t height,
                                              size_t pitch) {
  cudaResourceDesc resource = cudaResourceDesc();
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<void *>(devPtr);
  resource.res.pitch2D.desc = *desc;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  if (offset) *offset = 0;
  return everwarp_detail::bind(ref, resource);
}
inline __host__ cudaError_t cudaBindTextureToArray(const textureReference *ref, cudaArray_const_t array,
                                                   const cudaChannelFormatDesc *) {
  cudaResourceDesc resource = cudaResourceDesc();
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return everwarp_detail::bind(ref, resource);
}
inline __host__ cudaError_t cudaBindTextureToMipmappedArray(const textureReference *ref,
                                                            cudaMipmappedArray_const_t array,
                                                            const cudaChannelFormatDesc *) {
  cudaResourceDesc resource = cudaResourceDesc();
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(array);
  return everwarp_detail::bind(ref, resource);
}
inline __host__ cudaError_t cudaUnbindTexture(const textureReference *ref) {
  return everwarp_detail::unbind(const_cast<textureReference *>(ref));
}
inline __host__ cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *ref) {
  if (!offset || !ref || !ref->object) return cudaErrorInvalidTextureBinding;
  *offset = 0;
  return cudaSuccess;
}
inline __host__ cudaError_t cudaGetTextureReference(const textureReference **ref, const void *symbol) {
  *ref = (const textureReference *)symbol;
  return symbol ? cudaSuccess : cudaErrorInvalidTexture;
}

template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &t, const void *devPtr,
                                            const cudaChannelFormatDesc &desc, size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, (const textureReference *)&t, devPtr, &desc, size);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &t, const void *devPtr,
                                            size_t size = UINT_MAX) {
  return ::cudaBindTexture(offset, (const textureReference *)&t, devPtr, &t.channelDesc, size);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &t, const void *devPtr,
                                              const cudaChannelFormatDesc &desc, size_t width, size_t height,
                                              size_t pitch) {
  return ::cudaBindTexture2D(offset, (const textureReference *)&t, devPtr, &desc, width, height, pitch);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &t, const void *devPtr,
                                              size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, (const textureReference *)&t, devPtr, &t.channelDesc, width, height, pitch);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &t, cudaArray_const_t array,
                                                   const cudaChannelFormatDesc &desc) {
  return ::cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &t, cudaArray_const_t array) {
  return ::cudaBindTextureToArray((const textureReference *)&t, array, &t.channelDesc);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dim, mode> &t,
                                                            cudaMipmappedArray_const_t array,
                                                            const cudaChannelFormatDesc &desc) {
  return ::cudaBindTextureToMipmappedArray((const textureReference *)&t, array, &desc);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaUnbindTexture(const texture<T, dim, mode> &t) {
  return ::cudaUnbindTexture((const textureReference *)&t);
}
template <class T, int dim, cudaTextureReadMode mode>
inline __host__ cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, dim, mode> &t) {
  return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}
