// EW_DEVICE: how every device function of these headers is declared. `nodebug`, so that an inlined instruction carries the
// source line of the program's call, not one of ours.
#pragma once
#define EW_DEVICE static __inline__ __attribute__((device, always_inline, nodebug))
// The same of those that CUDA declares for both sides.
#define EW_BOTH_SIDES static __inline__ __attribute__((host, device, always_inline, nodebug))
// The names of CUDA 8 and older for operations between lanes. nvcc refuses them from sm_70 on; here old programs keep running.
#define EW_WITHOUT_MASK(name) \
  __attribute__((deprecated("it names no lanes, so those that arrive together take part; " #name "_sync names them")))
