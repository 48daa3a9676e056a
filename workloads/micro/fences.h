// What a memory fence costs by its scope: a pair of updates of global memory with a fence behind each, less the pair
// alone.
#pragma once

#include "measure.h"

namespace {

constexpr int fence_steps = 32;

enum class Fence { none, block, device, system };

template <Fence fence>
__device__ void order() {
  if (fence == Fence::block) __threadfence_block();
  if (fence == Fence::device) __threadfence();
  if (fence == Fence::system) __threadfence_system();
}

template <Fence fence>
__global__ void update_and_order(volatile unsigned* first, volatile unsigned* second, Span* spans) {
  const unsigned mine = blockIdx.x * blockDim.x + threadIdx.x;
  first[mine] = first[mine] + 1;
  second[mine] = second[mine] + 1;
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < fence_steps; ++i) {
    first[mine] = first[mine] + 1;
    order<fence>();
    second[mine] = second[mine] + 1;
    order<fence>();
  }
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
}

template <Fence fence>
double cycles_a_step(int blocks, int threads) {
  const size_t count = static_cast<size_t>(blocks) * threads;
  unsigned* first = on_device<unsigned>(count);
  unsigned* second = on_device<unsigned>(count);
  Span* spans = on_device<Span>(blocks);
  update_and_order<fence><<<blocks, threads>>>(first, second, spans);
  const double cycles = longest_of(spans, blocks) / (2.0 * fence_steps);
  unsigned sum = 0;
  CUDA(cudaMemcpy(&sum, second, sizeof sum, cudaMemcpyDeviceToHost));
  expect(sum == fence_steps + 1, "an update was lost");
  CUDA(cudaFree(spans));
  CUDA(cudaFree(second));
  CUDA(cudaFree(first));
  return cycles;
}

template <Fence fence>
void fence_cost(const char* name, int blocks, int threads) {
  figure(name, cycles_a_step<fence>(blocks, threads) - cycles_a_step<Fence::none>(blocks, threads), "cycles");
}

void fences() {
  fence_cost<Fence::block>("fence_block", 1, 1);
  fence_cost<Fence::device>("fence_device", 1, 1);
  fence_cost<Fence::system>("fence_system", 1, 1);
  fence_cost<Fence::block>("fence_block_1024_threads", 1, 1024);
  fence_cost<Fence::system>("fence_system_all_sms", device.multiProcessorCount, 1024);
}

}  // namespace
