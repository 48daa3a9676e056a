// A named region of inline PTX. The device headers of this folder share it.
//
// A region is a pragma that names an operation, real instructions with at least its effect, and an end pragma. A real GPU
// runs the instructions (nvcc accepts them, ptxas warns of the pragma). Everwarp may run the named operation instead.
#pragma once

#if defined(__CUDACC__)

// The attributes of these functions. `nodebug`: their instructions carry the source line of the call. A report about a
// program should name that line. nvcc gives a line in this file, and the line of the call beside it.
#if defined(__clang__)
#define EVERWARP_NODEBUG __attribute__((nodebug))  // of a lambda: behind its parameters
#else
#define EVERWARP_NODEBUG
#endif
#define EVERWARP_DEVICE EVERWARP_NODEBUG __device__ __forceinline__

#define EVERWARP_REGION(name, instructions) \
  ".pragma \"everwarp." name "\";\n\t" instructions "\n\t.pragma \"everwarp.end\";"

namespace everwarp {

/// Lets about so many nanoseconds pass. GPUs before sm_70 have no nanosleep: there it is cycles.
EVERWARP_DEVICE void wait_ns(unsigned ns) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
  for (const long long end = clock64() + ns; clock64() < end;) continue;
#else
  __nanosleep(ns);
#endif
}

/// Pauses of a thread that looks again and again at what others change: each is about a quarter longer than the one
/// before, up to a bound.
class Pauses {
 public:
  EVERWARP_DEVICE Pauses(unsigned shortest_ns, unsigned longest_ns) : next_(shortest_ns), longest_(longest_ns) {}
  EVERWARP_DEVICE void pause() {
    wait_ns(next_);
    next_ = next_ + next_ / 4 < longest_ ? next_ + next_ / 4 : longest_;
  }

 private:
  unsigned next_, longest_;
};

// The bits of a value of 4 or 8 bytes, as a register of that size holds them.
template <class T, int size = sizeof(T)>
union Bits {
  static_assert(size == 4 || size == 8, "a flag, a local_ref's object and read_only data have 4 or 8 bytes");
};
template <class T>
union Bits<T, 4> {
  T value;
  unsigned word;
};
template <class T>
union Bits<T, 8> {
  T value;
  unsigned long long word;
};

}  // namespace everwarp

#endif  // __CUDACC__
