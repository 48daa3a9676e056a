// make_char1 … make_double4.
#pragma once
#define __VECTOR_FUNCTIONS_H__  // CUDA's include guard: programs and libraries test it

#include "vector_types.h"

#define EW_MAKE_VECTORS(name, type)                                                     \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                \
    name##1 v = {x};                                                                    \
    return v;                                                                           \
  }                                                                                     \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {        \
    name##2 v = {x, y};                                                                 \
    return v;                                                                           \
  }                                                                                     \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) { \
    name##3 v = {x, y, z};                                                              \
    return v;                                                                           \
  }                                                                                     \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
    name##4 v = {x, y, z, w};                                                           \
    return v;                                                                           \
  }

EW_MAKE_VECTORS(char, signed char)
EW_MAKE_VECTORS(uchar, unsigned char)
EW_MAKE_VECTORS(short, short)
EW_MAKE_VECTORS(ushort, unsigned short)
EW_MAKE_VECTORS(int, int)
EW_MAKE_VECTORS(uint, unsigned int)
EW_MAKE_VECTORS(long, long)
EW_MAKE_VECTORS(ulong, unsigned long)
EW_MAKE_VECTORS(longlong, long long)
EW_MAKE_VECTORS(ulonglong, unsigned long long)
EW_MAKE_VECTORS(float, float)
EW_MAKE_VECTORS(double, double)
#undef EW_MAKE_VECTORS
