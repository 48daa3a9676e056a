// Transfers on a timing machine: copies take the time of the host link and of the memory, run beside kernels, and bring
// the right bytes; managed pages come when a kernel touches them. The machine is the SBRP paper's, whatever the
// environment says.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "elapsed.h"

namespace {

int failures = 0;

void expect(bool good, const char* what, double found, double wanted) {
  if (good) return;
  std::printf("FAIL: %s: %g, expected %g\n", what, found, wanted);
  ++failures;
}

__global__ void spin(int* out, int times) {
  int x = threadIdx.x;
  for (int i = 0; i < times; ++i) x = x * 1664525 + 1013904223;
  out[threadIdx.x] = x;
}

__global__ void add_one(int* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all[i] += 1;
}

// What is submitted meanwhile stops the machine between two cycles, with events of the next one still to come.
void copy_often(int thread) {
  std::vector<int> out(350), back(out.size());
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* device;
  cudaMalloc(&device, out.size() * sizeof(int));
  for (int round = 0; round < 100; ++round) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = thread * 1000 + round + static_cast<int>(i);
    cudaMemcpyAsync(device, out.data(), out.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(back.data(), device, out.size() * sizeof(int), cudaMemcpyDeviceToHost, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) continue;
    if (back != out) expect(false, "a round of copies", round, -1);
  }
}

}  // namespace

int main() {
  setenv("EVERWARP_MACHINE", "sbrp-pm-far", 1);
  setenv("EVERWARP_SET", "machine.mode=timing", 1);
  const size_t bytes = 2 << 20;
  char *host, *back, *device, *other;
  cudaMallocHost(&host, bytes), cudaMallocHost(&back, bytes);
  cudaMalloc(&device, bytes), cudaMalloc(&other, bytes);
  for (size_t i = 0; i < bytes; ++i) host[i] = static_cast<char>(i * 7 + i / 997);
  cudaStream_t a, b;
  cudaStreamCreate(&a), cudaStreamCreate(&b);

  const double to_device = microseconds(a, [&] { cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, a); });
  const double inside = microseconds(a, [&] { cudaMemcpyAsync(other, device, bytes, cudaMemcpyDeviceToDevice, a); });
  const double to_host = microseconds(a, [&] { cudaMemcpyAsync(back, other, bytes, cudaMemcpyDeviceToHost, a); });
  for (size_t i = 0; i < bytes; ++i)
    if (back[i] != host[i]) {
      expect(false, "a byte that went there and back", back[i], host[i]);
      break;
    }
  // Table 1 of the SBRP paper: 28 GB/s are attainable, so the machine file has no overhead of packets.
  const double link = bytes / 28e3;
  expect(to_device > link && to_device < 1.1 * link + 10, "us of a copy to the device", to_device, link);
  expect(to_host > link && to_host < 1.1 * link + 10, "us of a copy to the host", to_host, link);
  const double memory = 2 * bytes / 336e3;  // read and written at 336 GB/s
  expect(inside > memory && inside < 2.5 * memory + 10, "us of a copy inside the device", inside, memory);
  std::printf("2 MiB: to device %.1f us, to host %.1f us, inside %.1f us\n", to_device, to_host, inside);

  // Where in a line the host's memory begins, the address randomisation of the host decides.
  alignas(128) static char pageable[4096];
  double at_offset[3];
  for (int i = 0; i < 3; ++i)
    at_offset[i] = microseconds(a, [&] { cudaMemcpyAsync(pageable + 16 * i, other, 1152, cudaMemcpyDeviceToHost, a); });
  expect(at_offset[0] == at_offset[1] && at_offset[0] == at_offset[2],
         "us of a copy to host memory that is not aligned", at_offset[2], at_offset[0]);

  const double fill = microseconds(a, [&] { cudaMemsetAsync(device, 0x5a, bytes, a); });
  cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < bytes; ++i)
    if (back[i] != 0x5a) {
      expect(false, "a byte of a fill", back[i], 0x5a);
      break;
    }
  expect(fill > bytes / 336e3, "us of a fill", fill, bytes / 336e3);

  // A kernel and a copy of two streams: together little longer than the longer of them.
  int* out;
  cudaMalloc(&out, 4096);
  const auto kernel = [&] { spin<<<1, 64, 0, b>>>(out, 20000); };
  const double alone = microseconds(b, kernel);
  const double both = microseconds(b, [&] {
    cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, a);
    kernel();
  });
  cudaStreamSynchronize(a);
  expect(both < alone + 0.3 * to_device, "us of a kernel beside a copy", both, alone);

  // Four managed pages: a fault of 20 us, and their way over the link; then they are there.
  const int words = 4 * 65536 / 4;
  int* managed;
  cudaMallocManaged(&managed, words * sizeof(int));
  for (int i = 0; i < words; ++i) managed[i] = i;
  const auto touch = [&] { add_one<<<words / 256, 256, 0, a>>>(managed, words); };
  const double first = microseconds(a, touch), second = microseconds(a, touch);
  expect(first > 20 + words * 4 / 28e3 && first < 60, "us of a kernel whose pages are away", first, 30);
  expect(second < 15, "us of a kernel whose pages are there", second, 10);
  for (int i = 0; i < words; ++i)
    if (managed[i] != i + 2) {
      expect(false, "a word of managed memory", managed[i], i + 2);
      break;
    }
  // Nothing happens while a page is fetched, and kernels of the other stream begin all the same.
  int* elsewhere;
  cudaMallocManaged(&elsewhere, 1024);
  const double beside = microseconds(b, [&] {
    add_one<<<1, 256, 0, a>>>(elsewhere, 256);
    for (int i = 0; i < 3; ++i) spin<<<1, 64, 0, b>>>(out, 1);
  });
  cudaStreamSynchronize(a);
  expect(beside > 7 && beside < 9, "us of three kernels beside one that waits for a page", beside, 7.5);

  std::printf("managed pages: first kernel %.1f us, second %.1f us\n", first, second);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back(copy_often, thread);
  for (std::thread& thread : threads) thread.join();
  if (failures == 0) std::printf("PASS timing_transfers\n");
  return failures != 0;
}
