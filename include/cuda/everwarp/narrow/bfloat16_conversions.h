// CUDA's named conversions of __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include "bfloat16_type.h"

EW_BOTH float __bfloat162float(__nv_bfloat16 h) { return h; }
EW_BOTH __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
EW_BOTH __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
EW_BOTH __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
EW_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return ((__nv_bfloat16_raw)h).x; }
EW_BOTH short __bfloat16_as_short(__nv_bfloat16 h) { return (short)((__nv_bfloat16_raw)h).x; }
EW_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short b) { return __nv_bfloat16(__nv_bfloat16_raw{b}); }
EW_BOTH __nv_bfloat16 __short_as_bfloat16(short b) { return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)b}); }

// Directed roundings keep or step the truncated upper half.
EW_BOTH __nv_bfloat16 __float2bfloat16_rz(float f) {
  const unsigned int u = __builtin_bit_cast(unsigned int, f);
  return __ushort_as_bfloat16((u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (unsigned short)(u >> 16));
}
EW_BOTH __nv_bfloat16 __float2bfloat16_rd(float f) {
  const unsigned int u = __builtin_bit_cast(unsigned int, f);
  const unsigned short step = (u >> 31) && (u & 0xffff) && f == f;
  return __ushort_as_bfloat16((unsigned short)(__bfloat16_as_ushort(__float2bfloat16_rz(f)) + step));
}
EW_BOTH __nv_bfloat16 __float2bfloat16_ru(float f) {
  const unsigned int u = __builtin_bit_cast(unsigned int, f);
  const unsigned short step = !(u >> 31) && (u & 0xffff) && f == f;
  return __ushort_as_bfloat16((unsigned short)(__bfloat16_as_ushort(__float2bfloat16_rz(f)) + step));
}

EW_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
EW_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
EW_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
EW_BOTH __nv_bfloat162 __float2bfloat162_rn(float f) { return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f)); }
EW_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
EW_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 f) { return __floats2bfloat162_rn(f.x, f.y); }
EW_BOTH float2 __bfloat1622float2(__nv_bfloat162 h) {
  float2 f = {(float)h.x, (float)h.y};
  return f;
}
EW_BOTH float __low2float(__nv_bfloat162 h) { return h.x; }
EW_BOTH float __high2float(__nv_bfloat162 h) { return h.y; }
EW_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 h) { return h.x; }
EW_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 h) { return h.y; }
EW_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.x, h.x); }
EW_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.y); }
EW_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
EW_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
EW_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 h) { return __nv_bfloat162(h.y, h.x); }

EW_BOTH signed char __bfloat162char_rz(__nv_bfloat16 h) {
  const float f = h;
  return f != f ? 0 : f <= -128 ? -128 : f >= 127 ? 127 : (signed char)f;
}
EW_BOTH unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) {
  const float f = h;
  return !(f > 0) ? 0 : f >= 255 ? 255 : (unsigned char)f;
}
EW_BOTH int __bfloat162int_rz(__nv_bfloat16 h) { return (int)(float)h; }
EW_BOTH unsigned int __bfloat162uint_rz(__nv_bfloat16 h) { return (unsigned int)(float)h; }
EW_BOTH short __bfloat162short_rz(__nv_bfloat16 h) { return (short)(float)h; }
EW_BOTH unsigned short __bfloat162ushort_rz(__nv_bfloat16 h) { return (unsigned short)(float)h; }
EW_BOTH long long __bfloat162ll_rz(__nv_bfloat16 h) { return (long long)(float)h; }
EW_BOTH unsigned long long __bfloat162ull_rz(__nv_bfloat16 h) { return (unsigned long long)(float)h; }
EW_BOTH __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
EW_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __nv_bfloat16(v); }
EW_BOTH __nv_bfloat16 __short2bfloat16_rn(short v) { return __nv_bfloat16(v); }
EW_BOTH __nv_bfloat16 __ushort2bfloat16_rn(unsigned short v) { return __nv_bfloat16(v); }

#if defined(__CUDA__)
#define EW_BFLOAT_TO_INTEGER(suffix)                                                                           \
  EW_DEVICE int __bfloat162int_##suffix(__nv_bfloat16 h) { return __float2int_##suffix(h); }                   \
  EW_DEVICE unsigned int __bfloat162uint_##suffix(__nv_bfloat16 h) { return __float2uint_##suffix(h); }        \
  EW_DEVICE long long __bfloat162ll_##suffix(__nv_bfloat16 h) { return __float2ll_##suffix(h); }               \
  EW_DEVICE unsigned long long __bfloat162ull_##suffix(__nv_bfloat16 h) { return __float2ull_##suffix(h); }
EW_BFLOAT_TO_INTEGER(rn)
EW_BFLOAT_TO_INTEGER(rd)
EW_BFLOAT_TO_INTEGER(ru)
#undef EW_BFLOAT_TO_INTEGER
#endif
