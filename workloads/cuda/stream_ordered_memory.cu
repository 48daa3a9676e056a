// Memory allocated and freed in stream order, from the default pool and one of our own, reused across streams under
// events. Exercises: cudaMallocAsync, cudaFreeAsync, cudaMemPool*, callbacks, per-stream lifetimes.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void fill(int* cells, int n, int start) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) cells[i] = start + i;
}
__global__ void add_up(const int* cells, int n, long long* sum) {
  long long mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += cells[i];
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(mine));
}
void CUDART_CB count_call(cudaStream_t, cudaError_t status, void* counter) {
  if (status == cudaSuccess) ++*static_cast<int*>(counter);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = size_argument(argc, argv, 1, 12, 1, 10000);
  const int n = size_argument(argc, argv, 2, 700, 1, 1 << 20);
  int supported = 0;
  CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  EXPECT(supported == 1, "memory pools should be supported, attribute is %d", supported);
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  cudaMemPool_t own, standard;
  CUDA(cudaMemPoolCreate(&own, &properties));
  CUDA(cudaDeviceGetDefaultMemPool(&standard, 0));
  uint64_t keep = 1 << 20, kept = 0;
  CUDA(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep));
  CUDA(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &kept));
  EXPECT(kept == keep, "the threshold should be %llu, is %llu", static_cast<unsigned long long>(keep),
         static_cast<unsigned long long>(kept));

  cudaStream_t streams[2];
  cudaEvent_t filled;
  for (auto& stream : streams) CUDA(cudaStreamCreate(&stream));
  CUDA(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  DeviceArray<long long> sums(rounds, 0);
  CUDA(cudaDeviceSynchronize());
  int calls = 0;
  for (int round = 0; round < rounds; ++round) {
    int* cells = nullptr;
    const size_t bytes = n * sizeof(int);
    if (round % 2)
      CUDA(cudaMallocAsync(&cells, bytes, streams[0]));
    else
      CUDA(cudaMallocFromPoolAsync(&cells, bytes, own, streams[0]));
    EXPECT(cells != nullptr, "allocation %d should give memory", round);
    fill<<<1, 64, 0, streams[0]>>>(cells, n, round * 10);
    CUDA(cudaEventRecord(filled, streams[0]));
    CUDA(cudaStreamWaitEvent(streams[1], filled, 0));
    add_up<<<1, 64, 0, streams[1]>>>(cells, n, sums + round);
    CUDA(cudaStreamAddCallback(streams[1], count_call, &calls, 0));
    CUDA(cudaFreeAsync(cells, streams[1]));  // in order after the sum
  }
  for (auto& stream : streams) CUDA(cudaStreamSynchronize(stream));
  std::vector<long long> want(rounds);
  for (int round = 0; round < rounds; ++round) want[round] = 10ll * round * n + static_cast<long long>(n) * (n - 1) / 2;
  EXPECT_SAME(want, sums.download(), "sum");
  EXPECT(calls == rounds, "%d callbacks should run, %d did", rounds, calls);
  CUDA(cudaMemPoolTrimTo(own, 0));
  CUDA(cudaMemPoolDestroy(own));
  for (auto& stream : streams) CUDA(cudaStreamDestroy(stream));
  CUDA(cudaEventDestroy(filled));
  return PASS("rounds=%d", rounds);
}
