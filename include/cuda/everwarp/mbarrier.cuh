// PTX mbarrier objects in shared memory (sm_80 and later) under CUDA's C names.
#pragma once

#include "device_function.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

EW_DEVICE unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
EW_DEVICE void __mbarrier_init(__mbarrier_t *barrier, unsigned int expected) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"l"(__cvta_generic_to_shared(barrier)), "r"(expected) : "memory");
}
EW_DEVICE void __mbarrier_inval(__mbarrier_t *barrier) {
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"l"(__cvta_generic_to_shared(barrier)) : "memory");
}
EW_DEVICE __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(token)
               : "l"(__cvta_generic_to_shared(barrier))
               : "memory");
  return token;
}
EW_DEVICE __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  __mbarrier_token_t token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
               : "=l"(token)
               : "l"(__cvta_generic_to_shared(barrier))
               : "memory");
  return token;
}
EW_DEVICE bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  unsigned int done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "l"(__cvta_generic_to_shared(barrier)), "l"(token)
               : "memory");
  return done;
}
EW_DEVICE unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned int pending;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
  return pending;
}
#endif
