// Integer intrinsics, conversions and rounded arithmetic.

// -> brev.b32
__global__ void reverse(unsigned *p) { *p = __brev(*p); }
// -> brev.b64
__global__ void reverse_long(unsigned long long *p) { *p = __brevll(*p); }
// -> clz.b32
__global__ void leading(int *p) { *p = __clz(*p); }
// -> clz.b64
__global__ void leading_long(long long *p) { *p = __clzll(*p); }
// -> popc.b32
__global__ void count(unsigned *p) { *p = __popc(*p); }
// -> popc.b64
__global__ void count_long(unsigned long long *p) { *p = __popcll(*p); }
// -> prmt.b32
__global__ void permute(unsigned *p) { *p = __byte_perm(p[0], p[1], p[2]); }
// -> mul.hi.s32
__global__ void high(int *p) { *p = __mulhi(p[0], p[1]); }
// -> mul.hi.u32
__global__ void high_unsigned(unsigned *p) { *p = __umulhi(p[0], p[1]); }
// -> mul.hi.u64
__global__ void high_long(unsigned long long *p) { *p = __umul64hi(p[0], p[1]); }
// -> mul24.lo.s32
__global__ void multiply_24(int *p) { *p = __mul24(p[0], p[1]); }
// -> sad.u32
__global__ void difference(unsigned *p) { *p = __usad(p[0], p[1], p[2]); }
// -> shf.l.wrap.b32
__global__ void funnel_left(unsigned *p) { *p = __funnelshift_l(p[0], p[1], p[2]); }
// -> shf.r.clamp.b32
__global__ void funnel_right(unsigned *p) { *p = __funnelshift_rc(p[0], p[1], p[2]); }
// -> dp4a.s32.s32
__global__ void dot_4(int *p) { *p = __dp4a(p[0], p[1], p[2]); }
// -> dp2a.lo.u32.u32
__global__ void dot_2(unsigned *p) { *p = __dp2a_lo(p[0], p[1], p[2]); }
// -> fns.b32
__global__ void nth_set(unsigned *p) { *p = __fns(p[0], p[1], p[2]); }
// -> isspacep.shared
__global__ void is_shared(int *p, void *q) { *p = __isShared(q); }

// -> cvt.rni.s32.f32
__global__ void to_int(int *p, float x) { *p = __float2int_rn(x); }
// -> cvt.rmi.u64.f64
__global__ void to_unsigned_long(unsigned long long *p, double x) { *p = __double2ull_rd(x); }
// -> cvt.rp.f32.f64
__global__ void narrow(float *p, double x) { *p = __double2float_ru(x); }
// -> cvt.rz.f32.u64
__global__ void from_long(float *p, unsigned long long x) { *p = __ull2float_rz(x); }
// -> cvt.rm.f64.s64
__global__ void double_from_long(double *p, long long x) { *p = __ll2double_rd(x); }
// -> add.rz.f32
__global__ void add_to_zero(float *p) { *p = __fadd_rz(p[0], p[1]); }
// -> mul.rn.f32
// !> fma
__global__ void multiply_unfused(float *p) { *p = __fmul_rn(p[0], p[1]) + p[2]; }
// -> fma.rn.f32
__global__ void fused(float *p) { *p = p[0] * p[1] + p[2]; }
// -> fma.rp.f64
__global__ void fma_up(double *p) { *p = __fma_ru(p[0], p[1], p[2]); }
// -> div.rm.f32
__global__ void divide_down(float *p) { *p = __fdiv_rd(p[0], p[1]); }
// -> rcp.rz.f64
__global__ void reciprocal(double *p) { *p = __drcp_rz(*p); }
// -> sqrt.rn.f32
__global__ void root(float *p) { *p = __fsqrt_rn(*p); }
// -> div.rn.f32
__global__ void divide(float *p) { *p = p[0] / p[1]; }
