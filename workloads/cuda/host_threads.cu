// Several host threads use the device at once, each with a stream, memory and errors of its own. Exercises: the
// runtime's thread safety, per-thread last errors, the per-thread default stream, kernels of different threads side by
// side.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include <atomic>
#include <thread>

#include "check.h"

namespace {

__global__ void churn(unsigned* cells, int n, unsigned seed, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = cells[i] + seed;
  for (int r = 0; r < rounds; ++r) x = x * 1664525u + 1013904223u;
  cells[i] = x;
}

// What one host thread does; returns an empty text or what went wrong.
const char* work(int id, int n, int launches) {
  cudaStream_t stream = cudaStreamPerThread;
  if (id % 2 == 0 && cudaStreamCreate(&stream) != cudaSuccess) return "a stream should be created";
  unsigned* device = nullptr;
  std::vector<unsigned> cells(n), want(n);
  for (int i = 0; i < n; ++i) cells[i] = want[i] = i * 2654435761u + id;
  if (cudaMalloc(&device, n * sizeof(unsigned)) != cudaSuccess) return "memory should be allocated";
  if (cudaMemcpyAsync(device, cells.data(), n * 4, cudaMemcpyHostToDevice, stream) != cudaSuccess)
    return "the upload failed";
  for (int launch = 0; launch < launches; ++launch) {
    churn<<<(n + 63) / 64, 64, 0, stream>>>(device, n, id * 100 + launch, 5);
    for (auto& x : want) {
      x += id * 100 + launch;
      for (int r = 0; r < 5; ++r) x = x * 1664525u + 1013904223u;
    }
    if (id == 1) {
      churn<<<1, 5000, 0, stream>>>(device, n, 0, 0);  // an error of this thread only
      if (cudaGetLastError() != cudaErrorInvalidConfiguration) return "a launch of 5000 threads should be refused";
    } else if (cudaPeekAtLastError() != cudaSuccess) {
      return "a thread should not see another's error";
    }
  }
  if (cudaMemcpyAsync(cells.data(), device, n * 4, cudaMemcpyDeviceToHost, stream) != cudaSuccess)
    return "the download failed";
  if (cudaStreamSynchronize(stream) != cudaSuccess) return "the stream should be synchronised";
  if (cudaFree(device) != cudaSuccess) return "the memory should be freed";
  if (id % 2 == 0 && cudaStreamDestroy(stream) != cudaSuccess) return "the stream should be destroyed";
  return cells == want ? "" : "the cells should hold what the host computed";
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = size_argument(argc, argv, 1, 4, 1, 64);
  const int launches = size_argument(argc, argv, 2, 6, 1, 1000);
  std::vector<const char*> verdicts(threads, "the thread should end");
  std::vector<std::thread> crew;
  for (int id = 0; id < threads; ++id) crew.emplace_back([&, id] { verdicts[id] = work(id, 300 + 50 * id, launches); });
  for (auto& thread : crew) thread.join();
  for (int id = 0; id < threads; ++id) EXPECT(verdicts[id][0] == 0, "thread %d: %s", id, verdicts[id]);
  CUDA(cudaDeviceSynchronize());
  return PASS("threads=%d launches=%d", threads, threads * launches);
}
