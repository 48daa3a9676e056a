// The functions of the C library that device code calls; clocks, traps, and queries of address spaces.
#pragma once

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device_function.cuh"

// The machine answers these. clang turns printf into vprintf with a packed argument buffer.
extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ __attribute__((noreturn)) void __assertfail(const char *expression, const char *file, unsigned int line,
                                                       const char *function, size_t char_size);
__device__ int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

__device__ inline __attribute__((always_inline, nodebug)) void __assert_fail(const char *expression, const char *file,
                                                                             unsigned int line, const char *function) {
  __assertfail(expression, file, line, function, 1);
}
__device__ inline __attribute__((always_inline, nodebug)) void *memcpy(void *to, const void *from, size_t size) {
  return __builtin_memcpy(to, from, size);
}
__device__ inline __attribute__((always_inline, nodebug)) void *memmove(void *to, const void *from, size_t size) {
  return __builtin_memmove(to, from, size);
}
__device__ inline __attribute__((always_inline, nodebug)) void *memset(void *to, int value, size_t size) {
  return __builtin_memset(to, value, size);
}
__device__ inline __attribute__((nodebug)) int memcmp(const void *a, const void *b, size_t size) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  for (; size > 0; --size, ++x, ++y)
    if (*x != *y) return *x < *y ? -1 : 1;
  return 0;
}
__device__ inline __attribute__((always_inline, nodebug)) clock_t clock() { return __nvvm_read_ptx_sreg_clock(); }
}

#include <new>

EW_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
EW_DEVICE unsigned long long __globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }

EW_DEVICE void __trap() { asm volatile("trap;"); }
EW_DEVICE void __brkpt() { asm volatile("brkpt;"); }

// clang puts these into the slots of pure and deleted functions in a table of virtual functions. Emitted only if needed.
extern "C" {
__device__ inline __attribute__((noreturn)) void __cxa_pure_virtual() {
  __trap();
  __builtin_unreachable();
}
__device__ inline __attribute__((noreturn)) void __cxa_deleted_virtual() {
  __trap();
  __builtin_unreachable();
}
}
#define __prof_trigger(event) asm volatile("pmevent %0;" ::"n"(event))
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
EW_DEVICE void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
#endif

EW_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
EW_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
EW_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
EW_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
EW_DEVICE unsigned int __isGridConstant(const void *p) { return 0; }  // parameters are copied to local memory when addressed

#define EW_CONVERT_ADDRESS(space, number)                                                                      \
  EW_DEVICE size_t __cvta_generic_to_##space(const void *p) {                                                  \
    return (size_t)(__attribute__((address_space(number))) const void *)p;                                     \
  }                                                                                                            \
  EW_DEVICE void *__cvta_##space##_to_generic(size_t p) {                                                      \
    return (void *)(__attribute__((address_space(number))) void *)p;                                           \
  }
EW_CONVERT_ADDRESS(global, 1)
EW_CONVERT_ADDRESS(shared, 3)
EW_CONVERT_ADDRESS(constant, 4)
EW_CONVERT_ADDRESS(local, 5)
#undef EW_CONVERT_ADDRESS
