// Arithmetic with a stated rounding: one PTX instruction each, never fused by the compiler.
#pragma once

#include "device_function.cuh"

#if defined(EVERWARP_FTZ)
#define EW_FTZ(builtin, rounding) builtin##_##rounding##_ftz_f
#else
#define EW_FTZ(builtin, rounding) builtin##_##rounding##_f
#endif

#define EW_ROUNDED(suffix, rounding)                                                                             \
  EW_DEVICE float __fadd_##suffix(float x, float y) { return EW_FTZ(__nvvm_add, rounding)(x, y); }               \
  EW_DEVICE float __fsub_##suffix(float x, float y) { return EW_FTZ(__nvvm_add, rounding)(x, -y); }              \
  EW_DEVICE float __fmul_##suffix(float x, float y) { return EW_FTZ(__nvvm_mul, rounding)(x, y); }               \
  EW_DEVICE float __fmaf_##suffix(float x, float y, float z) { return EW_FTZ(__nvvm_fma, rounding)(x, y, z); }   \
  EW_DEVICE float __fmaf_ieee_##suffix(float x, float y, float z) { return __nvvm_fma_##rounding##_f(x, y, z); } \
  EW_DEVICE float __fdiv_##suffix(float x, float y) { return EW_FTZ(__nvvm_div, rounding)(x, y); }               \
  EW_DEVICE float __frcp_##suffix(float x) { return EW_FTZ(__nvvm_rcp, rounding)(x); }                           \
  EW_DEVICE float __fsqrt_##suffix(float x) { return EW_FTZ(__nvvm_sqrt, rounding)(x); }                         \
  EW_DEVICE double __dadd_##suffix(double x, double y) { return __nvvm_add_##rounding##_d(x, y); }               \
  EW_DEVICE double __dsub_##suffix(double x, double y) { return __nvvm_add_##rounding##_d(x, -y); }              \
  EW_DEVICE double __dmul_##suffix(double x, double y) { return __nvvm_mul_##rounding##_d(x, y); }               \
  EW_DEVICE double __fma_##suffix(double x, double y, double z) { return __nvvm_fma_##rounding##_d(x, y, z); }   \
  EW_DEVICE double __ddiv_##suffix(double x, double y) { return __nvvm_div_##rounding##_d(x, y); }               \
  EW_DEVICE double __drcp_##suffix(double x) { return __nvvm_rcp_##rounding##_d(x); }                            \
  EW_DEVICE double __dsqrt_##suffix(double x) { return __nvvm_sqrt_##rounding##_d(x); }
EW_ROUNDED(rn, rn)
EW_ROUNDED(rz, rz)
EW_ROUNDED(rd, rm)
EW_ROUNDED(ru, rp)
#undef EW_ROUNDED
#undef EW_FTZ

EW_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
EW_DEVICE float saturate(float x) { return __nvvm_saturate_f(x); }
// PTX has no correctly rounded rsqrt; double carries enough bits to round once to float.
EW_DEVICE float __frsqrt_rn(float x) {
  return __nvvm_d2f_rn(__nvvm_rcp_rn_d(__nvvm_sqrt_rn_d((double)x)));
}
