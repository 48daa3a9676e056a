// The start of every CUDA translation unit: `ew build` passes this file with -include to both clang passes.
// nvcc includes cuda_runtime.h there. Including cuda_runtime.h has the same effect.
#pragma once

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 89
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#if defined(__CLANG_RDC__)
#define __CUDACC_RDC__ 1
#endif

// libcu++ of Debian (1.8.1): take its CUDA implementation of atomics under clang, too.
#define _LIBCUDACXX_HAS_CUDA_ATOMIC_IMPL 1

#include "../host_defines.h"
#include "../vector_types.h"

// What alignas(X) asks for, X a type or a number (dialect.txt).
template <class T>
constexpr __SIZE_TYPE__ everwarp_alignment() {
  return alignof(T);
}
template <__SIZE_TYPE__ bytes>
constexpr __SIZE_TYPE__ everwarp_alignment() {
  return bytes;
}

// Before every standard header: in C++20, libstdc++'s own headers include <new>, and clang's device operator new calls these.
extern "C" {
__device__ void *malloc(__SIZE_TYPE__ size);
__device__ void free(void *p);
}

// Before every standard header: libstdc++ must find the device overloads declared (see math.cuh).
#include "math.cuh"

#include <limits.h>
#include <math.h>
#include <time.h>

#include <cmath>
#include <cstdlib>

#include "builtin_variables.cuh"
#include "device_library.cuh"

#include "atomics.cuh"
#include "cache_operators.cuh"
#include "conversions.cuh"
#include "dynamic_programming.cuh"
#include "integer_intrinsics.cuh"
#include "rounded_arithmetic.cuh"
#include "shuffle.cuh"
#include "simd_in_word.cuh"
#include "synchronization.cuh"

#include "../cuda_runtime.h"

#include "texture/objects.cuh"
#include "texture/references.cuh"
#include "texture/surfaces.cuh"

#if defined(EVERWARP_TRACE_HOST)
#include "../../everwarp/traced_intrinsics.h"
#endif

#if !defined(__CUDA_ARCH__)
// The place of the __managed__ variables of this program or library. The linker makes both symbols; they are null if there
// are no such variables.
extern "C" {
extern char __start_everwarp_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_everwarp_managed[] __attribute__((weak, visibility("hidden")));
void __everwarpManagedSection(const void *begin, const void *end);
void __everwarpTraceHost(void);
}
// Before clang's own constructors, which register the variables.
static __attribute__((constructor(101), nodebug)) void everwarp_managed_section() {
  if (__start_everwarp_managed) __everwarpManagedSection(__start_everwarp_managed, __stop_everwarp_managed);
#if defined(EVERWARP_TRACE_HOST)
  __everwarpTraceHost();  // from its first launch on the machine keeps step with the host's accesses
#endif
}
#endif
