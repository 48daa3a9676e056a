// Texture objects, texture references, surfaces.

// -> tex.2d.v4.f32.f32
__global__ void sample_2d(float *p, cudaTextureObject_t t) { *p = tex2D<float>(t, 0.5f, 1.5f); }
// -> tex.1d.v4.s32.s32
__global__ void fetch_1d(int2 *p, cudaTextureObject_t t) { *p = tex1Dfetch<int2>(t, threadIdx.x); }
// -> tex.3d.v4.u32.f32
__global__ void sample_3d(uchar4 *p, cudaTextureObject_t t) { *p = tex3D<uchar4>(t, 0.5f, 1.5f, 2.5f); }
texture<float, cudaTextureType2D, cudaReadModeElementType> image;
// -> mov.u64 %rd
// -> , image;
// -> ld.global.u64
// -> tex.2d.v4.f32.f32
__global__ void reference_2d(float *p) { *p = tex2D(image, 0.5f, 1.5f); }
texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
// -> tex.1d.v4.f32.s32
__global__ void reference_normalised(float4 *p) { *p = tex1Dfetch(colours, threadIdx.x); }
// -> sust.b.2d.v4.b32.trap
__global__ void write_surface(cudaSurfaceObject_t s, float4 v) { surf2Dwrite(v, s, threadIdx.x * 16, 0); }
// -> suld.b.1d.b32.clamp
__global__ void read_surface(float *p, cudaSurfaceObject_t s) { *p = surf1Dread<float>(s, 4, cudaBoundaryModeClamp); }
// -> tex.grad.acube.v4.f32.f32
__global__ void sample_layered_cube(float *p, cudaTextureObject_t t, float4 d) { *p = texCubemapLayeredGrad<float>(t, 1, 2, 3, 4, d, d); }
// -> tex.cube.v4.f32.f32
__global__ void sample_cube(float *p, cudaTextureObject_t t) { *p = texCubemap<float>(t, 1, 2, 3); }
// -> sust.b.a2d.b32.trap
__global__ void write_face(cudaSurfaceObject_t s, float v) { surfCubemapwrite(v, s, 4, 1, 5); }
// -> suld.b.a1d.b32.zero
__global__ void read_line(float *p, cudaSurfaceObject_t s) { *p = surf1DLayeredread<float>(s, 4, 1, cudaBoundaryModeZero); }
