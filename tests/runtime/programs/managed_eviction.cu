// Managed memory that does not fit into the device's memory: blocks go back to the host before others come, the one
// first whose last page came the longest ago; a page that the host has, too, crosses no link; the handler takes one
// fault after the other. The machine is the SBRP paper's with room for eight pages, whatever the environment says.
#include <cstdio>
#include <cstdlib>

#include "elapsed.h"

namespace {

constexpr int page_words = 65536 / 4, pages = 16;
constexpr double fault = 20, handler = 5, link = 65536 / 28e3;  // us; the link's for a page
int failures = 0;
cudaStream_t stream;
int *managed, *allocated, *sums;

void expect(const char* what, double found, double least, double most) {
  std::printf("%-60s %6.1f us\n", what, found);
  if (found >= least && found <= most) return;
  std::printf("FAIL: %s: %g us, expected %g to %g\n", what, found, least, most);
  ++failures;
}
/// Handled one after the other, then `moved` pages behind each other on the link; `back`: to the host before.
void expect_faults(const char* what, double found, int faults, int back, double there) {
  const double least = fault + (faults > 0 ? handler : 0) + (faults - 1) * (handler > link ? handler : link) + link;
  expect(what, found, faults == 0 ? 0 : least + (back ? link : 0),
         faults == 0 ? there + 3 : least + back * link + there + 20);
}

__global__ void read_pages(const int* all, int first, int* sum) {
  const int* const page = all + (first + blockIdx.x) * page_words;
  int mine = 0;
  for (int i = threadIdx.x; i < page_words; i += blockDim.x) mine += page[i];
  atomicAdd(sum, mine);
}
/// Blocks of their own.
bool allocate() {
  if (cudaMallocManaged(&allocated, (pages + 2) * page_words * 4) != cudaSuccess) return false;
  managed = reinterpret_cast<int*>((reinterpret_cast<size_t>(allocated) + 131071) / 131072 * 131072);
  for (int i = 0; i < pages * page_words; ++i) managed[i] = i / page_words;
  return true;
}
double read(int first, int count) {
  return microseconds(stream, [=] { read_pages<<<count, 256, 0, stream>>>(managed, first, sums); });
}

}  // namespace

int main() {
  setenv("EVERWARP_MACHINE", "sbrp-pm-far", 1);
  setenv("EVERWARP_SET", "machine.mode=timing;device.memory=1MiB;managed.evicted=128KiB;managed.handler=5000", 1);
  cudaStreamCreate(&stream);
  char* taken = nullptr;
  cudaMalloc(&sums, 4096);
  cudaMemset(sums, 0, 4096);
  if (cudaMalloc(&taken, 512 * 1024 - 4096) != cudaSuccess) std::printf("FAIL: device memory\n"), ++failures;
  if (!allocate()) return 1;

  expect_faults("eight pages come", read(0, 8), 8, 0, 25);
  const double there = read(0, 8);
  expect_faults("they are there", there, 0, 0, 15);
  expect_faults("two more: a block goes", read(8, 2), 2, 2, there);
  expect_faults("the others stayed", read(2, 8), 0, 0, there);
  expect_faults("the first two come again: another block goes", read(0, 2), 2, 2, there);
  expect_faults("which came the longest ago", read(4, 6), 0, 0, there);
  expect_faults("its pages have gone", read(2, 2), 2, 2, there);
  expect_faults("twice as much as there is room: all come, eight at a time", read(0, 16), 10, 10, there + 80);

  cudaFree(allocated);
  if (!allocate()) return 1;
  expect_faults("what was freed makes room", read(0, 8), 8, 0, 25);

  cudaMemAdvise(managed, pages * page_words * 4, cudaMemAdviseSetReadMostly, 0);
  cudaMemPrefetchAsync(managed, pages * page_words * 4, cudaCpuDeviceId, stream);
  read(0, 12);
  expect("pages that the host has, too, leave at once", read(12, 4), fault + 4 * handler + link,
         fault + 4 * handler + 2 * link + there + 5);
  expect("a prefetch of all: room is made",
         microseconds(stream, [] { cudaMemPrefetchAsync(managed, pages * page_words * 4, 0, stream); }), 16 * link,
         1.3 * 16 * link + 25);
  expect_faults("the last eight are there", read(8, 8), 0, 0, there);
  cudaFree(taken);
  expect_faults("what the device's own memory was makes room", read(0, 6), 6, 0, there);
  expect_faults("and nothing has gone", read(8, 8), 0, 0, there);

  int sum = 0;
  cudaMemcpy(&sum, sums, 4, cudaMemcpyDeviceToHost);
  const auto pages_read = [](int first, int count) { return count * (2 * first + count - 1) / 2 * page_words; };
  const int expected = 3 * pages_read(0, 8) + pages_read(8, 2) + pages_read(2, 8) + pages_read(0, 2) +
                       pages_read(4, 6) + pages_read(2, 2) + pages_read(0, 16) + pages_read(0, 12) + pages_read(12, 4) +
                       2 * pages_read(8, 8) + pages_read(0, 6);
  if (sum != expected) std::printf("FAIL: the pages' sum is %d, expected %d\n", sum, expected), ++failures;
  std::printf(failures ? "FAIL\n" : "PASS\n");
  return failures != 0;
}
