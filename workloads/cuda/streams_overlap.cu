// A pipeline of copies and kernels over several streams, ordered across streams by events, with host functions between.
// Exercises: cudaMemcpyAsync, cudaStreamWaitEvent, cudaLaunchHostFunc, cudaEventElapsedTime, cudaStreamQuery,
// priorities.
//
// deterministic: yes
#include <atomic>

#include "check.h"

namespace {

constexpr int kStreams = 3;

__global__ void mix(unsigned* cells, int n, unsigned salt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    cells[i] = (cells[i] ^ salt) * 2654435761u;
}

__global__ void sum(const unsigned* cells, int n, unsigned* result) {
  unsigned mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += cells[i];
  atomicAdd(result, mine);
}

struct Callback {
  std::atomic<int>* order;
  int at;
};
void CUDART_CB note(void* data) {
  auto* callback = static_cast<Callback*>(data);
  callback->at = callback->order->fetch_add(1);
}

}  // namespace

int main(int argc, char** argv) {
  const int chunks = size_argument(argc, argv, 1, 7, 1, 1000);
  const int size = size_argument(argc, argv, 2, 1500, 1, 1 << 20);
  unsigned *host = nullptr, *host_sums = nullptr;
  CUDA(cudaMallocHost(&host, chunks * size * sizeof(unsigned)));
  CUDA(cudaMallocHost(&host_sums, chunks * sizeof(unsigned)));
  Random random(49);
  std::vector<unsigned> want(chunks * size), want_sums(chunks);
  for (int i = 0; i < chunks * size; ++i) {
    host[i] = static_cast<unsigned>(random.next());
    want[i] = (((host[i] ^ 11) * 2654435761u) ^ 22) * 2654435761u;
    want_sums[i / size] += want[i];
  }

  cudaStream_t streams[kStreams], summing;
  for (auto& stream : streams) CUDA(cudaStreamCreate(&stream));
  int least = 0, greatest = 0;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA(cudaStreamCreateWithPriority(&summing, cudaStreamNonBlocking, greatest));
  DeviceArray<unsigned> cells(chunks * size), sums(chunks, 0);
  std::vector<cudaEvent_t> mixed(chunks);
  std::vector<Callback> callbacks(chunks);
  std::atomic<int> order{0};
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaEventRecord(begin));
  for (int c = 0; c < chunks; ++c) {
    const cudaStream_t stream = streams[c % kStreams];
    unsigned* at = cells + c * size;
    CUDA(cudaEventCreateWithFlags(&mixed[c], cudaEventDisableTiming));
    CUDA(cudaMemcpyAsync(at, host + c * size, size * sizeof(unsigned), cudaMemcpyHostToDevice, stream));
    mix<<<2, 128, 0, stream>>>(at, size, 11);
    mix<<<2, 128, 0, stream>>>(at, size, 22);
    CUDA(cudaEventRecord(mixed[c], stream));
    CUDA(cudaStreamWaitEvent(summing, mixed[c], 0));
    sum<<<1, 64, 0, summing>>>(at, size, sums + c);
    CUDA(cudaMemcpyAsync(host_sums + c, sums + c, sizeof(unsigned), cudaMemcpyDeviceToHost, summing));
    callbacks[c] = {&order, -1};
    CUDA(cudaLaunchHostFunc(summing, note, &callbacks[c]));
    CUDA(cudaMemcpyAsync(host + c * size, at, size * sizeof(unsigned), cudaMemcpyDeviceToHost, stream));
  }
  CUDA(cudaEventRecord(end));  // in the legacy default stream: after all work of the blocking streams
  CUDA(cudaStreamSynchronize(summing));
  CUDA(cudaStreamQuery(summing));
  CUDA(cudaEventSynchronize(end));
  CUDA(cudaEventQuery(end));
  float milliseconds = -1;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 0, "the time between the events should not be negative, is %g", milliseconds);
  for (auto& stream : streams) CUDA(cudaStreamSynchronize(stream));
  EXPECT_SAME(want, std::vector<unsigned>(host, host + chunks * size), "cell");
  EXPECT_SAME(want_sums, std::vector<unsigned>(host_sums, host_sums + chunks), "sum");
  for (int c = 0; c < chunks; ++c)
    EXPECT(callbacks[c].at == c, "host function %d should run in order, ran as number %d", c, callbacks[c].at);
  for (auto& stream : streams) CUDA(cudaStreamDestroy(stream));
  CUDA(cudaStreamDestroy(summing));
  for (auto& event : mixed) CUDA(cudaEventDestroy(event));
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  CUDA(cudaFreeHost(host));
  CUDA(cudaFreeHost(host_sums));
  return PASS("chunks=%d streams=%d", chunks, kStreams + 1);
}
