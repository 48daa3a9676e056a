// What a texture or a surface object may stand for. What a GPU refuses is refused, and so is what no fetch could show
// rightly.
#include "expect.h"

namespace {

cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

void a_surface_needs_an_array_made_for_it() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t plain, storable;
  cudaSurfaceObject_t surface;
  CUDA(cudaMallocArray(&plain, &format, 8, 8));
  CUDA(cudaMallocArray(&storable, &format, 8, 8, cudaArraySurfaceLoadStore));
  const cudaResourceDesc of_plain = of_array(plain), of_storable = of_array(storable);
  RETURNS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &of_plain));
  CUDA(cudaCreateSurfaceObject(&surface, &of_storable));
  CUDA(cudaDestroySurfaceObject(surface));
  CUDA(cudaFreeArray(plain));
  CUDA(cudaFreeArray(storable));
}

/// A texture shows the first level of a mipmap only.
void a_mipmap_beyond_its_first_level_is_refused() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  for (const unsigned levels : {1u, 3u}) {
    cudaMipmappedArray_t mipmap;
    cudaTextureObject_t texture;
    CUDA(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(8, 8, 0), levels));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureDesc mode{};
    mode.normalizedCoords = 1;
    CUDA(cudaCreateTextureObject(&texture, &resource, &mode, nullptr));
    CUDA(cudaDestroyTextureObject(texture));
    mode.maxMipmapLevelClamp = 2;
    const cudaError_t expected = levels > 1 ? cudaErrorNotSupported : cudaSuccess;
    RETURNS(expected, cudaCreateTextureObject(&texture, &resource, &mode, nullptr));
    CUDA(cudaFreeMipmappedArray(mipmap));
  }
}

void a_pitch_is_a_multiple_of_the_devices() {
  int alignment = 0;
  CUDA(cudaDeviceGetAttribute(&alignment, cudaDevAttrTexturePitchAlignment, 0));
  char* memory;
  CUDA(cudaMalloc(&memory, 4096));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 8;
  resource.res.pitch2D.height = 8;
  cudaTextureDesc mode{};
  cudaTextureObject_t texture;
  for (const int more : {0, 4, alignment / 2}) {
    resource.res.pitch2D.pitchInBytes = 2 * alignment + more;
    const cudaError_t expected = more ? cudaErrorInvalidValue : cudaSuccess;
    RETURNS(expected, cudaCreateTextureObject(&texture, &resource, &mode, nullptr));
  }
  CUDA(cudaFree(memory));
}

}  // namespace

int main() {
  a_surface_needs_an_array_made_for_it();
  a_mipmap_beyond_its_first_level_is_refused();
  a_pitch_is_a_multiple_of_the_devices();
  return PASS("texture and surface objects");
}
