// Barriers of a warp, a block and a grid: cycles from one to the next.
#pragma once

#include <cooperative_groups.h>

#include "measure.h"

namespace {

constexpr int barrier_steps = 64;

__global__ void meet_in_block(long long* cycles) {
  __syncthreads();
  const long long begin = clock64();
#pragma unroll
  for (int i = 0; i < barrier_steps; ++i) __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
}

__global__ void meet_in_warp(long long* cycles) {
  __syncwarp();
  const long long begin = clock64();
#pragma unroll
  for (int i = 0; i < barrier_steps; ++i) asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  const long long end = clock64();
  if (threadIdx.x == 0) *cycles = end - begin;
}

__global__ void meet_in_grid(Span* spans) {
  const auto grid = cooperative_groups::this_grid();
  grid.sync();
  const long long begin = clock64();
  for (int i = 0; i < barrier_steps; ++i) grid.sync();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
}

void grid_barrier(const std::string& name, int blocks, int threads) {
  Span* spans = on_device<Span>(blocks);
  void* arguments[] = {&spans};
  CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet_in_grid), dim3(blocks), dim3(threads), arguments));
  figure(name.c_str(), longest_of(spans, blocks) / barrier_steps, "cycles");
  CUDA(cudaFree(spans));
}

void barriers() {
  long long* cycles = on_device<long long>(1);
  const auto one = [&](const std::string& name) {
    long long spent = 0;
    CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
    figure(name.c_str(), static_cast<double>(spent) / barrier_steps, "cycles");
  };
  meet_in_warp<<<1, 32>>>(cycles);
  one("syncwarp");
  for (const int warps : {1, 2, 4, 8, 16, 32}) {
    meet_in_block<<<1, warps * 32>>>(cycles);
    one("syncthreads_" + std::to_string(warps));
  }
  CUDA(cudaFree(cycles));
  grid_barrier("grid_sync_8_blocks", 8, 256);
  grid_barrier("grid_sync_all_sms", device.multiProcessorCount, 256);
}

}  // namespace
