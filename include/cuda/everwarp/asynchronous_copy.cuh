// cp.async behind __pipeline_memcpy_async (cuda_pipeline.h) and the memcpy_async of cooperative groups and libcu++.
#pragma once

#include "device_function.cuh"

namespace everwarp_detail {
// One thread's copy of 4, 8 or 16 aligned bytes.
template <int bytes>
EW_DEVICE void copy_asynchronously(void *shared, const void *global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"l"(__cvta_generic_to_shared(shared)), "l"(global),
               "n"(bytes)
               : "memory");
#else
  __builtin_memcpy(shared, global, bytes);
#endif
}

template <int bytes>
EW_DEVICE void copy_units(void *to, const void *from, size_t size, size_t rank, size_t ranks) {
  const bool asynchronous = __isShared(to) && __isGlobal(from);
  for (size_t at = rank * bytes; at < size; at += ranks * bytes) {
    if (asynchronous)
      copy_asynchronously<bytes>((char *)to + at, (const char *)from + at);
    else
      __builtin_memcpy((char *)to + at, (const char *)from + at, bytes);
  }
}

EW_DEVICE void copy_strided(void *to, const void *from, size_t size, size_t rank, size_t ranks) {
  const size_t alignment = (size_t)to | (size_t)from | size;
  if (alignment % 16 == 0) return copy_units<16>(to, from, size, rank, ranks);
  if (alignment % 8 == 0) return copy_units<8>(to, from, size, rank, ranks);
  if (alignment % 4 == 0) return copy_units<4>(to, from, size, rank, ranks);
  for (size_t at = rank; at < size; at += ranks) ((char *)to)[at] = ((const char *)from)[at];
}
}  // namespace everwarp_detail

EW_DEVICE void __pipeline_memcpy_async(void *shared, const void *global, size_t size, size_t zero_fill = 0) {
#if __CUDA_ARCH__ >= 800
  const size_t to = __cvta_generic_to_shared(shared);
  const unsigned int copied = (unsigned int)(size - zero_fill);
  if (size == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"l"(to), "l"(global), "r"(copied) : "memory");
  else if (size == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"l"(to), "l"(global), "r"(copied) : "memory");
  else if (size == 4)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"l"(to), "l"(global), "r"(copied) : "memory");
  else
    __trap();  // CUDA allows 4, 8 and 16
#else
  __builtin_memcpy(shared, global, size - zero_fill);
  __builtin_memset((char *)shared + size - zero_fill, 0, zero_fill);
#endif
}
EW_DEVICE void __pipeline_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// The instruction needs a constant. CUDA promises eight different values. Waiting for more groups is always correct.
EW_DEVICE void __pipeline_wait_prior(size_t groups) {
#if __CUDA_ARCH__ >= 800
  switch (groups) {
    case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
    case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
    case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
    case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
    case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
    case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
    case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
    case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
    default: asm volatile("cp.async.wait_group 8;" ::: "memory"); break;
  }
#endif
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
EW_DEVICE void __pipeline_arrive_on(unsigned long long *barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"l"(__cvta_generic_to_shared(barrier)) : "memory");
}
#endif
