// EW_DEVICE: how every device function of these headers is declared. `nodebug`, so that an inlined instruction carries the
// source line of the program's call, not one of ours.
#pragma once
#define EW_DEVICE static __inline__ __attribute__((device, always_inline, nodebug))
