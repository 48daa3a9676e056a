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

// How far the kernel has come: each value that the host sees, and at which of its looks (`order`).
std::vector<int> looks(int* cells, bool slowly, std::vector<int>* order = nullptr) {
  cells[0] = cells[1] = 0;
  std::vector<int> seen, when;
  int count = 0;
  work<<<1, 1>>>(cells, 5000, cells + 1);
  CUDA(cudaGetLastError());
  const volatile int* steps = cells;
  for (int now = 0; now != 5000;) {
    if (slowly && count % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    now = *steps;
    ++count;
    if (seen.empty() || now != seen.back()) {
      seen.push_back(now);
      when.push_back(count);
    }
  }
  if (order) *order = when;
  *const_cast<volatile int*>(cells + 1) = 1;
  CUDA(cudaDeviceSynchronize());
  SAME(-1, cells[0]);
  return seen;
}

}  // namespace

int main() {
  int* cells = nullptr;
  CUDA(cudaHostAlloc(&cells, 2 * sizeof(int), cudaHostAllocMapped));
  std::vector<int> quick_order, slow_order;
  const std::vector<int> quick = looks(cells, false, &quick_order), slow = looks(cells, true, &slow_order);
  for (size_t i = 1; i < quick.size(); ++i) EXPECT(quick[i] >= quick[i - 1], "look %zu should not see the past", i);
#ifdef EVERWARP_TRACE_HOST
  EXPECT_SAME(quick, slow, "value");
  EXPECT_SAME(quick_order, slow_order, "the look that saw it");
  EXPECT(quick.size() > 5, "the kernel should be seen under way, at %zu points", quick.size());
  // Block functions of the C library meet the machine, too.
  cells[0] = cells[1] = 0;
  work<<<1, 1>>>(cells, 5000, cells + 1);
  int copy = 0, copies = 0;
  for (; copy != 5000; ++copies) memcpy(&copy, cells, sizeof copy);
  EXPECT(copies > 3 && copies < 1000, "the kernel should be seen under way by memcpy, there were %d copies", copies);
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
