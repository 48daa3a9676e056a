// The latencies of the thesis's tightly coupled machine (Tables 2.3 and 4.3), as a program sees them. Run with
// arithmetic of one cycle, so that nothing but the load takes time.
//
//   latencies           every CU loads every line of an array that covers all L2 banks, first from memory, then from
//   the
//                       L2, one at a time and around the private cache (ld.cg). Over the distances of the 4x4 mesh an
//                       L2 hit takes 29 to 61 cycles, memory 197 to 261; each end of the ranges must come out within 2
//                       %.
//   latencies remote    every CU loads lines that every other CU has written and still owns (a protocol with
//   ownership).
//                       The published range, 35 to 83 cycles, is that of three legs of 0 to 6 hops each. The way from
//                       the reader to the bank, to the owner and back to the reader has 2 to 12 hops on this mesh: the
//                       mean over each number of hops must be what the line from 35 at none to 83 at 18 says, within 2
//                       % or a cycle. (A leg inside one router costs up to two cycles less than its share.)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int cus = 15, lines = 256, words_of_line = 8;
constexpr unsigned reading_the_clock = 2;

__global__ void probe(const uint64_t* array, int cu, unsigned* memory, unsigned* l2) {
  if (blockIdx.x != cu || threadIdx.x) return;
  uint64_t sum = 0;  // of zeros: each address depends on the value before
  for (unsigned* cycles : {memory, l2}) {
    for (int i = 0; i < lines; ++i) {
      const uint64_t* const word = array + i * words_of_line + sum;
      const long long begin = clock64();
      uint64_t value;
      asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
      sum += value;
      asm volatile("" ::"l"(sum) : "memory");
      cycles[i] = static_cast<unsigned>(clock64() - begin) - reading_the_clock;
    }
  }
}

static bool within(const char* what, unsigned found, unsigned published) {
  const bool good = found * 100 >= published * 98 && found * 100 <= published * 102;
  std::printf("%s: %u cycles, published %u%s\n", what, found, published, good ? "" : ": FAIL");
  return good;
}

static bool copied(void* to, const void* from, size_t bytes) {
  if (cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) == cudaSuccess) return true;
  std::printf("FAIL: %s\n", cudaGetErrorString(cudaGetLastError()));
  return false;
}

static bool home_and_memory() {
  unsigned *memory, *l2;
  cudaMalloc(&memory, lines * sizeof(unsigned));
  cudaMalloc(&l2, lines * sizeof(unsigned));
  std::vector<unsigned> from_memory, from_l2;
  for (int cu = 0; cu < cus; ++cu) {
    uint64_t* array;  // never read before: not in the L2
    cudaMalloc(&array, lines * words_of_line * sizeof(uint64_t));
    probe<<<cus, 32>>>(array, cu, memory, l2);
    for (const auto& [cycles, all] : {std::pair{memory, &from_memory}, std::pair{l2, &from_l2}}) {
      all->resize(all->size() + lines);
      if (!copied(&*(all->end() - lines), cycles, lines * sizeof(unsigned))) return false;
    }
  }
  bool good = within("nearest L2 hit", *std::min_element(from_l2.begin(), from_l2.end()), 29);
  good &= within("farthest L2 hit", *std::max_element(from_l2.begin(), from_l2.end()), 61);
  good &= within("nearest memory", *std::min_element(from_memory.begin(), from_memory.end()), 197);
  good &= within("farthest memory", *std::max_element(from_memory.begin(), from_memory.end()), 261);
  return good;
}

constexpr int banks = 16;

/// The owner writes a line of each bank and says so; then the reader loads them, one at a time.
__global__ void hand_over(uint64_t* array, int owner, int reader, int* ready, unsigned* cycles) {
  if (threadIdx.x) return;
  if (blockIdx.x == owner) {
    for (int i = 0; i < banks; ++i) array[i * words_of_line] = reader + i;
    __threadfence();
    atomicExch(ready, reader);
  } else if (blockIdx.x == reader) {
    while (atomicAdd(ready, 0) != reader) __nanosleep(100);
    __threadfence();
    unsigned taken[banks];
#pragma unroll
    for (int i = 0; i < banks; ++i) {
      const long long begin = clock64();
      uint64_t value;
      asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(array + i * words_of_line) : "memory");
      value -= reader + i;
      asm volatile("" ::"l"(value) : "memory");
      taken[i] = static_cast<unsigned>(clock64() - begin) - reading_the_clock + static_cast<unsigned>(value);
    }
    for (int i = 0; i < banks; ++i) cycles[i] = taken[i];
  }
}

static int hops(int a, int b) {
  return std::abs(a % 4 - b % 4) + std::abs(a / 4 - b / 4);
}

static bool remote() {
  uint64_t* array;
  int* ready;
  unsigned* cycles;
  cudaMalloc(&array, banks * words_of_line * sizeof(uint64_t));
  cudaMalloc(&ready, sizeof(int));
  cudaMalloc(&cycles, banks * sizeof(unsigned));
  cudaMemset(ready, 0xff, sizeof(int));
  const int first_bank = static_cast<int>(reinterpret_cast<uintptr_t>(array) / (words_of_line * sizeof(uint64_t)));
  constexpr int most_hops = 18;
  double sum[most_hops + 1] = {};
  unsigned nearest = ~0u, farthest = 0, loads[most_hops + 1] = {}, all = 0;
  for (int owner = 0; owner < cus; ++owner)
    for (int reader = 0; reader < cus; ++reader) {
      if (owner == reader) continue;
      hand_over<<<cus, 32>>>(array, owner, reader, ready, cycles);
      unsigned taken[banks];
      if (!copied(taken, cycles, sizeof taken)) return false;
      for (int i = 0; i < banks; ++i) {
        const int bank = (first_bank + i) % banks;
        const int way = hops(reader, bank) + hops(bank, owner) + hops(owner, reader);
        sum[way] += taken[i], ++loads[way], ++all;
        nearest = std::min(nearest, taken[i]), farthest = std::max(farthest, taken[i]);
      }
    }
  bool good = true;
  for (int way = 0; way <= most_hops; ++way) {
    if (loads[way] == 0) continue;
    const double mean = sum[way] / loads[way], published = 35 + static_cast<double>(way) * (83 - 35) / most_hops;
    const bool near = std::abs(mean - published) <= std::max(1.0, 0.02 * published);
    std::printf("remote L1 hit over %d hops: %.1f cycles, published %.1f%s\n", way, mean, published,
                near ? "" : ": FAIL");
    good &= near;
  }
  std::printf("remote L1 hits: %u loads, %u to %u cycles over 2 to 12 hops, published 35 at none to 83 at 18\n", all,
              nearest, farthest);
  return good;
}

int main(int argc, char** argv) {
  const bool good = argc > 1 && std::strcmp(argv[1], "remote") == 0 ? remote() : home_and_memory();
  if (good) std::puts("PASS");
  return good ? 0 : 1;
}
