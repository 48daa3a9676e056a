// Assist warps: warps of the hardware that run a routine of the program for the warps of a block.
//
//   __device__ __noinline__ void drain(void* buffer) { … }        // 32 lanes; blockIdx is that of the block, threadIdx.x the lane
//   if (threadIdx.x == 0 && everwarp::register_assist(drain, buffer) != everwarp::assist_hardware) …   // once a block
//   …
//   everwarp::wake_assist();     what this thread has stored before in shared memory is there when the routine begins
//
// A machine file says which machine has them (assist.model). docs/semantics/assist-warps.md says what is promised. No GPU
// that nvcc compiles for has assist warps: there the answer is assist_none, and waking is a fence.
#pragma once

#if defined(__CUDACC__)

#include "region.cuh"

namespace everwarp {

/// Who is to persist for the warps of a block.
enum Assist : int {
  assist_none,      // each thread by itself
  assist_software,  // helper warps of the program
  assist_hardware,  // assist warps of the SM
};

}  // namespace everwarp

#if __has_include(<everwarp/prelude.cuh>)  // Everwarp's compiler

extern "C" int everwarp_assist(void);  // for the host: an everwarp::Assist
/// Everwarp answers in its place. The body is for a GPU that gets the PTX: there are no assist warps.
extern "C" __device__ __attribute__((weak, noinline)) int __everwarp_assist(void (*)(void*), void*) {
  return 0;
}

namespace everwarp {

/// What the machine has.
inline Assist machine_assist() {
  return static_cast<Assist>(everwarp_assist());
}
/// From now on this block's events run `routine(argument)` in an assist warp. Answers what the machine has: only with
/// assist_hardware there is anybody to run it. NULL: asks alone. A routine begins and ends as one warp; it may use
/// barriers with a number of threads, and no others.
EVERWARP_DEVICE Assist register_assist(void (*routine)(void*), void* argument) {
  return static_cast<Assist>(__everwarp_assist(routine, argument));
}

}  // namespace everwarp

#else  // a real GPU

namespace everwarp {

inline Assist machine_assist() {
  return assist_none;
}
EVERWARP_DEVICE Assist register_assist(void (*)(void*), void*) {
  return assist_none;
}

}  // namespace everwarp

#endif

namespace everwarp {

/// An event: the assist routine of this thread's block begins, or once more when it has ended.
EVERWARP_DEVICE void wake_assist() {
  asm volatile(EVERWARP_REGION("assist_wake", "membar.cta;")::: "memory");
}

}  // namespace everwarp

#endif  // __CUDACC__
