// Shared memory: bank conflicts and atomics.
#pragma once

#include "measure.h"

namespace {

// Cycles a warp's load takes when its lanes' words are `stride` apart.

__global__ void banks(int stride, int loads, long long* cycles, int* sink) {
  __shared__ int words[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) words[i] = i;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x % 32 * stride % 1024));
  // Each load waits for the one 32 before it and for nothing else: a warp that is left alone keeps the unit busy, too.
  int v[32];
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < loads; i += 32) {
#pragma unroll
    for (int k = 0; k < 32; ++k) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(at) : "memory");
  }
  __syncthreads();
  const long long end = clock64();
#pragma unroll
  for (int k = 1; k < 32; ++k) v[0] += v[k];
  sink[threadIdx.x] = v[0];
  if (threadIdx.x == 0) *cycles = end - begin;
}

void shared_memory() {
  long long* cycles = on_device<long long>(1);
  const int loads = 512, warps = 16;
  int* sink = on_device<int>(warps * 32);
  for (const int stride : {0, 1, 2, 4, 8, 16, 32}) {
    banks<<<1, warps * 32>>>(stride, loads, cycles, sink);
    long long spent = 0;
    CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
    figure(("shared_stride_" + std::to_string(stride)).c_str(), static_cast<double>(spent) / (loads * warps),
           "cycles/load");
    if (stride == 1)
      figure("bandwidth_shared", 32 * 4.0 * loads * warps / static_cast<double>(spent), "bytes/cycle/SM");
  }
  CUDA(cudaFree(sink));
  CUDA(cudaFree(cycles));
}

// Latencies: each load or atomic needs the value of the one before.

constexpr int shared_steps = 256;

enum class Step { load, add, swap };

/// Of a load with `ways` words in the same bank; or of an atomic whose word `sharers` lanes have in common.
template <Step step>
__global__ void chase_in_banks(int ways, int sharers, long long* cycles, unsigned* sink) {
  __shared__ unsigned words[32 * 32];
  const unsigned lane = threadIdx.x;
  unsigned* const mine = words + (step == Step::load ? lane % ways * 32 + lane / ways : lane / sharers);
  const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(mine));
  *mine = step == Step::load ? here : 0;
  __syncthreads();
  unsigned at = here, value = 0;
  // The first time brings the instructions into the SM's caches.
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    const long long begin = clock64();
#pragma unroll
    for (int i = 0; i < shared_steps; ++i) {
      if (step == Step::load)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
      else if (step == Step::add)
        asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(at) : "memory");
      else
        asm volatile("atom.shared.cas.b32 %0, [%1], %0, 0;" : "+r"(value) : "r"(at) : "memory");
    }
    const long long end = clock64();
    if (lane == 0) *cycles = end - begin;
  }
  sink[lane] = at + value;
}

/// Warps add to words of their own; no addition waits for another.
__global__ void add_in_banks(int adds, Span* spans) {
  __shared__ unsigned words[1024];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
  words[threadIdx.x] = 0;
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < adds; i += 8) {
#pragma unroll
    for (int k = 0; k < 8; ++k) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) spans[0] = {begin, clock64()};
}

template <Step step>
void shared_latency(const std::string& name, int lanes, int ways, int sharers) {
  long long* cycles = on_device<long long>(1);
  unsigned* sink = on_device<unsigned>(32);
  chase_in_banks<step><<<1, lanes>>>(ways, sharers, cycles, sink);
  long long spent = 0;
  CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
  figure(name.c_str(), static_cast<double>(spent) / shared_steps, "cycles");
  CUDA(cudaFree(sink));
  CUDA(cudaFree(cycles));
}

void conflicts() {
  for (const int ways : {1, 2, 4, 8, 16, 32})
    shared_latency<Step::load>("shared_conflict_" + std::to_string(ways), 32, ways, 1);
  for (const int sharers : {1, 2, 32})
    shared_latency<Step::add>("shared_atomic_" + std::to_string(sharers), sharers, 1, sharers);
  shared_latency<Step::swap>("shared_atomic_swap", 32, 1, 1);
  const int warps = 4, adds = 512;
  Span* span = on_device<Span>(1);
  add_in_banks<<<1, warps * 32>>>(adds, span);
  figure("shared_atomic_rate", warps * adds / cycles_of(span, 1), "instructions/cycle/SM");
  CUDA(cudaFree(span));
}

}  // namespace
