// Threads of the host, each on a core of its own (host_core.cores): before the kernel they write words of the same
// lines side by side, and while it runs each one hands a value back and forth with a block. Built with --trace-host;
// who comes when is decided in simulated time, so two runs have one digest.
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr int threads = 4, rounds = 3, words = 64;

__global__ void answer(volatile int* ask, volatile int* reply) {
  const int block = blockIdx.x;
  for (int round = 1; round <= rounds; ++round) {
    while (ask[block] != round) continue;
    __threadfence_system();
    reply[block] = round * 10 + block;
  }
}

__global__ void add_up(const int* numbers, int* sum) {
  atomicAdd(sum, numbers[threadIdx.x]);
}

template <class Work>
void side_by_side(Work&& work) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([&, i] { work(i); });
  for (std::thread& one : all) one.join();
}

}  // namespace

int main() {
  int* shared = nullptr;
  CUDA(cudaMallocManaged(&shared, 4096));
  volatile int *ask = shared, *reply = shared + threads;  // of one line
  int *numbers = shared + 256, *sum = shared + 512;
  for (int i = 0; i < 2 * threads; ++i) shared[i] = 0;
  *sum = 0;
  side_by_side([&](int i) {
    for (int at = i; at < words; at += threads) numbers[at] = at;
    for (int at = i; at < words; at += threads) numbers[at] += 100 * numbers[at];
  });
  add_up<<<1, words>>>(numbers, sum);
  CUDA(cudaDeviceSynchronize());
  SAME(101 * words * (words - 1) / 2, *sum);

  answer<<<threads, 1>>>(ask, reply);
  CUDA(cudaGetLastError());
  side_by_side([&](int i) {
    for (int round = 1; round <= rounds; ++round) {
      ask[i] = round;
      while (reply[i] != round * 10 + i) continue;
    }
  });
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < threads; ++i) SAME(rounds * 10 + i, reply[i]);
  return PASS("threads=%d rounds=%d", threads, rounds);
}
