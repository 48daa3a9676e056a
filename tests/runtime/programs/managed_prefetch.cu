// Managed memory on a timing machine that is told where it shall lie: a prefetch moves pages in the order of its
// stream, in the link's time and without faults; pages that are mostly read lie on both sides until one writes. The
// machine is the SBRP paper's, whatever the environment says. Built with --trace-host, too: then the host's own
// accesses count.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "elapsed.h"

namespace {

constexpr int pages = 16, words = pages * 65536 / 4;
constexpr double fault = 20, link = pages * 65536 / 28e3;  // us
int failures = 0;
cudaStream_t stream;
int* sums;

void expect(const char* what, double found, double least, double most) {
  std::printf("%-60s %6.1f us\n", what, found);
  if (found >= least && found <= most) return;
  std::printf("FAIL: %s: %g us, expected %g to %g\n", what, found, least, most);
  ++failures;
}

// A block a page, so that all of them are touched at once.
__global__ void add_one(int* all) {
  for (int i = threadIdx.x; i < words / pages; i += blockDim.x) all[blockIdx.x * (words / pages) + i] += 1;
}
__global__ void read_all(const int* all, int* sum) {
  int mine = 0;
  for (int i = threadIdx.x; i < words / pages; i += blockDim.x) mine += all[blockIdx.x * (words / pages) + i];
  sum[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

int* managed;
double write() {
  return microseconds(stream, [] { add_one<<<pages, 1024, 0, stream>>>(managed); });
}
double read() {
  return microseconds(stream, [] { read_all<<<pages, 1024, 0, stream>>>(managed, sums); });
}
double prefetch(int device, int from = 0, int count = words) {
  return microseconds(stream, [=] {
    const cudaError_t error = cudaMemPrefetchAsync(managed + from, count * sizeof(int), device, stream);
    if (error != cudaSuccess) std::printf("FAIL: %s\n", cudaGetErrorString(error)), ++failures;
  });
}
void advise(cudaMemoryAdvise advice, int device = 0) {
  if (cudaMemAdvise(managed, words * sizeof(int), advice, device) != cudaSuccess)
    std::printf("FAIL: advice %d\n", advice), ++failures;
}

void prefetches(double there) {
  expect("a prefetch of pages that are there", prefetch(0), 0, 10);
  expect("a prefetch to the host", prefetch(cudaCpuDeviceId), link, 1.1 * link + 10);
  expect("and again", prefetch(cudaCpuDeviceId), 0, 10);
  expect("a prefetch to the device", prefetch(0), link, 1.1 * link + 10);
  expect("a kernel behind it", write(), 0, there + 2);
  prefetch(cudaCpuDeviceId);
  expect("a kernel whose pages have gone", write(), fault + link, fault + link + there + 10);
  prefetch(cudaCpuDeviceId);
  expect("a prefetch of two words in two pages", prefetch(0, 2 * 16384 - 1, 2), 2 * link / pages,
         2 * link / pages + 10);
  expect("a kernel that lacks the others", write(), fault + 14 * link / pages, fault + 14 * link / pages + there + 10);
  prefetch(cudaCpuDeviceId);
  const double both = microseconds(stream, [] {
    cudaMemPrefetchAsync(managed, words * sizeof(int), 0, stream);
    add_one<<<pages, 1024, 0, stream>>>(managed);
  });
  expect("a prefetch and a kernel behind it", both, link + there / 2, 1.1 * link + there + 15);
}

void mostly_read(double there) {
  prefetch(cudaCpuDeviceId);
  advise(cudaMemAdviseSetReadMostly);
  expect("a kernel reads what is mostly read, and away", read(), fault + link, fault + link + there + 15);
  expect("the host has it still", prefetch(cudaCpuDeviceId), 0, 10);
  const double reads = read();
  expect("the device, too", reads, 0, there + 5);
  expect("a kernel writes it: faults, and no page moves", write(), fault, fault + there + 5);
  expect("the host has it no more", prefetch(cudaCpuDeviceId), link, 1.1 * link + 10);
  expect("but the device has", read(), 0, reads + 2);
  advise(cudaMemAdviseUnsetReadMostly);
  expect("one copy, on the device", write(), 0, there + 2);
  advise(cudaMemAdviseSetReadMostly);
  prefetch(cudaCpuDeviceId);
  advise(cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
  advise(cudaMemAdviseUnsetReadMostly);
  expect("one copy, on the host that is preferred", read(), fault + link, fault + link + there + 15);
  advise(cudaMemAdviseUnsetPreferredLocation);
}

#ifdef EVERWARP_TRACE_HOST
void host_touches(double there) {
  volatile int* seen = managed;
  prefetch(0);
  if (seen[5] != seen[words - 1]) std::printf("FAIL: words that are equal\n"), ++failures;
  expect("the host has read two pages: they went", write(), fault + 2 * link / pages,
         fault + 2 * link / pages + there + 10);
  prefetch(0);
  advise(cudaMemAdviseSetReadMostly);
  for (int page = 0; page < pages; ++page) (void)seen[page * 16384];
  expect("the host has read what is mostly read", read(), 0, there + 5);
  seen[0] = seen[0];
  expect("and written one page of it", read(), fault + link / pages, fault + link / pages + there + 10);
  advise(cudaMemAdviseUnsetReadMostly);
}
#endif

}  // namespace

int main() {
  setenv("EVERWARP_MACHINE", "sbrp-pm-far", 1);
  setenv("EVERWARP_SET", "machine.mode=timing", 1);
  cudaStreamCreate(&stream);
  cudaMalloc(&sums, pages * 1024 * sizeof(int));
  cudaMallocManaged(&managed, words * sizeof(int));
  expect("the first kernel", write(), fault + link, fault + link + 25);
  const double there = write();
  expect("the second", there, 0, 15);
  prefetches(there);
  mostly_read(there);
#ifdef EVERWARP_TRACE_HOST
  host_touches(there);
#endif

  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemPrefetchAsync(managed, words * sizeof(int), cudaCpuDeviceId, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  prefetch(0);
  expect("a graph's prefetch", microseconds(stream, [&] { cudaGraphLaunch(instance, stream); }), link, 1.1 * link + 10);

  // Every write so far, of every word: first and second, four prefetched, two mostly read.
  cudaStreamSynchronize(stream);
  int least = 1 << 30, most = 0;
  for (int i = 0; i < words; ++i) least = std::min(least, managed[i]), most = std::max(most, managed[i]);
#ifdef EVERWARP_TRACE_HOST
  const int wanted = 9;
#else
  const int wanted = 8;
#endif
  if (least != wanted || most != wanted)
    std::printf("FAIL: words of %d to %d, not %d\n", least, most, wanted), ++failures;

  prefetch(0);
  cudaFree(managed);
  cudaMallocManaged(&managed, words * sizeof(int));
  // It may begin in the middle of a page: each block needs two.
  expect("memory that is new starts on the host", write(), fault + link, 2 * fault + link + 25);
  if (failures == 0) std::printf("PASS managed_prefetch\n");
  return failures != 0;
}
