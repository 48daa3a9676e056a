// Loads and stores with cache operators, vectors, and what device code calls of the C library.
#include <cassert>
#include <cstdio>

// -> ld.global.nc.f32
__global__ void constant_load(float *p, const float *q) { *p = __ldg(q); }
// -> ld.global.nc.v4.f32
__global__ void constant_load_4(float4 *p, const float4 *q) { *p = __ldg(q); }
// -> ld.global.nc.v2.u64
__global__ void constant_load_long(ulonglong2 *p, const ulonglong2 *q) { *p = __ldg(q); }
// -> ld.global.cg.s32
__global__ void load_cg(int *p, const int *q) { *p = __ldcg(q); }
// -> ld.global.cs.v4.f32
__global__ void load_cs(float4 *p, const float4 *q) { *p = __ldcs(q); }
// -> ld.global.cv.u64
__global__ void load_cv(unsigned long long *p, const unsigned long long *q) { *p = __ldcv(q); }
// -> ld.global.ca.f64
__global__ void load_ca(double *p, const double *q) { *p = __ldca(q); }
// -> st.global.wt.s32
__global__ void store_wt(int *p, int v) { __stwt(p, v); }
// -> st.global.cg.v2.f32
__global__ void store_cg(float2 *p, float2 v) { __stcg(p, v); }
// -> ld.global.v4.f32
// -> st.global.v4.f32
__global__ void vector_add(float4 *p, const float4 *q) {
  const float4 a = *p, b = *q;
  *p = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
// -> ld.volatile.global.u32
// -> st.volatile.global.u32
__global__ void volatile_access(volatile int *p) { p[0] = p[1]; }

// -> vprintf
__global__ void print(int v) { printf("%d\n", v); }
// -> __assertfail
__global__ void check(int v) { assert(v > 3); }
// -> malloc
// -> free
__global__ void allocate(int n) {
  int *p = new int[n];
  asm volatile("" ::"l"(p) : "memory");
  delete[] p;
}
// -> trap;
__global__ void fail() { __trap(); }
// -> brkpt
__global__ void stop() { __brkpt(); }
extern __shared__ double dynamic[];
// -> ld.shared.f64
__global__ void dynamic_shared(double *p) { *p = dynamic[threadIdx.x]; }
__constant__ int table[64];
// -> ld.const.u32
__global__ void constant(int *p) { *p = table[threadIdx.x]; }
// -> .maxntid 128, 1, 1
// -> .minnctapersm 2
__launch_bounds__(128, 2) __global__ void bounded(int *p) { *p = 1; }
