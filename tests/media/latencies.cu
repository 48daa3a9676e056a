// The latencies of the thesis's tightly coupled machine (Tables 2.3 and 4.3), as a program sees them: every CU loads
// every line of an array that covers all L2 banks, first from memory, then from the L2, one at a time and around the
// private cache (ld.cg). Over the distances of the 4x4 mesh an L2 hit takes 29 to 61 cycles, memory 197 to 261; each
// end of the ranges must come out within 2 %. Run with arithmetic of one cycle, so that nothing but the load takes
// time.
#include <algorithm>
#include <cstdint>
#include <cstdio>
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

int main() {
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
      if (cudaMemcpy(&*(all->end() - lines), cycles, lines * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) {
        std::printf("FAIL: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
      }
    }
  }
  bool good = within("nearest L2 hit", *std::min_element(from_l2.begin(), from_l2.end()), 29);
  good &= within("farthest L2 hit", *std::max_element(from_l2.begin(), from_l2.end()), 61);
  good &= within("nearest memory", *std::min_element(from_memory.begin(), from_memory.end()), 197);
  good &= within("farthest memory", *std::max_element(from_memory.begin(), from_memory.end()), 261);
  return good ? 0 : 1;
}
