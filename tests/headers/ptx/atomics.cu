// architectures: sm_60 sm_80
// One `atom` for each atomic function; its scope and its state space.

// -> atom.global.add.u32
__global__ void add_int(int *p, int v, int *old) { *old = atomicAdd(p, v); }
// -> atom.global.add.u32
__global__ void add_unsigned(unsigned *p, unsigned v, unsigned *old) { *old = atomicAdd(p, v); }
// -> atom.global.add.u64
__global__ void add_long(unsigned long long *p, unsigned long long v) { atomicAdd(p, v); }
// -> atom.global.add.f32
__global__ void add_float(float *p, float v) { atomicAdd(p, v); }
// -> atom.global.add.f64
__global__ void add_double(double *p, double v) { atomicAdd(p, v); }
// -> neg.s32
// -> atom.global.add.u32
__global__ void sub_int(int *p, int v) { atomicSub(p, v); }
// -> atom.global.exch.b32
__global__ void exchange_int(int *p, int v) { atomicExch(p, v); }
// -> atom.global.exch.b32
__global__ void exchange_float(float *p, float v, float *old) { *old = atomicExch(p, v); }
// -> atom.global.exch.b64
__global__ void exchange_long(unsigned long long *p, unsigned long long v) { atomicExch(p, v); }
// -> atom.global.min.s32
__global__ void min_int(int *p, int v) { atomicMin(p, v); }
// -> atom.global.min.u32
__global__ void min_unsigned(unsigned *p, unsigned v) { atomicMin(p, v); }
// -> atom.global.min.s64
__global__ void min_long(long long *p, long long v) { atomicMin(p, v); }
// -> atom.global.max.u64
__global__ void max_unsigned_long(unsigned long long *p, unsigned long long v) { atomicMax(p, v); }
// -> inc.u32
__global__ void increment(unsigned *p, unsigned v) { atomicInc(p, v); }
// -> dec.u32
__global__ void decrement(unsigned *p, unsigned v) { atomicDec(p, v); }
// -> atom.global.and.b32
__global__ void and_int(int *p, int v) { atomicAnd(p, v); }
// -> atom.global.or.b64
__global__ void or_long(unsigned long long *p, unsigned long long v) { atomicOr(p, v); }
// -> atom.global.xor.b32
__global__ void xor_unsigned(unsigned *p, unsigned v) { atomicXor(p, v); }
// -> atom.global.cas.b32
__global__ void swap_int(int *p, int a, int b, int *old) { *old = atomicCAS(p, a, b); }
// -> atom.global.cas.b64
__global__ void swap_long(unsigned long long *p, unsigned long long a, unsigned long long b) { atomicCAS(p, a, b); }
// -> atom.shared.add.u32
__global__ void add_shared(int v) {
  __shared__ int sum;
  atomicAdd(&sum, v);
}

// -> atom.cta.add.s32
__global__ void add_block(int *p, int v) { atomicAdd_block(p, v); }
// -> atom.cta.add.f32
__global__ void add_float_block(float *p, float v) { atomicAdd_block(p, v); }
// -> atom.sys.add.u64
__global__ void add_long_system(unsigned long long *p, unsigned long long v) { atomicAdd_system(p, v); }
// -> atom.sys.add.f64
__global__ void add_double_system(double *p, double v) { atomicAdd_system(p, v); }
// -> atom.cta.exch.b32
__global__ void exchange_float_block(float *p, float v, float *old) { *old = atomicExch_block(p, v); }
// -> atom.sys.max.s64
__global__ void max_long_system(long long *p, long long v) { atomicMax_system(p, v); }
// -> atom.cta.inc.u32
__global__ void increment_block(unsigned *p, unsigned v) { atomicInc_block(p, v); }
// -> atom.cta.cas.b64
__global__ void swap_long_block(unsigned long long *p, unsigned long long a, unsigned long long b, unsigned long long *o) { *o = atomicCAS_block(p, a, b); }
// -> atom.sys.cas.b32
__global__ void swap_unsigned_system(unsigned *p, unsigned a, unsigned b, unsigned *o) { *o = atomicCAS_system(p, a, b); }
// -> atom.cta.xor.b32
__global__ void xor_block(int *p, int v) { atomicXor_block(p, v); }
// -> atom.sys.and.b64
__global__ void and_system(unsigned long long *p, unsigned long long v) { atomicAnd_system(p, v); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// sm_80 -> atom.cas.b16
__global__ void swap_short(unsigned short *p, unsigned short a, unsigned short b) { atomicCAS(p, a, b); }
#endif
