// __ldg and loads and stores with cache operators (PTX ISA, ld: cache operators .ca .cg .cs .lu .cv; st: .wb .cg .cs .wt).
#pragma once

#include "../vector_types.h"
#include "device_function.cuh"


#define EW_LDG(type, suffix) \
  EW_DEVICE type __ldg(const type *p) { return (type)__nvvm_ldg_##suffix(p); }
EW_LDG(char, c)
EW_LDG(signed char, sc)
EW_LDG(short, s)
EW_LDG(int, i)
EW_LDG(long, l)
EW_LDG(long long, ll)
EW_LDG(unsigned char, uc)
EW_LDG(unsigned short, us)
EW_LDG(unsigned int, ui)
EW_LDG(unsigned long, ul)
EW_LDG(unsigned long long, ull)
EW_LDG(float, f)
EW_LDG(double, d)
#undef EW_LDG

#define EW_LDG_VECTOR(type, element, n, suffix)                                    \
  EW_DEVICE type __ldg(const type *p) {                                            \
    typedef element Lanes __attribute__((ext_vector_type(n)));                     \
    return __builtin_bit_cast(type, __nvvm_ldg_##suffix((const Lanes *)p));        \
  }
EW_LDG_VECTOR(char2, signed char, 2, sc2)
EW_LDG_VECTOR(char4, signed char, 4, sc4)
EW_LDG_VECTOR(short2, short, 2, s2)
EW_LDG_VECTOR(short4, short, 4, s4)
EW_LDG_VECTOR(int2, int, 2, i2)
EW_LDG_VECTOR(int4, int, 4, i4)
EW_LDG_VECTOR(longlong2, long long, 2, ll2)
EW_LDG_VECTOR(uchar2, unsigned char, 2, uc2)
EW_LDG_VECTOR(uchar4, unsigned char, 4, uc4)
EW_LDG_VECTOR(ushort2, unsigned short, 2, us2)
EW_LDG_VECTOR(ushort4, unsigned short, 4, us4)
EW_LDG_VECTOR(uint2, unsigned int, 2, ui2)
EW_LDG_VECTOR(uint4, unsigned int, 4, ui4)
EW_LDG_VECTOR(ulonglong2, unsigned long long, 2, ull2)
EW_LDG_VECTOR(float2, float, 2, f2)
EW_LDG_VECTOR(float4, float, 4, f4)
EW_LDG_VECTOR(double2, double, 2, d2)
#undef EW_LDG_VECTOR

// 8-bit values travel in 16-bit registers; `carrier` is the register's type.
#define EW_LOAD_1(op, type, ptx, carrier, constraint)                                                    \
  EW_DEVICE type __ld##op(const type *p) {                                                               \
    carrier v;                                                                                           \
    asm volatile("ld.global." #op "." ptx " %0, [%1];" : "=" constraint(v) : "l"(p) : "memory");         \
    return (type)v;                                                                                      \
  }
#define EW_LOAD_2(op, type, ptx, carrier, constraint)                                                    \
  EW_DEVICE type __ld##op(const type *p) {                                                               \
    carrier x, y;                                                                                        \
    asm volatile("ld.global." #op ".v2." ptx " {%0, %1}, [%2];"                                          \
                 : "=" constraint(x), "=" constraint(y)                                                  \
                 : "l"(p)                                                                                \
                 : "memory");                                                                            \
    type v;                                                                                              \
    v.x = x, v.y = y;                                                                                    \
    return v;                                                                                            \
  }
#define EW_LOAD_4(op, type, ptx, carrier, constraint)                                                    \
  EW_DEVICE type __ld##op(const type *p) {                                                               \
    carrier x, y, z, w;                                                                                  \
    asm volatile("ld.global." #op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                                  \
                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w)            \
                 : "l"(p)                                                                                \
                 : "memory");                                                                            \
    type v;                                                                                              \
    v.x = x, v.y = y, v.z = z, v.w = w;                                                                  \
    return v;                                                                                            \
  }
#define EW_STORE_1(op, type, ptx, carrier, constraint)                                                   \
  EW_DEVICE void __st##op(type *p, type v) {                                                             \
    asm volatile("st.global." #op "." ptx " [%0], %1;" ::"l"(p), constraint((carrier)v) : "memory");     \
  }
#define EW_STORE_2(op, type, ptx, carrier, constraint)                                                   \
  EW_DEVICE void __st##op(type *p, type v) {                                                             \
    asm volatile("st.global." #op ".v2." ptx " [%0], {%1, %2};" ::"l"(p), constraint((carrier)v.x),      \
                 constraint((carrier)v.y)                                                                \
                 : "memory");                                                                            \
  }
#define EW_STORE_4(op, type, ptx, carrier, constraint)                                                   \
  EW_DEVICE void __st##op(type *p, type v) {                                                             \
    asm volatile("st.global." #op ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(p),                        \
                 constraint((carrier)v.x), constraint((carrier)v.y), constraint((carrier)v.z),           \
                 constraint((carrier)v.w)                                                                \
                 : "memory");                                                                            \
  }

#define EW_FAMILY(access, op, scalar, name, ptx, carrier, constraint) \
  access##_1(op, scalar, ptx, carrier, constraint)                    \
  access##_2(op, name##2, ptx, carrier, constraint)                   \
  access##_4(op, name##4, ptx, carrier, constraint)
#define EW_FAMILY_64(access, op, scalar, name, ptx, carrier, constraint) \
  access##_1(op, scalar, ptx, carrier, constraint)                       \
  access##_2(op, name##2, ptx, carrier, constraint)

#define EW_ALL_TYPES(access, op)                                                   \
  access##_1(op, char, "s8", short, "h")                                           \
  EW_FAMILY(access, op, signed char, char, "s8", short, "h")                       \
  EW_FAMILY(access, op, unsigned char, uchar, "u8", unsigned short, "h")           \
  EW_FAMILY(access, op, short, short, "s16", short, "h")                           \
  EW_FAMILY(access, op, unsigned short, ushort, "u16", unsigned short, "h")        \
  EW_FAMILY(access, op, int, int, "s32", int, "r")                                 \
  EW_FAMILY(access, op, unsigned int, uint, "u32", unsigned int, "r")              \
  EW_FAMILY(access, op, float, float, "f32", float, "f")                           \
  EW_FAMILY_64(access, op, long, long, "s64", long, "l")                           \
  EW_FAMILY_64(access, op, unsigned long, ulong, "u64", unsigned long, "l")        \
  EW_FAMILY_64(access, op, long long, longlong, "s64", long long, "l")             \
  EW_FAMILY_64(access, op, unsigned long long, ulonglong, "u64", unsigned long long, "l") \
  EW_FAMILY_64(access, op, double, double, "f64", double, "d")

EW_ALL_TYPES(EW_LOAD, ca)
EW_ALL_TYPES(EW_LOAD, cg)
EW_ALL_TYPES(EW_LOAD, cs)
EW_ALL_TYPES(EW_LOAD, lu)
EW_ALL_TYPES(EW_LOAD, cv)
EW_ALL_TYPES(EW_STORE, wb)
EW_ALL_TYPES(EW_STORE, cg)
EW_ALL_TYPES(EW_STORE, cs)
EW_ALL_TYPES(EW_STORE, wt)

#undef EW_ALL_TYPES
#undef EW_FAMILY_64
#undef EW_FAMILY
#undef EW_STORE_4
#undef EW_STORE_2
#undef EW_STORE_1
#undef EW_LOAD_4
#undef EW_LOAD_2
#undef EW_LOAD_1

// <cuda/annotated_ptr> calls this. An eviction priority is a hint. No cache here uses it.
EW_DEVICE void *__nv_associate_access_property(const void *p, unsigned long long) { return const_cast<void *>(p); }
