// Persist operations of SBRP ("Scoped Buffered Persistency Model for GPUs", ASPLOS'23, section 4) for device code. They
// order and complete *persists*: stores to a pool that gpm_map() has mapped (gpm.cuh).
//
//   ofence()                      persists before it become durable before persists after it, in this thread
//   dfence()                      returns when all earlier persists of this thread are durable
//   pRel_block(&flag, value)      stores `value`: a release of the persists before it
//   value = pAcq_block(&flag)     reads the flag: an acquire. If it reads the value of a pRel, the persists before that
//                                 pRel become durable before the persists after this pAcq
//   … _dev, _sys                  the same at device and system scope
//
// A flag is a 4- or 8-byte object in shared, global or persistent memory. Each operation is one block of inline PTX: a
// pragma that names it, real instructions with at least this effect, an end pragma. A real GPU runs the instructions
// (nvcc accepts them, ptxas warns of the pragma). Everwarp runs the named operation in their place. The instructions rely
// on GPM (ASPLOS'22, section 5.1): a system-scoped fence waits until stores have reached the persistence domain.
#pragma once

#if defined(__CUDACC__)

#include "region.cuh"

namespace everwarp {

// A parameter type that is not deduced from the argument. So pRel_dev(&flag_of_unsigned, 1) compiles.
template <class T>
struct as_is {
  using type = T;
};

}  // namespace everwarp

EVERWARP_DEVICE void ofence() {
  asm volatile(EVERWARP_REGION("ofence", "membar.sys;")::: "memory");
}

EVERWARP_DEVICE void dfence() {
  asm volatile(EVERWARP_REGION("dfence", "membar.sys;")::: "memory");
}

// Before sm_70 PTX has no scopes on loads and stores. Volatile accesses and a fence are used instead, which are stronger.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define EVERWARP_RELEASE(scope, bits) "membar.sys;\n\tst.volatile." bits " [%0], %1;"
#define EVERWARP_ACQUIRE(scope, bits) "ld.volatile." bits " %0, [%1];\n\tmembar.sys;"
#else
#define EVERWARP_RELEASE(scope, bits) "membar.sys;\n\tst.relaxed." scope "." bits " [%0], %1;"
#define EVERWARP_ACQUIRE(scope, bits) "ld.acquire." scope "." bits " %0, [%1];"
#endif

#define EVERWARP_SCOPED(suffix, name, scope)                                                                         \
  namespace everwarp {                                                                                               \
  EVERWARP_DEVICE void release_##suffix(volatile void* flag, unsigned bits) {                                        \
    asm volatile(EVERWARP_REGION("prel_" name, EVERWARP_RELEASE(scope, "b32"))::"l"(flag), "r"(bits) : "memory");    \
  }                                                                                                                  \
  EVERWARP_DEVICE void release_##suffix(volatile void* flag, unsigned long long bits) {                              \
    asm volatile(EVERWARP_REGION("prel_" name, EVERWARP_RELEASE(scope, "b64"))::"l"(flag), "l"(bits) : "memory");    \
  }                                                                                                                  \
  EVERWARP_DEVICE void acquire_##suffix(const volatile void* flag, unsigned& bits) {                                 \
    asm volatile(EVERWARP_REGION("pacq_" name, EVERWARP_ACQUIRE(scope, "b32")) : "=r"(bits) : "l"(flag) : "memory"); \
  }                                                                                                                  \
  EVERWARP_DEVICE void acquire_##suffix(const volatile void* flag, unsigned long long& bits) {                       \
    asm volatile(EVERWARP_REGION("pacq_" name, EVERWARP_ACQUIRE(scope, "b64")) : "=l"(bits) : "l"(flag) : "memory"); \
  }                                                                                                                  \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  EVERWARP_DEVICE void pRel_##suffix(volatile T* flag, typename everwarp::as_is<T>::type value) {                    \
    everwarp::Bits<T> bits;                                                                                          \
    bits.value = value;                                                                                              \
    everwarp::release_##suffix(flag, bits.word);                                                                     \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  EVERWARP_DEVICE T pAcq_##suffix(const volatile T* flag) {                                                          \
    everwarp::Bits<T> bits;                                                                                          \
    everwarp::acquire_##suffix(flag, bits.word);                                                                     \
    return bits.value;                                                                                               \
  }

EVERWARP_SCOPED(block, "block", "cta")
EVERWARP_SCOPED(dev, "dev", "gpu")
EVERWARP_SCOPED(sys, "sys", "sys")

#undef EVERWARP_SCOPED
#undef EVERWARP_RELEASE
#undef EVERWARP_ACQUIRE

#endif  // __CUDACC__
