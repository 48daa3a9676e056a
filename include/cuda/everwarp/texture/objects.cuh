// Fetches through texture objects: tex2D<T>(object, x, y) and its kin.
#pragma once

#include "../../texture_types.h"
#include "texel.cuh"

#define EW_TEXTURE_FUNCTION(name, fetch, parameters, arguments)                        \
  template <class T>                                                                   \
  EW_DEVICE T name(cudaTextureObject_t t, EW_UNPACK parameters) {                      \
    typename everwarp_detail::Texel<T>::Lanes v;                                       \
    everwarp_detail::fetch(v, t, EW_UNPACK arguments);                                 \
    return everwarp_detail::Texel<T>::take(v);                                         \
  }                                                                                    \
  template <class T>                                                                   \
  EW_DEVICE void name(T *result, cudaTextureObject_t t, EW_UNPACK parameters) {        \
    *result = name<T>(t, EW_UNPACK arguments);                                         \
  }

EW_TEXTURE_FUNCTION(tex1Dfetch, fetch_1d_linear, (int x), (x))
EW_TEXTURE_FUNCTION(tex1D, fetch_1d, (float x), (x))
EW_TEXTURE_FUNCTION(tex2D, fetch_2d, (float x, float y), (x, y))
EW_TEXTURE_FUNCTION(tex3D, fetch_3d, (float x, float y, float z), (x, y, z))
EW_TEXTURE_FUNCTION(tex1DLod, fetch_1d_lod, (float x, float level), (x, level))
EW_TEXTURE_FUNCTION(tex2DLod, fetch_2d_lod, (float x, float y, float level), (x, y, level))
EW_TEXTURE_FUNCTION(tex3DLod, fetch_3d_lod, (float x, float y, float z, float level), (x, y, z, level))
EW_TEXTURE_FUNCTION(tex1DGrad, fetch_1d_grad, (float x, float dx, float dy), (x, dx, dy))
EW_TEXTURE_FUNCTION(tex2DGrad, fetch_2d_grad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
EW_TEXTURE_FUNCTION(tex1DLayered, fetch_1d_layered, (float x, int layer), (x, layer))
EW_TEXTURE_FUNCTION(tex2DLayered, fetch_2d_layered, (float x, float y, int layer), (x, y, layer))
EW_TEXTURE_FUNCTION(tex1DLayeredLod, fetch_1d_layered_lod, (float x, int layer, float level), (x, layer, level))
EW_TEXTURE_FUNCTION(tex2DLayeredLod, fetch_2d_layered_lod, (float x, float y, int layer, float level),
                    (x, y, layer, level))
EW_TEXTURE_FUNCTION(texCubemap, fetch_cube, (float x, float y, float z), (x, y, z))
EW_TEXTURE_FUNCTION(texCubemapLod, fetch_cube_lod, (float x, float y, float z, float level), (x, y, z, level))
EW_TEXTURE_FUNCTION(texCubemapLayered, fetch_cube_layered, (float x, float y, float z, int layer), (x, y, z, layer))
EW_TEXTURE_FUNCTION(tex3DGrad, fetch_3d_grad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
EW_TEXTURE_FUNCTION(tex1DLayeredGrad, fetch_1d_layered_grad, (float x, int layer, float dx, float dy),
                    (x, layer, dx, dy))
EW_TEXTURE_FUNCTION(tex2DLayeredGrad, fetch_2d_layered_grad, (float x, float y, int layer, float2 dx, float2 dy),
                    (x, y, layer, dx, dy))
EW_TEXTURE_FUNCTION(texCubemapGrad, fetch_cube_grad, (float x, float y, float z, float4 dx, float4 dy),
                    (x, y, z, dx, dy))
EW_TEXTURE_FUNCTION(texCubemapLayeredLod, fetch_cube_layered_lod,
                    (float x, float y, float z, int layer, float level), (x, y, z, layer, level))
EW_TEXTURE_FUNCTION(texCubemapLayeredGrad, fetch_cube_layered_grad,
                    (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy))

// The component is a constant in CUDA, too: the branch folds.
template <class T>
EW_DEVICE T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
  typename everwarp_detail::Texel<T>::Lanes v;
  if (component == 1)
    everwarp_detail::gather_2d_g(v, t, x, y);
  else if (component == 2)
    everwarp_detail::gather_2d_b(v, t, x, y);
  else if (component == 3)
    everwarp_detail::gather_2d_a(v, t, x, y);
  else
    everwarp_detail::gather_2d_r(v, t, x, y);
  return everwarp_detail::Texel<T>::take(v);
}
