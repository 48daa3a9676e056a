// drawn SEED: what a host does with a pool, drawn by number: kernels with and without fences, fills, copies, host_copy,
// flushes, stores of its own, in two streams, inside and outside of gpm_persist_begin(). `check` has the order in which
// all that becomes durable compared with what the model promises. Every value is stored once, so that the log of
// durable writes tells who stored it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <random>

typedef unsigned long long Word;
constexpr int kWords = 64;  // 8 lines of the host's cache, 4 of the device's

/// Each line has four words of each side. Two streams never write at once to one side: that would be a race.
__host__ __device__ int word(int side, int number) {
  return number % (kWords / 2) / 4 * 8 + side * 4 + number % 4;
}

/// Stores `count` new values from `first` on, to words of a side that are `step` apart. fence: 0 none, 1 of the device,
/// 2 of the system; behind each.
__global__ void store(Word* pool, int side, int begin, int step, int count, Word first, int fence) {
  for (int i = 0; i < count; ++i) {
    pool[word(side, begin + i * step)] = first + i;
    if (fence == 1) __threadfence();
    if (fence == 2) gpm_persist();
  }
}

int main(int, char** argv) {
  std::mt19937 dice(strtoul(argv[1], nullptr, 10));
  const auto below = [&](int n) { return static_cast<int>(dice() % n); };
  Word* const pool = static_cast<Word*>(gpm_map("drawn.pool", kWords * sizeof(Word), true));
  Word *device, *pinned;
  if (!pool || cudaMalloc(&device, 256 * sizeof(Word)) || cudaMallocHost(&pinned, 256 * sizeof(Word))) return 2;
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  Word value = 1, told = 0;
  bool inside = false;
  int swapped = 0;  // the streams have changed sides
  const auto wait_for_all = [&] {
    cudaDeviceSynchronize();
    swapped = below(2);
  };
  for (int left = 12 + below(12); left > 0; --left) {
    const int act = below(12);
    if (act == 4 || act == 5 || act == 8) wait_for_all();  // the buffers are free; no kernel stores beside the host
    const int number = below(2), side = number ^ swapped, begin = below(kWords / 2);
    const cudaStream_t stream = streams[number];
    const int first = word(side, begin), count = 1 + below(4 - begin % 4);  // words that follow each other
    switch (act) {
      case 0:
      case 1:
      case 2:
        store<<<1, 1, 0, stream>>>(pool, side, begin, 1 + 2 * below(9), 3 * count, value, below(3));
        value += 3 * count;
        break;
      case 3:
        cudaMemsetAsync(pool + first, static_cast<int>(0x80 + value % 0x70), sizeof(Word), stream);
        ++value;
        break;
      case 4:
      case 5:
        for (int i = 0; i < count; ++i) pinned[i] = value++;
        if (below(2)) {
          cudaMemcpyAsync(device, pinned, count * sizeof(Word), cudaMemcpyHostToDevice, stream);
          cudaMemcpyAsync(pool + first, device, count * sizeof(Word), cudaMemcpyDefault, stream);
        } else if (below(2)) {
          cudaMemcpyAsync(pool + first, pinned, count * sizeof(Word), cudaMemcpyDefault, stream);
        } else {
          host_copy(pool + first, pinned, count * sizeof(Word), 1 + below(2), stream);
        }
        break;
      case 6:
      case 7:
        host_persist(pool + begin, (1 + below(kWords - begin)) * sizeof(Word), 1 + below(2), stream);
        break;
      case 8:
        for (int i = 0; i < count; ++i) pool[first + i] = value++;
        if (below(2)) gpm_persist_range(pool + first, count * sizeof(Word));
        break;
      case 9:
        gpm_persist_range(pool + begin, (1 + below(kWords - begin)) * sizeof(Word));
        break;
      case 10:
        inside = !inside;
        inside ? gpm_persist_begin() : gpm_persist_end();
        break;
      default:
        below(2) ? static_cast<void>(cudaStreamSynchronize(stream)) : wait_for_all();
        gpm_acknowledge(++told);
    }
  }
  cudaDeviceSynchronize();
  return cudaGetLastError() != cudaSuccess || gpm_unmap("drawn.pool", pool, kWords * sizeof(Word)) != 0;
}
