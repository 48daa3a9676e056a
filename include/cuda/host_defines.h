// Execution and memory space words of CUDA C++ (clang's attributes behind CUDA's names) and calling-convention words.
// In a compiler that does not know CUDA (g++ on a .cpp file) the words vanish, so that shared headers compile there.
#pragma once
#define __HOST_DEFINES_H__  // CUDA's include guard: programs and libraries test it

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// clang 19 has __managed__ for HIP only. Here the host's variable stands in a section that the runtime knows
// (prelude.cuh). Kernels use the same variable.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("everwarp_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif

#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __builtin_align__(n) __align__(n)
#define __align__(n) __attribute__((aligned(n)))
#define __location__(a) __annotate__(a)
#define __annotate__(a) __attribute__((a))
#define __specialization_static static
#define __storage_auto__
#define __nv_pure__ __attribute__((pure))
#define __thread__ __thread

// In CUDA mode clang itself knows the keyword __noinline__. A macro that expands to an attribute would be an error:
// libstdc++ uses the word inside __attribute__((…)).
#if !defined(__CUDA__)
#define __forceinline__ __inline__ __attribute__((always_inline))
#else
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
