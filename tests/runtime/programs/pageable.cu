// Kernels use memory of the host program that CUDA knows nothing of (cudaDevAttrPageableMemoryAccess): malloc, a
// mapping, a variable, the stack. The host writes and reads it between kernels. Where a machine has no such access, the
// first kernel is refused.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "expect.h"

namespace {

constexpr int count = 3000;
int variable[count];
const char* const constant = "constants are read";

__global__ void add(int* cells, int n, int what) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i] += what;
}
__global__ void count_of(const char* text, char wanted, int* found) {
  for (; *text; ++text) *found += *text == wanted;
}
__global__ void link(int** from, int* to) {
  *from = to;
}

void add(int* cells, int what) {
  add<<<(count + 127) / 128, 128>>>(cells, count, what);
}

/// Other SMs run the blocks each time: what one owned, another gets.
void rounds(const char* what, int* cells) {
  for (int i = 0; i < count; ++i) cells[i] = i;
  for (int round = 1; round <= 3; ++round) {
    add(cells, 10);
    add(cells, 100);
    SAME(cudaSuccess, cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += cells[i] != i + 110 * round + 1000 * (round - 1);
    EXPECT(wrong == 0, "%s, round %d: %d words are wrong", what, round, wrong);
    for (int i = 0; i < count; ++i) cells[i] += 1000;  // copies in caches are old now
  }
}

/// A block an SM: each meets the words that it used in the kernel before.
void owned(int* cells) {
  int sms = 0, wrong = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int words = 64 * std::min(sms, count / 64);
  for (int i = 0; i < words; ++i) cells[i] = 0;
  for (int round = 1; round <= 4; ++round) {
    add<<<words / 64, 64>>>(cells, words, 1);
    SAME(cudaSuccess, cudaDeviceSynchronize());
    for (int i = 0; i < words; ++i) wrong += cells[i] != 3 * round - 2, cells[i] += 2;
  }
  SAME(0, wrong);
}

/// At a place of its own: where the system puts a mapping depends on other threads, and so would the digest.
int* map() {
  return static_cast<int*>(mmap(reinterpret_cast<void*>(0x1234'0000'0000), 1 << 20, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
}

}  // namespace

int main() {
  int pageable = -1;
  CUDA(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  int* const heap = static_cast<int*>(malloc(count * sizeof(int)));
  int** const pointers = static_cast<int**>(malloc(sizeof(int*)));
  if (!pageable) {
    add(heap, 1);
    SAME(cudaErrorIllegalAddress, cudaDeviceSynchronize());
    return PASS("no pageable memory");
  }
  alignas(4096) int stack[count];
  rounds("malloc", heap);
  owned(heap);
  rounds("a variable", variable);
  rounds("the stack", stack);
  int* mapping = map();
  rounds("a mapping", mapping);
  munmap(mapping, 1 << 20);
  mapping = map();
  rounds("a second mapping", mapping);

  *heap = 0;
  count_of<<<1, 1>>>(constant, 'a', heap);
  SAME(cudaSuccess, cudaDeviceSynchronize());
  SAME(3, *heap);

  link<<<1, 1>>>(pointers, variable);
  SAME(cudaSuccess, cudaDeviceSynchronize());
  EXPECT(*pointers == variable, "a kernel should have stored a pointer");

  int* device = nullptr;  // side by side with memory of CUDA
  CUDA(cudaMalloc(&device, count * sizeof(int)));
  CUDA(cudaMemcpy(device, heap, count * sizeof(int), cudaMemcpyHostToDevice));
  add(device, 5);
  add(heap, 5);
  CUDA(cudaMemcpy(variable, device, count * sizeof(int), cudaMemcpyDeviceToHost));
  int differ = 0;
  for (int i = 0; i < count; ++i) differ += variable[i] != heap[i];
  SAME(0, differ);

  munmap(mapping, 1 << 20);
  add(mapping, 1);
  SAME(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  return PASS("pageable memory");
}
