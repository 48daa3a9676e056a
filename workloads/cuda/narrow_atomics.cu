// Atomic additions on __half, __half2, __nv_bfloat16 and __nv_bfloat162, in global and in shared memory, by all threads
// on one place: exact sums, and old values that are a legal history. Exercises: atomicAdd of the 16-bit types, those
// that PTX has and those that become a compare-and-swap.
//
// deterministic: yes
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

namespace {

constexpr int kBlocks = 4, kThreads = 32, kAll = kBlocks * kThreads;

struct Sums {
  __half half[2];  // the upper one shares a word with its neighbour
  __half2 half2;
  __nv_bfloat16 brain[2];
  __nv_bfloat162 brain2;
};
struct Olds {
  float half[2][kAll], half2[2][kAll], brain[2][kAll], brain2[2][kAll];
};

__device__ float number(__half v) {
  return __half2float(v);
}
__device__ float number(__nv_bfloat16 v) {
  return __bfloat162float(v);
}

__device__ void add_all(Sums* sums, Olds* olds, int id) {
  olds->half[0][id] = number(atomicAdd(&sums->half[0], __float2half(1)));
  olds->half[1][id] = number(atomicAdd(&sums->half[1], __float2half(-2)));
  const __half2 pair = atomicAdd(&sums->half2, __floats2half2_rn(1, 0.5f));
  olds->half2[0][id] = number(__low2half(pair)), olds->half2[1][id] = number(__high2half(pair));
  olds->brain[0][id] = number(atomicAdd(&sums->brain[0], __float2bfloat16(1)));
  olds->brain[1][id] = number(atomicAdd(&sums->brain[1], __float2bfloat16(-2)));
  const __nv_bfloat162 brains = atomicAdd(&sums->brain2, __floats2bfloat162_rn(1, 0.5f));
  olds->brain2[0][id] = number(__low2bfloat16(brains)), olds->brain2[1][id] = number(__high2bfloat16(brains));
}

__global__ void add_global(Sums* sums, Olds* olds) {
  add_all(sums, olds, blockIdx.x * blockDim.x + threadIdx.x);
}

// The one block of kAll threads.
__global__ void add_shared(Sums* sums, Olds* olds) {
  __shared__ Sums mine;
  if (threadIdx.x == 0) mine = *sums;
  __syncthreads();
  add_all(&mine, olds, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *sums = mine;
}

// One addend for all: the old values are its multiples, each once.
void require_history(const float (&olds)[kAll], float step, const char* what) {
  std::vector<int> seen(kAll);
  for (const float old : olds) {
    const int count = static_cast<int>(old / step);
    EXPECT(count >= 0 && count < kAll && old == static_cast<float>(count) * step && ++seen[count] == 1,
           "%s: %g should be a multiple of %g that comes once", what, old, step);
  }
}

template <class Kernel>
void run(Kernel kernel, int blocks, int threads, const char* where) {
  DeviceArray<Sums> sums(1, 0);
  DeviceArray<Olds> olds(1, 0);
  kernel<<<blocks, threads>>>(sums, olds);
  FINISH_KERNEL();
  const Sums s = sums.download()[0];
  const std::vector<Olds> histories = olds.download();
  const Olds& o = histories[0];
  const float found[] = {__half2float(s.half[0]), __half2float(s.half[1]),      __low2float(s.half2),
                         __high2float(s.half2),   __bfloat162float(s.brain[0]), __bfloat162float(s.brain[1]),
                         __low2float(s.brain2),   __high2float(s.brain2)};
  const float steps[] = {1, -2, 1, 0.5f, 1, -2, 1, 0.5f};
  for (int i = 0; i < 8; ++i)
    EXPECT(found[i] == kAll * steps[i], "sum %d in %s memory should be %g, is %g", i, where, kAll * steps[i], found[i]);
  for (int i = 0; i < 2; ++i) {
    require_history(o.half[i], steps[i], "__half");
    require_history(o.half2[i], steps[2 + i], "__half2");
    require_history(o.brain[i], steps[i], "__nv_bfloat16");
    require_history(o.brain2[i], steps[2 + i], "__nv_bfloat162");
  }
}

}  // namespace

int main() {
  run(add_global, kBlocks, kThreads, "global");
  run(add_shared, 1, kAll, "shared");
  return PASS("threads=%d", kAll);
}
