// Conversions with a stated rounding, and reinterpretations of bits.
#pragma once

#include "device_function.cuh"

// cvt.ftz reads subnormal floats as zero where -ftz=true or --use_fast_math asks for it (EVERWARP_FTZ; clang-flags.txt).
#if defined(EVERWARP_FTZ)
#define EW_FTZ(builtin, rounding) builtin##_##rounding##_ftz
#else
#define EW_FTZ(builtin, rounding) builtin##_##rounding
#endif

#define EW_FROM_FLOAT(suffix, rounding)                                                                     \
  EW_DEVICE int __float2int_##suffix(float x) { return EW_FTZ(__nvvm_f2i, rounding)(x); }                   \
  EW_DEVICE unsigned int __float2uint_##suffix(float x) { return EW_FTZ(__nvvm_f2ui, rounding)(x); }        \
  EW_DEVICE long long __float2ll_##suffix(float x) { return EW_FTZ(__nvvm_f2ll, rounding)(x); }             \
  EW_DEVICE unsigned long long __float2ull_##suffix(float x) { return EW_FTZ(__nvvm_f2ull, rounding)(x); }  \
  EW_DEVICE int __double2int_##suffix(double x) { return __nvvm_d2i_##rounding(x); }                        \
  EW_DEVICE unsigned int __double2uint_##suffix(double x) { return __nvvm_d2ui_##rounding(x); }             \
  EW_DEVICE long long __double2ll_##suffix(double x) { return __nvvm_d2ll_##rounding(x); }                  \
  EW_DEVICE unsigned long long __double2ull_##suffix(double x) { return __nvvm_d2ull_##rounding(x); }       \
  EW_DEVICE float __double2float_##suffix(double x) { return EW_FTZ(__nvvm_d2f, rounding)(x); }             \
  EW_DEVICE float __int2float_##suffix(int x) { return __nvvm_i2f_##rounding(x); }                          \
  EW_DEVICE float __uint2float_##suffix(unsigned int x) { return __nvvm_ui2f_##rounding(x); }               \
  EW_DEVICE float __ll2float_##suffix(long long x) { return __nvvm_ll2f_##rounding(x); }                    \
  EW_DEVICE float __ull2float_##suffix(unsigned long long x) { return __nvvm_ull2f_##rounding(x); }         \
  EW_DEVICE double __ll2double_##suffix(long long x) { return __nvvm_ll2d_##rounding(x); }                  \
  EW_DEVICE double __ull2double_##suffix(unsigned long long x) { return __nvvm_ull2d_##rounding(x); }
EW_FROM_FLOAT(rn, rn)
EW_FROM_FLOAT(rd, rm)
EW_FROM_FLOAT(ru, rp)
#undef EW_FROM_FLOAT

// Rounding toward zero is inline PTX. LLVM 19 treats the intrinsics as C's casts: an integer would be rounded to nearest,
// and a float out of range would be undefined, where cvt saturates.
#if defined(EVERWARP_FTZ)
#define EW_FTZ_RZI "cvt.rzi.ftz."
#else
#define EW_FTZ_RZI "cvt.rzi."
#endif
#define EW_TO_ZERO(name, result, result_constraint, argument, argument_constraint, instruction)  \
  EW_DEVICE result name(argument x) {                                                            \
    result r;                                                                                    \
    asm(instruction " %0, %1;" : "=" result_constraint(r) : argument_constraint(x));             \
    return r;                                                                                    \
  }
#define EW_TO_ZERO_INTEGER(name, type, constraint, ptx)                                                \
  EW_TO_ZERO(__float2##name##_rz, type, constraint, float, "f", EW_FTZ_RZI ptx ".f32")                 \
  EW_TO_ZERO(__double2##name##_rz, type, constraint, double, "d", "cvt.rzi." ptx ".f64")               \
  EW_TO_ZERO(__##name##2float_rz, float, "f", type, constraint, "cvt.rz.f32." ptx)
EW_TO_ZERO_INTEGER(int, int, "r", "s32")
EW_TO_ZERO_INTEGER(uint, unsigned int, "r", "u32")
EW_TO_ZERO_INTEGER(ll, long long, "l", "s64")
EW_TO_ZERO_INTEGER(ull, unsigned long long, "l", "u64")
EW_TO_ZERO(__ll2double_rz, double, "d", long long, "l", "cvt.rz.f64.s64")
EW_TO_ZERO(__ull2double_rz, double, "d", unsigned long long, "l", "cvt.rz.f64.u64")
EW_DEVICE float __double2float_rz(double x) { return EW_FTZ(__nvvm_d2f, rz)(x); }
#undef EW_TO_ZERO_INTEGER
#undef EW_TO_ZERO
#undef EW_FTZ_RZI
#undef EW_FTZ

EW_DEVICE double __int2double_rn(int x) { return x; }
EW_DEVICE double __uint2double_rn(unsigned int x) { return x; }

EW_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
EW_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
EW_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
EW_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
EW_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
EW_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
EW_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
EW_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
EW_DEVICE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}
EW_DEVICE int float_as_int(float x) { return __float_as_int(x); }
EW_DEVICE unsigned int float_as_uint(float x) { return __float_as_uint(x); }
EW_DEVICE float int_as_float(int x) { return __int_as_float(x); }
EW_DEVICE float uint_as_float(unsigned int x) { return __uint_as_float(x); }

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
#define EW_ROUND_MODE(result, name, argument, intrinsic)                          \
  EW_DEVICE result name(argument x, cudaRoundMode mode) {                         \
    return mode == cudaRoundNearest  ? intrinsic##_rn(x)                          \
           : mode == cudaRoundPosInf ? intrinsic##_ru(x)                          \
           : mode == cudaRoundMinInf ? intrinsic##_rd(x)                          \
                                     : intrinsic##_rz(x);                         \
  }
EW_ROUND_MODE(int, float2int, float, __float2int)
EW_ROUND_MODE(unsigned int, float2uint, float, __float2uint)
EW_ROUND_MODE(float, int2float, int, __int2float)
EW_ROUND_MODE(float, uint2float, unsigned int, __uint2float)
#undef EW_ROUND_MODE
