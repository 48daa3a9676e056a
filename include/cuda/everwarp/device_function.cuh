// EW_DEVICE: the attributes of every device function of these headers. With `nodebug` an inlined instruction carries the
// source line of the program's call, not a line of ours.
#pragma once
#define EW_DEVICE static __inline__ __attribute__((device, always_inline, nodebug))
// The same for functions that CUDA declares for host and device.
#define EW_BOTH_SIDES static __inline__ __attribute__((host, device, always_inline, nodebug))
// The names of CUDA 8 and older for operations between lanes. nvcc refuses them from sm_70 on. Here old programs may use
// them.
#define EW_WITHOUT_MASK(name) \
  __attribute__((deprecated("it names no lanes, so those that arrive together take part; " #name "_sync names them")))
