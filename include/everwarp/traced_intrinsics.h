// Of host code that is traced (ew build --trace-host): intrinsics of <immintrin.h> that order or flush stores. clang
// tells nobody of them, so they are calls here, which threads of host_parallel() (<everwarp/host.cuh>) are timed by.
// `ew build` includes this before the first line.
#pragma once

#if defined(__x86_64__) && !defined(__CUDA_ARCH__)

#include <immintrin.h>

#ifdef __cplusplus
extern "C" {
#endif
void __everwarp_flush(const void *address);
void __everwarp_fence(void);
void __everwarp_spin(void);
void __everwarp_stream(void *to, const void *from, unsigned bytes);
#ifdef __cplusplus
}
#endif

#define _mm_clwb(address) __everwarp_flush(address)
#define _mm_clflushopt(address) __everwarp_flush(address)
#define _mm_clflush(address) __everwarp_flush(address)
#define _mm_sfence() __everwarp_fence()
#define _mm_mfence() __everwarp_fence()
#define _mm_pause() __everwarp_spin()

static inline __attribute__((always_inline)) void everwarp_stream_4(int *to, int value) { __everwarp_stream(to, &value, 4); }
static inline __attribute__((always_inline)) void everwarp_stream_8(long long *to, long long value) {
  __everwarp_stream(to, &value, 8);
}
static inline __attribute__((always_inline)) void everwarp_stream_16(void *to, __m128i value) {
  __everwarp_stream(to, &value, 16);
}
#define _mm_stream_si32 everwarp_stream_4
#define _mm_stream_si64 everwarp_stream_8
#define _mm_stream_si128(to, value) everwarp_stream_16(to, value)
#define _mm_stream_ps(to, value) everwarp_stream_16(to, _mm_castps_si128(value))
#define _mm_stream_pd(to, value) everwarp_stream_16(to, _mm_castpd_si128(value))

#endif
