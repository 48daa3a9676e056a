// The host and a running kernel talk through a flag. Built plain and with --trace-host: in both the host sees the flag
// that the kernel sets while it runs; traced, what it sees is the same in every run, however slow the host is.
#include <chrono>
#include <thread>

#include "expect.h"

__managed__ int managed_flag;

namespace {

__global__ void work(volatile int* steps, int n, const volatile int* stop) {
  for (int i = 1; i <= n; ++i) {
    *steps = i;
    for (int k = 0; k < 50; ++k) __nanosleep(10);
  }
  while (*stop == 0) continue;
  *steps = -1;
}
__global__ void set_managed() {
  managed_flag = 1;
  while (*static_cast<volatile int*>(&managed_flag) != 2) continue;
}

// How far the kernel has come at each of the host's looks, and the number of looks until it was at its end.
std::vector<int> looks(int* cells, bool slowly) {
  cells[0] = cells[1] = 0;
  std::vector<int> seen;
  work<<<1, 1>>>(cells, 5000, cells + 1);
  CUDA(cudaGetLastError());
  const volatile int* steps = cells;
  for (int now = 0; now != 5000;) {
    if (slowly && seen.size() % 16 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    now = *steps;
    if (seen.size() < 1000) seen.push_back(now);
  }
  *const_cast<volatile int*>(cells + 1) = 1;
  CUDA(cudaDeviceSynchronize());
  SAME(-1, cells[0]);
  return seen;
}

}  // namespace

int main() {
  int* cells = nullptr;
  CUDA(cudaHostAlloc(&cells, 2 * sizeof(int), cudaHostAllocMapped));
  const std::vector<int> quick = looks(cells, false), slow = looks(cells, true);
  for (size_t i = 1; i < quick.size(); ++i) EXPECT(quick[i] >= quick[i - 1], "look %zu should not see the past", i);
#ifdef EVERWARP_TRACE_HOST
  EXPECT_SAME(quick, slow, "look");
  EXPECT(quick.size() > 10, "the kernel should be seen under way, there were %zu looks", quick.size());
  // Block functions of the C library meet the machine, too.
  cells[0] = cells[1] = 0;
  work<<<1, 1>>>(cells, 5000, cells + 1);
  int copy = 0, copies = 0;
  for (; copy != 5000; ++copies) memcpy(&copy, cells, sizeof copy);
  EXPECT(copies > 10, "the kernel should be seen under way by memcpy, there were %d copies", copies);
  cells[1] = 1;
  CUDA(cudaDeviceSynchronize());
#endif
  managed_flag = 0;
  set_managed<<<1, 1>>>();
  while (*static_cast<volatile int*>(&managed_flag) != 1) continue;
  managed_flag = 2;
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFreeHost(cells));
  return PASS("looks=%zu", quick.size());
}
