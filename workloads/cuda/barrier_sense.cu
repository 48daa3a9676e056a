// A sense-reversing barrier over all blocks, built by hand on atomics. Blocks exchange values through global memory
// between its phases. Exercises: inter-block barriers without cooperative launch, grid sized by occupancy so that all
// are resident.
//
// deterministic: yes
#include "check.h"

namespace {

struct Barrier {
  unsigned arrived;
  unsigned sense;
};

// REQUIRES: called by all threads of all blocks; my_sense is kept by the caller, alternating.
__device__ void wait_for_all(Barrier* barrier, unsigned& my_sense) {
  __syncthreads();
  if (threadIdx.x == 0) {
    my_sense ^= 1;
    __threadfence();
    if (atomicAdd(&barrier->arrived, 1u) == gridDim.x - 1) {
      barrier->arrived = 0;
      __threadfence();
      *static_cast<volatile unsigned*>(&barrier->sense) = my_sense;
    } else {
      while (*static_cast<volatile unsigned*>(&barrier->sense) != my_sense) __nanosleep(50);
    }
    __threadfence();
  }
  __syncthreads();
}

// In each phase a block reads its neighbour's cell of the last phase.
__global__ void pass_along(Barrier* barrier, unsigned* cells, int phases) {
  unsigned sense = 0;
  const int blocks = gridDim.x, me = blockIdx.x, t = threadIdx.x, width = blockDim.x;
  for (int phase = 0; phase < phases; ++phase) {
    const unsigned* from = cells + (phase & 1) * blocks * width;
    unsigned* to = cells + (~phase & 1) * blocks * width;
    to[me * width + t] = from[(me + 1) % blocks * width + (t + 1) % width] * 3 + phase;
    wait_for_all(barrier, sense);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int blocks = size_argument(argc, argv, 1, 9, 1, 4096);
  const int phases = size_argument(argc, argv, 2, 11, 1, 1000);
  constexpr int kThreads = 64;
  int each = 0, processors = 0;
  CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, pass_along, kThreads, 0));
  blocks = std::min(blocks, each * processors);

  const int cells = blocks * kThreads;
  std::vector<unsigned> start(2 * cells), last(cells), want(cells);
  for (int i = 0; i < cells; ++i) start[i] = want[i] = 7 * i;
  for (int phase = 0; phase < phases; ++phase) {
    last = want;
    for (int i = 0; i < cells; ++i) {
      const int block = i / kThreads, t = i % kThreads;
      want[i] = last[(block + 1) % blocks * kThreads + (t + 1) % kThreads] * 3 + phase;
    }
  }
  DeviceArray<unsigned> device_cells(start);
  DeviceArray<Barrier> barrier(1, 0);
  pass_along<<<blocks, kThreads>>>(barrier, device_cells, phases);
  FINISH_KERNEL();
  std::vector<unsigned> got = device_cells.download();
  got.erase(got.begin(), got.begin() + (phases & 1) * cells);
  got.resize(cells);
  EXPECT_SAME(want, got, "cell");
  return PASS("blocks=%d phases=%d", blocks, phases);
}
