// What the programs of this folder share beside check.h: one line an error code.
#pragma once
#include "../../../workloads/cuda/check.h"

// The call returns `want`; an error is then the thread's last error, once, unless it is sticky.
#define RETURNS(want, call)                                                                                           \
  do {                                                                                                                \
    const cudaError_t got_error = (call);                                                                             \
    EXPECT(got_error == (want), "line %d: %s should return %s, returned %s", __LINE__, #call, cudaGetErrorName(want), \
           cudaGetErrorName(got_error));                                                                              \
    if (got_error != cudaSuccess)                                                                                     \
      EXPECT(cudaGetLastError() == (want), "line %d: %s should leave %s as last error", __LINE__, #call,              \
             cudaGetErrorName(want));                                                                                 \
  } while (0)

#define SAME(want, got)                                                                                            \
  do {                                                                                                             \
    const long long want_value = static_cast<long long>(want), got_value = static_cast<long long>(got);            \
    EXPECT(want_value == got_value, "line %d: %s should be %lld, is %lld", __LINE__, #got, want_value, got_value); \
  } while (0)
