// Built-in vector types (char1 … double4) with CUDA's sizes and alignments, and dim3.
#pragma once
#define __VECTOR_TYPES_H__  // CUDA's include guard: programs and libraries test it

#include "host_defines.h"

#define EW_VECTOR_TYPES(name, type, align2, align4) \
  struct name##1 {                                  \
    type x;                                         \
  };                                                \
  struct __align__(align2) name##2 {                \
    type x, y;                                      \
  };                                                \
  struct name##3 {                                  \
    type x, y, z;                                   \
  };                                                \
  struct __align__(align4) name##4 {                \
    type x, y, z, w;                                \
  };                                                \
  typedef struct name##1 name##1;                   \
  typedef struct name##2 name##2;                   \
  typedef struct name##3 name##3;                   \
  typedef struct name##4 name##4;

EW_VECTOR_TYPES(char, signed char, 2, 4)
EW_VECTOR_TYPES(uchar, unsigned char, 2, 4)
EW_VECTOR_TYPES(short, short, 4, 8)
EW_VECTOR_TYPES(ushort, unsigned short, 4, 8)
EW_VECTOR_TYPES(int, int, 8, 16)
EW_VECTOR_TYPES(uint, unsigned int, 8, 16)
EW_VECTOR_TYPES(long, long, 16, 16)
EW_VECTOR_TYPES(ulong, unsigned long, 16, 16)
EW_VECTOR_TYPES(longlong, long long, 16, 16)
EW_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
EW_VECTOR_TYPES(float, float, 8, 16)
EW_VECTOR_TYPES(double, double, 16, 16)
#undef EW_VECTOR_TYPES

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
#endif
};
typedef struct dim3 dim3;
