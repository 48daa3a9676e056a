// Symbols in constant and global memory: structures with constant initialisers, arrays indexed by lane (divergent
// constant reads), copies to and from symbols with offsets, symbol to symbol through addresses. Exercises:
// cudaMemcpy*Symbol*.
//
// deterministic: yes
#include "check.h"

namespace {

struct Settings {
  int limits[3];
  double scale;
  const char* name;
  unsigned char flags[5];
};

__constant__ Settings settings = {{7, -8, 9}, 2.5, "initial", {1, 2, 3, 4, 5}};
__constant__ int table[64] = {1, 1, 2, 3, 5, 8, 13, 21};
__constant__ const int* shortcut = nullptr;
__device__ int counters[16] = {100, 200};
__device__ float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
static __device__ long long hidden = -1;

__global__ void read_all(int* out, double* real) {
  const int t = threadIdx.x;
  out[t] = table[t * 7 % 64] + settings.limits[t % 3] + settings.flags[t % 5];
  if (t == 0) {
    *real = settings.scale + matrix[1][2] + hidden;
    out[64] = settings.name[0];
    out[65] = shortcut == nullptr ? -1 : shortcut[3];
    hidden *= 2;
  }
  atomicAdd(&counters[t % 16], 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = size_argument(argc, argv, 1, 3, 1, 50);
  DeviceArray<int> out(66), chosen(std::vector<int>{5, 6, 7, 8});
  DeviceArray<double> real(1);
  std::vector<int> numbers(64), want(66), counts(16);
  for (int i = 0; i < 8; ++i) numbers[i] = std::vector<int>{1, 1, 2, 3, 5, 8, 13, 21}[i];
  Settings mine = {{7, -8, 9}, 2.5, nullptr, {1, 2, 3, 4, 5}};
  long long hidden_now = -1;
  counts[0] = 100, counts[1] = 200;
  for (int round = 0; round < rounds; ++round) {
    read_all<<<1, 64>>>(out, real);
    FINISH_KERNEL();
    for (int t = 0; t < 64; ++t) {
      want[t] = numbers[t * 7 % 64] + mine.limits[t % 3] + mine.flags[t % 5];
      ++counts[t % 16];
    }
    want[64] = 'i', want[65] = round == 0 ? -1 : 8;
    EXPECT_SAME(want, out.download(), "cell");
    const double want_real = mine.scale + 6 + hidden_now;
    EXPECT(real.download()[0] == want_real, "the number should be %g, is %g", want_real, real.download()[0]);
    hidden_now *= 2;

    numbers[10 + round] = 1000 + round;  // one element, at an offset
    CUDA(cudaMemcpyToSymbol(table, &numbers[10 + round], sizeof(int), (10 + round) * sizeof(int)));
    mine.scale = 10.0 + round, mine.limits[1] = round;
    CUDA(cudaMemcpyToSymbol(settings, &mine.scale, sizeof(double), offsetof(Settings, scale)));
    CUDA(cudaMemcpyToSymbol(settings, &mine.limits, sizeof(mine.limits), offsetof(Settings, limits),
                            cudaMemcpyHostToDevice));
    const int* address = chosen;
    CUDA(cudaMemcpyToSymbol(shortcut, &address, sizeof(address)));
  }
  std::vector<int> got(16);
  CUDA(cudaMemcpyFromSymbol(got.data(), counters, 16 * sizeof(int)));
  EXPECT_SAME(counts, got, "counter");
  long long final_hidden = 0;
  CUDA(cudaMemcpyFromSymbolAsync(&final_hidden, hidden, sizeof(long long), 0, cudaMemcpyDeviceToHost, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  EXPECT(final_hidden == hidden_now, "the hidden variable should be %lld, is %lld", hidden_now, final_hidden);

  void* matrix_address = nullptr;  // symbol to symbol: counters[2..4] become the bits of matrix[1]
  size_t bytes = 0;
  CUDA(cudaGetSymbolAddress(&matrix_address, matrix));
  CUDA(cudaGetSymbolSize(&bytes, matrix));
  EXPECT(bytes == 6 * sizeof(float), "the matrix should have 24 bytes, has %zu", bytes);
  CUDA(cudaMemcpyToSymbol(counters, static_cast<char*>(matrix_address) + 12, 12, 8, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpyFromSymbol(got.data(), counters, 16 * sizeof(int)));
  for (int i = 0; i < 3; ++i) {
    float value;
    memcpy(&value, &got[2 + i], sizeof(float));
    EXPECT(value == 4.0f + i, "cell %d should be %g, is %g", i, 4.0f + i, value);
  }
  return PASS("rounds=%d", rounds);
}
