// A reduction in one launch: every block writes a partial sum, fences, and takes a ticket; the block that draws the
// last ticket adds the partial sums up. Exercises: __threadfence, atomicInc that wraps, __syncthreads, a __device__
// variable.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kThreads = 256;
__device__ unsigned tickets_drawn;  // wraps to 0 by itself, so the kernel can be launched again

__device__ long long sum_of_block(long long value) {
  __shared__ long long cells[kThreads];
  cells[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) cells[threadIdx.x] += cells[threadIdx.x + half];
  }
  __syncthreads();
  const long long sum = cells[0];
  __syncthreads();  // the cells may be used again by the caller's next call
  return sum;
}

__global__ void sum(const int* in, int n, volatile long long* partial, long long* result) {
  __shared__ bool last;
  long long mine = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) mine += in[i];
  const long long of_block = sum_of_block(mine);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = of_block;
    __threadfence();
    last = atomicInc(&tickets_drawn, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  mine = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += kThreads) mine += partial[b];
  const long long total = sum_of_block(mine);
  if (threadIdx.x == 0) *result = total;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 65536, 1, 1 << 26);
  const int blocks = size_argument(argc, argv, 2, 37, 1, 4096);
  Random random(3);
  std::vector<int> in(n);
  for (auto& x : in) x = static_cast<int>(random.next());
  long long want = 0;
  for (int x : in) want += x;

  DeviceArray<int> device_in(in);
  DeviceArray<long long> partial(blocks), result(1);
  for (int round = 0; round < 3; ++round) {
    CUDA(cudaMemset(result, 0xff, sizeof(long long)));
    sum<<<blocks, kThreads>>>(device_in, n, partial, result);
    FINISH_KERNEL();
    const long long got = result.download()[0];
    EXPECT(got == want, "round %d: sum should be %lld, is %lld", round, want, got);
  }
  return PASS("n=%d blocks=%d sum=%lld", n, blocks, want);
}
