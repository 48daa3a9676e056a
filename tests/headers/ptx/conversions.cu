// Every conversion with a stated rounding becomes the cvt of that rounding.

// -> cvt.rni.s32.f32
__global__ void float_to_int_rn(int *p, float x) { *p = __float2int_rn(x); }
// -> cvt.rn.f32.s32
__global__ void int_to_float_rn(float *p, int x) { *p = __int2float_rn(x); }
// -> cvt.rzi.s32.f32
__global__ void float_to_int_rz(int *p, float x) { *p = __float2int_rz(x); }
// -> cvt.rz.f32.s32
__global__ void int_to_float_rz(float *p, int x) { *p = __int2float_rz(x); }
// -> cvt.rmi.s32.f32
__global__ void float_to_int_rd(int *p, float x) { *p = __float2int_rd(x); }
// -> cvt.rm.f32.s32
__global__ void int_to_float_rd(float *p, int x) { *p = __int2float_rd(x); }
// -> cvt.rpi.s32.f32
__global__ void float_to_int_ru(int *p, float x) { *p = __float2int_ru(x); }
// -> cvt.rp.f32.s32
__global__ void int_to_float_ru(float *p, int x) { *p = __int2float_ru(x); }
// -> cvt.rni.u32.f32
__global__ void float_to_uint_rn(unsigned *p, float x) { *p = __float2uint_rn(x); }
// -> cvt.rn.f32.u32
__global__ void uint_to_float_rn(float *p, unsigned x) { *p = __uint2float_rn(x); }
// -> cvt.rzi.u32.f32
__global__ void float_to_uint_rz(unsigned *p, float x) { *p = __float2uint_rz(x); }
// -> cvt.rz.f32.u32
__global__ void uint_to_float_rz(float *p, unsigned x) { *p = __uint2float_rz(x); }
// -> cvt.rmi.u32.f32
__global__ void float_to_uint_rd(unsigned *p, float x) { *p = __float2uint_rd(x); }
// -> cvt.rm.f32.u32
__global__ void uint_to_float_rd(float *p, unsigned x) { *p = __uint2float_rd(x); }
// -> cvt.rpi.u32.f32
__global__ void float_to_uint_ru(unsigned *p, float x) { *p = __float2uint_ru(x); }
// -> cvt.rp.f32.u32
__global__ void uint_to_float_ru(float *p, unsigned x) { *p = __uint2float_ru(x); }
// -> cvt.rni.s64.f32
__global__ void float_to_ll_rn(long long *p, float x) { *p = __float2ll_rn(x); }
// -> cvt.rn.f32.s64
__global__ void ll_to_float_rn(float *p, long long x) { *p = __ll2float_rn(x); }
// -> cvt.rzi.s64.f32
__global__ void float_to_ll_rz(long long *p, float x) { *p = __float2ll_rz(x); }
// -> cvt.rz.f32.s64
__global__ void ll_to_float_rz(float *p, long long x) { *p = __ll2float_rz(x); }
// -> cvt.rmi.s64.f32
__global__ void float_to_ll_rd(long long *p, float x) { *p = __float2ll_rd(x); }
// -> cvt.rm.f32.s64
__global__ void ll_to_float_rd(float *p, long long x) { *p = __ll2float_rd(x); }
// -> cvt.rpi.s64.f32
__global__ void float_to_ll_ru(long long *p, float x) { *p = __float2ll_ru(x); }
// -> cvt.rp.f32.s64
__global__ void ll_to_float_ru(float *p, long long x) { *p = __ll2float_ru(x); }
// -> cvt.rni.u64.f32
__global__ void float_to_ull_rn(unsigned long long *p, float x) { *p = __float2ull_rn(x); }
// -> cvt.rn.f32.u64
__global__ void ull_to_float_rn(float *p, unsigned long long x) { *p = __ull2float_rn(x); }
// -> cvt.rzi.u64.f32
__global__ void float_to_ull_rz(unsigned long long *p, float x) { *p = __float2ull_rz(x); }
// -> cvt.rz.f32.u64
__global__ void ull_to_float_rz(float *p, unsigned long long x) { *p = __ull2float_rz(x); }
// -> cvt.rmi.u64.f32
__global__ void float_to_ull_rd(unsigned long long *p, float x) { *p = __float2ull_rd(x); }
// -> cvt.rm.f32.u64
__global__ void ull_to_float_rd(float *p, unsigned long long x) { *p = __ull2float_rd(x); }
// -> cvt.rpi.u64.f32
__global__ void float_to_ull_ru(unsigned long long *p, float x) { *p = __float2ull_ru(x); }
// -> cvt.rp.f32.u64
__global__ void ull_to_float_ru(float *p, unsigned long long x) { *p = __ull2float_ru(x); }
// -> cvt.rni.s32.f64
__global__ void double_to_int_rn(int *p, double x) { *p = __double2int_rn(x); }
// -> cvt.rn.f64.s32
__global__ void int_to_double_rn(double *p, int x) { *p = __int2double_rn(x); }
// -> cvt.rzi.s32.f64
__global__ void double_to_int_rz(int *p, double x) { *p = __double2int_rz(x); }
// -> cvt.rmi.s32.f64
__global__ void double_to_int_rd(int *p, double x) { *p = __double2int_rd(x); }
// -> cvt.rpi.s32.f64
__global__ void double_to_int_ru(int *p, double x) { *p = __double2int_ru(x); }
// -> cvt.rni.u32.f64
__global__ void double_to_uint_rn(unsigned *p, double x) { *p = __double2uint_rn(x); }
// -> cvt.rn.f64.u32
__global__ void uint_to_double_rn(double *p, unsigned x) { *p = __uint2double_rn(x); }
// -> cvt.rzi.u32.f64
__global__ void double_to_uint_rz(unsigned *p, double x) { *p = __double2uint_rz(x); }
// -> cvt.rmi.u32.f64
__global__ void double_to_uint_rd(unsigned *p, double x) { *p = __double2uint_rd(x); }
// -> cvt.rpi.u32.f64
__global__ void double_to_uint_ru(unsigned *p, double x) { *p = __double2uint_ru(x); }
// -> cvt.rni.s64.f64
__global__ void double_to_ll_rn(long long *p, double x) { *p = __double2ll_rn(x); }
// -> cvt.rn.f64.s64
__global__ void ll_to_double_rn(double *p, long long x) { *p = __ll2double_rn(x); }
// -> cvt.rzi.s64.f64
__global__ void double_to_ll_rz(long long *p, double x) { *p = __double2ll_rz(x); }
// -> cvt.rz.f64.s64
__global__ void ll_to_double_rz(double *p, long long x) { *p = __ll2double_rz(x); }
// -> cvt.rmi.s64.f64
__global__ void double_to_ll_rd(long long *p, double x) { *p = __double2ll_rd(x); }
// -> cvt.rm.f64.s64
__global__ void ll_to_double_rd(double *p, long long x) { *p = __ll2double_rd(x); }
// -> cvt.rpi.s64.f64
__global__ void double_to_ll_ru(long long *p, double x) { *p = __double2ll_ru(x); }
// -> cvt.rp.f64.s64
__global__ void ll_to_double_ru(double *p, long long x) { *p = __ll2double_ru(x); }
// -> cvt.rni.u64.f64
__global__ void double_to_ull_rn(unsigned long long *p, double x) { *p = __double2ull_rn(x); }
// -> cvt.rn.f64.u64
__global__ void ull_to_double_rn(double *p, unsigned long long x) { *p = __ull2double_rn(x); }
// -> cvt.rzi.u64.f64
__global__ void double_to_ull_rz(unsigned long long *p, double x) { *p = __double2ull_rz(x); }
// -> cvt.rz.f64.u64
__global__ void ull_to_double_rz(double *p, unsigned long long x) { *p = __ull2double_rz(x); }
// -> cvt.rmi.u64.f64
__global__ void double_to_ull_rd(unsigned long long *p, double x) { *p = __double2ull_rd(x); }
// -> cvt.rm.f64.u64
__global__ void ull_to_double_rd(double *p, unsigned long long x) { *p = __ull2double_rd(x); }
// -> cvt.rpi.u64.f64
__global__ void double_to_ull_ru(unsigned long long *p, double x) { *p = __double2ull_ru(x); }
// -> cvt.rp.f64.u64
__global__ void ull_to_double_ru(double *p, unsigned long long x) { *p = __ull2double_ru(x); }
// -> cvt.rn.f32.f64
__global__ void double_to_float_rn(float *p, double x) { *p = __double2float_rn(x); }
// -> cvt.rz.f32.f64
__global__ void double_to_float_rz(float *p, double x) { *p = __double2float_rz(x); }
// -> cvt.rm.f32.f64
__global__ void double_to_float_rd(float *p, double x) { *p = __double2float_rd(x); }
// -> cvt.rp.f32.f64
__global__ void double_to_float_ru(float *p, double x) { *p = __double2float_ru(x); }
// A constant out of range saturates: it is not undefined, as a cast would be.
// -> cvt.rzi.s32.f32
// -> st.global.u32
__global__ void constant_out_of_range(int *p) { *p = __float2int_rz(1e20f); }
