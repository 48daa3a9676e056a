// architectures: sm_60 sm_80 sm_90
// Half precision and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// -> add.f16
__global__ void add(__half *p) { *p = p[0] + p[1]; }
// -> fma.rn.f16
__global__ void fused(__half *p) { *p = __hfma(p[0], p[1], p[2]); }
// -> mul.f16x2
__global__ void multiply_2(__half2 *p) { *p = p[0] * p[1]; }
// -> fma.rn.f16x2
__global__ void fused_2(__half2 *p) { *p = __hfma2(p[0], p[1], p[2]); }
// -> cvt.rn.f16.f32
__global__ void narrow(__half *p, float x) { *p = __float2half(x); }
// -> cvt.rz.f16.f32
__global__ void narrow_rz(__half *p, float x) { *p = __float2half_rz(x); }
// -> cvt.f32.f16
__global__ void widen(float *p, __half h) { *p = __half2float(h); }
// -> cvt.rni.s32.f16
__global__ void to_int(int *p, __half h) { *p = __half2int_rn(h); }
// sm_80 -> setp.lt.f16
__global__ void less(int *p, __half a, __half b) { *p = a < b; }
// -> atom.add.noftz.f16x2
__global__ void atomic_2(__half2 *p, __half2 v) { atomicAdd(p, v); }
// sm_60 -> cas.b32
// sm_80 -> atom.add.noftz.f16
__global__ void atomic(__half *p, __half v) { atomicAdd(p, v); }
// sm_80 -> cvt.rn.bf16.f32
__global__ void narrow_b(__nv_bfloat16 *p, float x) { *p = __float2bfloat16(x); }
// sm_80 -> fma.rn.bf16x2
__global__ void fused_b2(__nv_bfloat162 *p) { *p = __hfma2(p[0], p[1], p[2]); }
// sm_80 -> cas.b32
// sm_90 -> atom.add.noftz.bf16
__global__ void atomic_b(__nv_bfloat16 *p, __nv_bfloat16 v) { atomicAdd(p, v); }
// -> shfl.sync.down.b32
__global__ void shuffle(__half2 *p) { *p = __shfl_down_sync(0xffffffff, *p, 1); }
