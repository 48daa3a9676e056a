// Latency: each load's address is the value of the one before. The steps stand behind each other in the code, so that
// what a loop costs beside the load does not count. They run twice, and the second time counts: the first brings the
// instructions into the SM's caches, and follows a pointer that leads to itself.
#pragma once

#include "bandwidth.h"

namespace {

constexpr int steps = 1024;

template <Level level>
__device__ void* follow(void* at) {
  void* next;
  if (level == Level::ca)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  return next;
}

template <Level level>
__global__ void chase(void* start, int warm, long long* cycles, void** last) {
  void* at = start;
  for (int i = 0; i < warm; ++i) at = follow<level>(at);
  void* const first = at;
  *last = last;
  at = last;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < steps; ++i) at = follow<level>(at);
    if (pass == 1) *last = at;  // needs the last value
    asm volatile("" ::"l"(at) : "memory");
    *cycles = clock64() - begin;
    at = first;
  }
}

__global__ void chase_shared(long long* cycles, int* last) {
  __shared__ int next[256];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(next));
  for (int i = 0; i < 256; ++i) next[i] = static_cast<int>(base) + (i + 33) % 256 * 4;
  unsigned at = base;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < steps; ++i) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
    *last = static_cast<int>(at);
    *cycles = clock64() - begin;
  }
}

/// A ring of `count` pointers, `stride` bytes apart, of which `warm` are followed first.
template <Level level>
double latency(size_t count, size_t stride, int warm) {
  char* memory = on_device<char>(count * stride);
  std::vector<char> ring(count * stride);
  for (size_t i = 0; i < count; ++i) {
    void* next = memory + (i + 1) % count * stride;
    std::memcpy(&ring[i * stride], &next, sizeof next);
  }
  CUDA(cudaMemcpy(memory, ring.data(), ring.size(), cudaMemcpyHostToDevice));
  long long* cycles = on_device<long long>(1);
  void** last = on_device<void*>(1);
  if (warm == 0) forget_dirty_lines();
  chase<level><<<1, 1>>>(memory, warm, cycles, last);
  CUDA(cudaDeviceSynchronize());
  long long spent = 0;
  void* end = nullptr;
  CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(&end, last, sizeof end, cudaMemcpyDeviceToHost));
  expect(end == memory + (warm + steps) % count * stride, "the chase ended at the wrong place");
  CUDA(cudaFree(last));
  CUDA(cudaFree(cycles));
  CUDA(cudaFree(memory));
  return static_cast<double>(spent) / steps;
}

void latencies() {
  figure("latency_l1", latency<Level::ca>(64, 128, 64), "cycles");
  figure("latency_l2", latency<Level::cg>(1024, 128, 1024), "cycles");
  // Every line once, cold.
  figure("latency_memory", latency<Level::cg>(steps + 1, 4096 + 128, 0), "cycles");
  long long* cycles = on_device<long long>(1);
  int* last = on_device<int>(1);
  chase_shared<<<1, 1>>>(cycles, last);
  long long spent = 0;
  CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
  figure("latency_shared", static_cast<double>(spent) / steps, "cycles");
  CUDA(cudaFree(last));
  CUDA(cudaFree(cycles));
}

}  // namespace
