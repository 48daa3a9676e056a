// Warps of block 0 wait for a flag that block 1 sets after some work. How they wait, the first word says.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum How { plain, counted, acquiring, beside_writes, per_lane, in_turn, patient, scanning, for_ever, how_many };
const char* const names[] = {"plain",   "counted", "acquiring", "beside_writes", "per_lane",
                             "in_turn", "patient", "scanning",  "for_ever"};

__device__ int load_acquire(const int* place) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
  return value;
}

__device__ unsigned work(unsigned rounds) {
  unsigned x = 1;
  for (unsigned i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  return x;
}

// Of `flags`, word 0 is the flag, word 1 its neighbour in the line; from word 32 on each lane has one.
__global__ void wait_for_flag(int how, volatile int* flags, unsigned rounds, unsigned* out, const int* data) {
  if (blockIdx.x == 1) {
    if (threadIdx.x != 0) return;
    unsigned x = 0;
    for (int i = 0; i < 16; ++i) {
      x += work(rounds / 16);
      if (how == beside_writes) flags[1] = i;
    }
    out[blockDim.x] = x;
    __threadfence();
    if (how == per_lane)
      for (int i = 31; i >= 0; --i) flags[32 + i] = 1;
    if (how != for_ever) flags[0] = 1;
    return;
  }
  unsigned polls = 0;
  switch (how) {
    case counted:
      while (flags[0] == 0) ++polls;
      break;
    case acquiring:
      if (threadIdx.x < 32) {
        while (load_acquire(const_cast<const int*>(flags)) == 0) {
        }
      } else {  // reads what acquires of the other warp drop from the L1
        for (unsigned i = 0; i < rounds / 64; ++i) polls += data[(i % 64) * 32 + threadIdx.x % 32];
      }
      break;
    case per_lane:
      while (flags[32 + threadIdx.x % 32] == 0) {
      }
      break;
    case in_turn:  // one lane polls, the others of its warp wait
      if (threadIdx.x % 32 == 0)
        while (flags[0] == 0) {
        }
      __syncwarp();
      break;
    case patient:  // gives up long before the flag comes
      while (flags[0] == 0 && polls < 200) ++polls;
      break;
    case scanning:  // the word is another in each round
      while (flags[polls % 8] == 0) ++polls;
      break;
    default:
      while (flags[0] == 0) {
      }
  }
  out[threadIdx.x] = polls;
}

}  // namespace

int main(int argc, char** argv) {
  int how = 0;
  while (how < how_many && (argc < 2 || std::strcmp(argv[1], names[how]) != 0)) ++how;
  if (how == how_many || argc < 4) {
    std::fprintf(stderr, "usage: polls HOW THREADS ROUNDS\n");
    return 2;
  }
  const int threads = std::atoi(argv[2]);
  int *flags, *data;
  unsigned* out;
  cudaMalloc(&flags, 64 * sizeof(int));
  cudaMalloc(&data, 64 * 32 * sizeof(int));
  cudaMalloc(&out, (threads + 1) * sizeof(unsigned));
  cudaMemset(flags, 0, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * 32 * sizeof(int));
  wait_for_flag<<<2, threads>>>(how, flags, std::atoi(argv[3]), out, data);
  const cudaError_t error = cudaDeviceSynchronize();
  unsigned polls = 0;
  cudaMemcpy(&polls, out, sizeof polls, cudaMemcpyDeviceToHost);
  std::printf("%s %u\n", cudaGetErrorString(error), how == counted ? 0 : polls);
}
