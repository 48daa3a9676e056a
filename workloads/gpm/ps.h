// The values that ps.cu and cpu_ps.cu sum.
#pragma once
#include "gpmbench.h"

namespace bench {

__host__ __device__ inline uint32_t value_of(uint32_t array,
                                             uint32_t i) {  // sums wrap; zero and 2^32 - 1 are values, too
  return static_cast<uint32_t>(bench::mix(uint64_t(array) << 32 | i) >> 20);
}

}  // namespace bench
