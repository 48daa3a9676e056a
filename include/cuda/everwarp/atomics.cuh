// atomicAdd & co. on 32- and 64-bit words, at device scope, block scope (_block) and system scope (_system).
// Each becomes one `atom`; clang infers its state space. 16-bit and packed forms stand in cuda_fp16.h and cuda_bf16.h.
#pragma once

#include "device_function.cuh"

// Device scope is LLVM's atomicrmw; the scoped forms are intrinsics.
#define EW_ATOMIC(name, type, builtin_type, op, suffix)                                                        \
  EW_DEVICE type name(type *address, type value) {                                                             \
    return (type)__nvvm_atom_##op##_gen_##suffix((builtin_type volatile *)address, (builtin_type)value);       \
  }                                                                                                            \
  EW_DEVICE type name##_block(type *address, type value) {                                                     \
    return (type)__nvvm_atom_cta_##op##_gen_##suffix((builtin_type *)address, (builtin_type)value);            \
  }                                                                                                            \
  EW_DEVICE type name##_system(type *address, type value) {                                                    \
    return (type)__nvvm_atom_sys_##op##_gen_##suffix((builtin_type *)address, (builtin_type)value);            \
  }

EW_ATOMIC(atomicAdd, int, int, add, i)
EW_ATOMIC(atomicAdd, unsigned int, int, add, i)
EW_ATOMIC(atomicAdd, unsigned long long, long long, add, ll)
EW_ATOMIC(atomicAdd, float, float, add, f)
EW_ATOMIC(atomicAdd, double, double, add, d)
EW_ATOMIC(atomicExch, int, int, xchg, i)
EW_ATOMIC(atomicExch, unsigned int, int, xchg, i)
EW_ATOMIC(atomicExch, unsigned long long, long long, xchg, ll)
EW_ATOMIC(atomicMin, int, int, min, i)
EW_ATOMIC(atomicMin, unsigned int, unsigned int, min, ui)
EW_ATOMIC(atomicMin, long long, long long, min, ll)
EW_ATOMIC(atomicMin, unsigned long long, unsigned long long, min, ull)
EW_ATOMIC(atomicMax, int, int, max, i)
EW_ATOMIC(atomicMax, unsigned int, unsigned int, max, ui)
EW_ATOMIC(atomicMax, long long, long long, max, ll)
EW_ATOMIC(atomicMax, unsigned long long, unsigned long long, max, ull)
EW_ATOMIC(atomicInc, unsigned int, unsigned int, inc, ui)
EW_ATOMIC(atomicDec, unsigned int, unsigned int, dec, ui)
EW_ATOMIC(atomicAnd, int, int, and, i)
EW_ATOMIC(atomicAnd, unsigned int, int, and, i)
EW_ATOMIC(atomicAnd, long long, long long, and, ll)
EW_ATOMIC(atomicAnd, unsigned long long, long long, and, ll)
EW_ATOMIC(atomicOr, int, int, or, i)
EW_ATOMIC(atomicOr, unsigned int, int, or, i)
EW_ATOMIC(atomicOr, long long, long long, or, ll)
EW_ATOMIC(atomicOr, unsigned long long, long long, or, ll)
EW_ATOMIC(atomicXor, int, int, xor, i)
EW_ATOMIC(atomicXor, unsigned int, int, xor, i)
EW_ATOMIC(atomicXor, long long, long long, xor, ll)
EW_ATOMIC(atomicXor, unsigned long long, long long, xor, ll)
#undef EW_ATOMIC

#define EW_ATOMIC_CAS(type, builtin_type, suffix)                                                              \
  EW_DEVICE type atomicCAS(type *address, type compare, type value) {                                          \
    return (type)__nvvm_atom_cas_gen_##suffix((builtin_type volatile *)address, (builtin_type)compare,         \
                                              (builtin_type)value);                                            \
  }                                                                                                            \
  EW_DEVICE type atomicCAS_block(type *address, type compare, type value) {                                    \
    return (type)__nvvm_atom_cta_cas_gen_##suffix((builtin_type *)address, (builtin_type)compare,              \
                                                  (builtin_type)value);                                        \
  }                                                                                                            \
  EW_DEVICE type atomicCAS_system(type *address, type compare, type value) {                                   \
    return (type)__nvvm_atom_sys_cas_gen_##suffix((builtin_type *)address, (builtin_type)compare,              \
                                                  (builtin_type)value);                                        \
  }
EW_ATOMIC_CAS(int, int, i)
EW_ATOMIC_CAS(unsigned int, int, i)
EW_ATOMIC_CAS(unsigned long long, long long, ll)
#undef EW_ATOMIC_CAS

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define EW_ATOMIC_CAS_16(name, scope)                                                                          \
  EW_DEVICE unsigned short name(unsigned short *address, unsigned short compare, unsigned short value) {       \
    unsigned short old;                                                                                        \
    asm volatile("atom" scope ".cas.b16 %0, [%1], %2, %3;"                                                     \
                 : "=h"(old)                                                                                   \
                 : "l"(address), "h"(compare), "h"(value)                                                      \
                 : "memory");                                                                                  \
    return old;                                                                                                \
  }
EW_ATOMIC_CAS_16(atomicCAS, "")
EW_ATOMIC_CAS_16(atomicCAS_block, ".cta")
EW_ATOMIC_CAS_16(atomicCAS_system, ".sys")
#undef EW_ATOMIC_CAS_16
#endif

// atom.exch has no floating-point form: exchange the bits.
#define EW_ATOMIC_FLOAT(scope)                                                                                 \
  EW_DEVICE float atomicExch##scope(float *address, float value) {                                             \
    return __builtin_bit_cast(float, atomicExch##scope((int *)address, __builtin_bit_cast(int, value)));       \
  }                                                                                                            \
  EW_DEVICE int atomicSub##scope(int *address, int value) {                                                    \
    return atomicAdd##scope(address, (int)(0u - (unsigned int)value));                                         \
  }                                                                                                            \
  EW_DEVICE unsigned int atomicSub##scope(unsigned int *address, unsigned int value) {                         \
    return atomicAdd##scope(address, 0u - value);                                                              \
  }
EW_ATOMIC_FLOAT()
EW_ATOMIC_FLOAT(_block)
EW_ATOMIC_FLOAT(_system)
#undef EW_ATOMIC_FLOAT

// Vectors of float: each element is an atomic of its own, in order. The vector as a whole is not atomic, as CUDA says.
#define EW_ATOMIC_VECTOR(scope)                                                                                \
  EW_DEVICE float2 atomicAdd##scope(float2 *address, float2 value) {                                           \
    float2 old;                                                                                                \
    old.x = atomicAdd##scope(&address->x, value.x);                                                            \
    old.y = atomicAdd##scope(&address->y, value.y);                                                            \
    return old;                                                                                                \
  }                                                                                                            \
  EW_DEVICE float4 atomicAdd##scope(float4 *address, float4 value) {                                           \
    float4 old;                                                                                                \
    old.x = atomicAdd##scope(&address->x, value.x);                                                            \
    old.y = atomicAdd##scope(&address->y, value.y);                                                            \
    old.z = atomicAdd##scope(&address->z, value.z);                                                            \
    old.w = atomicAdd##scope(&address->w, value.w);                                                            \
    return old;                                                                                                \
  }
EW_ATOMIC_VECTOR()
EW_ATOMIC_VECTOR(_block)
EW_ATOMIC_VECTOR(_system)
#undef EW_ATOMIC_VECTOR
