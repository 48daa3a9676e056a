// CUDA's named conversions of __half and __half2.
#pragma once

#include "half_type.h"

EW_BOTH float __half2float(__half h) { return h; }
EW_BOTH __half __float2half(float f) { return __half(f); }
EW_BOTH __half __float2half_rn(float f) { return __half(f); }
EW_BOTH __half __double2half(double d) { return __half(d); }
EW_BOTH unsigned short __half_as_ushort(__half h) { return ((__half_raw)h).x; }
EW_BOTH short __half_as_short(__half h) { return (short)((__half_raw)h).x; }
EW_BOTH __half __ushort_as_half(unsigned short b) { return __half(__half_raw{b}); }
EW_BOTH __half __short_as_half(short b) { return __half(__half_raw{(unsigned short)b}); }

EW_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
EW_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
EW_BOTH __half2 __half2half2(__half a) { return __half2(a, a); }
EW_BOTH __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
EW_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
EW_BOTH __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
EW_BOTH float2 __half22float2(__half2 h) {
  float2 f = {(float)h.x, (float)h.y};
  return f;
}
EW_BOTH float __low2float(__half2 h) { return h.x; }
EW_BOTH float __high2float(__half2 h) { return h.y; }
EW_BOTH __half __low2half(__half2 h) { return h.x; }
EW_BOTH __half __high2half(__half2 h) { return h.y; }
EW_BOTH __half2 __low2half2(__half2 h) { return __half2(h.x, h.x); }
EW_BOTH __half2 __high2half2(__half2 h) { return __half2(h.y, h.y); }
EW_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
EW_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
EW_BOTH __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }

// Rounds toward zero, as CUDA's host versions do. Device code has an instruction for every rounding.
EW_BOTH signed char __half2char_rz(__half h) {
  const float f = h;
  return f != f ? 0 : f <= -128 ? -128 : f >= 127 ? 127 : (signed char)f;
}
EW_BOTH unsigned char __half2uchar_rz(__half h) {
  const float f = h;
  return !(f > 0) ? 0 : f >= 255 ? 255 : (unsigned char)f;
}
EW_BOTH int __half2int_rz(__half h) { return (int)(float)h; }
EW_BOTH unsigned int __half2uint_rz(__half h) { return (unsigned int)(float)h; }
EW_BOTH short __half2short_rz(__half h) { return (short)(float)h; }
EW_BOTH unsigned short __half2ushort_rz(__half h) { return (unsigned short)(float)h; }
EW_BOTH long long __half2ll_rz(__half h) { return (long long)(float)h; }
EW_BOTH unsigned long long __half2ull_rz(__half h) { return (unsigned long long)(float)h; }
EW_BOTH __half __int2half_rn(int v) { return __half(v); }
EW_BOTH __half __uint2half_rn(unsigned int v) { return __half(v); }
EW_BOTH __half __short2half_rn(short v) { return __half(v); }
EW_BOTH __half __ushort2half_rn(unsigned short v) { return __half(v); }
EW_BOTH __half __ll2half_rn(long long v) { return __half(v); }
EW_BOTH __half __ull2half_rn(unsigned long long v) { return __half(v); }

#if defined(__CUDA__)
#define EW_HALF_TO(name, type, ptx, carrier, constraint, suffix, rounding)                         \
  EW_DEVICE type __half2##name##_##suffix(__half h) {                                              \
    carrier r;                                                                                     \
    asm("cvt." rounding "." ptx ".f16 %0, %1;" : "=" constraint(r) : "h"(__half_as_ushort(h)));    \
    return (type)r;                                                                                \
  }
#define EW_HALF_FROM(name, type, ptx, constraint, suffix, rounding)                                \
  EW_DEVICE __half __##name##2half_##suffix(type v) {                                              \
    unsigned short r;                                                                              \
    asm("cvt." rounding ".f16." ptx " %0, %1;" : "=h"(r) : constraint(v));                         \
    return __ushort_as_half(r);                                                                    \
  }
#define EW_HALF_ROUNDING(suffix, to_integer)                                     \
  EW_HALF_TO(int, int, "s32", int, "r", suffix, to_integer)                                        \
  EW_HALF_TO(uint, unsigned int, "u32", unsigned int, "r", suffix, to_integer)                     \
  EW_HALF_TO(short, short, "s16", short, "h", suffix, to_integer)                                  \
  EW_HALF_TO(ushort, unsigned short, "u16", unsigned short, "h", suffix, to_integer)               \
  EW_HALF_TO(ll, long long, "s64", long long, "l", suffix, to_integer)                             \
  EW_HALF_TO(ull, unsigned long long, "u64", unsigned long long, "l", suffix, to_integer)
#define EW_HALF_FROM_ROUNDING(suffix, rounding)                                                    \
  EW_HALF_FROM(int, int, "s32", "r", suffix, rounding)                                             \
  EW_HALF_FROM(uint, unsigned int, "u32", "r", suffix, rounding)                                   \
  EW_HALF_FROM(short, short, "s16", "h", suffix, rounding)                                         \
  EW_HALF_FROM(ushort, unsigned short, "u16", "h", suffix, rounding)                               \
  EW_HALF_FROM(ll, long long, "s64", "l", suffix, rounding)                                        \
  EW_HALF_FROM(ull, unsigned long long, "u64", "l", suffix, rounding)                              \
  EW_HALF_FROM(float, float, "f32", "f", suffix, rounding)
EW_HALF_ROUNDING(rn, "rni")
EW_HALF_ROUNDING(rd, "rmi")
EW_HALF_ROUNDING(ru, "rpi")
EW_HALF_FROM_ROUNDING(rz, "rz")
EW_HALF_FROM_ROUNDING(rd, "rm")
EW_HALF_FROM_ROUNDING(ru, "rp")
#undef EW_HALF_FROM_ROUNDING
#undef EW_HALF_ROUNDING
#undef EW_HALF_FROM
#undef EW_HALF_TO
#endif
