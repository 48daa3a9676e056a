// Bandwidths of the L1, the L2 and the memory: streams of reads.
#pragma once

#include "measure.h"

namespace {

enum class Level { ca, cg };

template <Level level>
__device__ float4 load(const float4* at) {
  float4 v;
  if (level == Level::ca)
    asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(at));
  else
    asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(at));
  return v;
}

template <Level level>
__device__ float2 load(const float2* at) {
  float2 v;
  if (level == Level::ca)
    asm volatile("ld.global.ca.v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(at));
  else
    asm volatile("ld.global.cg.v2.f32 {%0,%1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(at));
  return v;
}

template <Level level>
__device__ float load(const float* at) {
  float v;
  if (level == Level::ca)
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(at));
  else
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(at));
  return v;
}

__device__ float sum_of(float4 v) {
  return v.x + v.y + v.z + v.w;
}

__device__ float sum_of(float2 v) {
  return v.x + v.y;
}

__device__ float sum_of(float v) {
  return v;
}

constexpr int chunk_loads = 8, stream_threads = 512;
constexpr size_t chunk = stream_threads * chunk_loads;  // float4s that a block reads in one round

/// Block b reads the chunks b, b + blocks and so on, each byte once. A load waits for the same thread's load
/// `chunk_loads` before it and for nothing else, so that the memory and not the arithmetic sets the pace.
__global__ void stream(const float4* from, int rounds, Span* spans, float* sink) {
  float4 v[chunk_loads];
  const long long begin = clock64();
  for (int i = 0; i < rounds; ++i) {
    const float4* here = from + (blockIdx.x + i * gridDim.x) * chunk + threadIdx.x;
#pragma unroll
    for (int k = 0; k < chunk_loads; ++k) v[k] = load<Level::cg>(here + k * stream_threads);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;  // each has a register of its own
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
}

/// Every warp reads until a time is over, 256 bytes further on than the block before, from a chunk on that is block
/// b's: b, or if there are more chunks than blocks, one as far from the next block's as all others. What it asks for
/// counts from `warm` cycles behind its block's begin on, for `cycles` of them, and all go on a little longer. So a
/// steady state is measured: SMs have unequal ways to the slices, and were each to read so much, those that are last
/// would be too few to keep the links busy. Counts the loads of each SM's warps.
__global__ void stream_steadily(const float4* from, int chunks, long long warm, long long cycles, unsigned* loads,
                                float* sink) {
  constexpr long long after = 4096;
  constexpr unsigned stagger = 256 / sizeof(float4);
  int at = chunks > gridDim.x ? blockIdx.x * chunks / gridDim.x : blockIdx.x % chunks;
  // The loads of a warp follow each other: they go to all slices alike.
  const float4* const first = from + blockIdx.x * stagger + threadIdx.x / 32 * 32 * chunk_loads + threadIdx.x % 32;
  float4 v[chunk_loads] = {};
  unsigned count = 0;
  const long long begin = clock64();
  for (long long now = 0; now < warm + cycles + after; now = clock64() - begin) {
    const float4* const here = first + at * chunk;
#pragma unroll
    for (int k = 0; k < chunk_loads; ++k) v[k] = load<Level::cg>(here + k * 32);
    if (now >= warm && now < warm + cycles) count += chunk_loads;
    if (++at >= chunks) at = 0;
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x % 32 == 0) atomicAdd(loads + sm, count);
}

/// One block reads 16 KiB (4 KiB by words) again and again until `cycles` have gone. Warps run apart, since those that
/// were first go first: were each to read so much, the last ones would be too few to hide the latency of a hit, and did
/// each wait for the others, all would. Counts the loads of each warp.
template <class T>
__global__ void stream_of_hits(const T* from, long long cycles, Span* spans, unsigned* loads, float* sink) {
  // Between looks at the clock. A register holds a load of its own only if it may be the last of its warp.
  constexpr int rounds = 4;
  const T* const here = from + threadIdx.x;
  T v[chunk_loads];
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) v[k] = load<Level::ca>(here + k % 2 * stream_threads);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) sum += sum_of(v[k]);
  __syncthreads();
  const long long begin = clock64();
  unsigned count = 0;
  do {
#pragma unroll 1
    for (int i = 0; i < rounds; ++i) {
#pragma unroll
      for (int k = 0; k < chunk_loads; ++k) v[k] = load<Level::ca>(here + k % 2 * stream_threads);
    }
    count += rounds * chunk_loads;
  } while (clock64() - begin < cycles);
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) sum += sum_of(v[k]);
  sink[threadIdx.x] = sum;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) spans[warp] = {begin, clock64()}, loads[warp] = count;
}

template <class T>
double bandwidth_of_hits() {
  constexpr int warps = stream_threads / 32;
  T* from = on_device<T>(2 * stream_threads);
  Span* spans = on_device<Span>(warps);
  unsigned* loads = on_device<unsigned>(warps);
  float* sink = on_device<float>(stream_threads);
  stream_of_hits<<<1, stream_threads>>>(from, 65536, spans, loads, sink);
  const double cycles = cycles_of(spans, warps);
  unsigned each[warps];
  CUDA(cudaMemcpy(each, loads, sizeof each, cudaMemcpyDeviceToHost));
  double all = 0;
  for (const unsigned one : each) all += one;
  CUDA(cudaFree(sink));
  CUDA(cudaFree(loads));
  CUDA(cudaFree(spans));
  CUDA(cudaFree(from));
  return all * 32 * sizeof(T) / cycles;
}

/// The SMs read neighbouring chunks at the same time. Bytes a cycle.
double bandwidth_of_stream(int rounds) {
  const int blocks = device.multiProcessorCount;
  float4* from = nullptr;  // whatever it holds: dirty lines of a memset would be written back meanwhile
  CUDA(cudaMalloc(&from, blocks * rounds * chunk * sizeof(float4)));
  Span* spans = on_device<Span>(blocks);
  float* sink = on_device<float>(static_cast<size_t>(blocks) * stream_threads);
  stream<<<blocks, stream_threads>>>(from, rounds, spans, sink);
  const double cycles = cycles_of(spans, blocks);
  CUDA(cudaFree(sink));
  CUDA(cudaFree(spans));
  CUDA(cudaFree(from));
  return 16.0 * chunk * rounds * blocks / cycles;
}

/// Rounds of all SMs in which they read the L2's size so many times.
int rounds_of_l2(int times) {
  const size_t round = chunk * sizeof(float4) * device.multiProcessorCount;
  return static_cast<int>(times * static_cast<size_t>(device.l2CacheSize) / round + 1);
}

/// Reads twice the L2's size, so that what was written before has been written back.
void forget_dirty_lines() {
  bandwidth_of_stream(rounds_of_l2(2));
}

/// Of each SM: so many sixteenths of the L2, or as much as the SMs read at once, each beginning elsewhere.
std::vector<double> bandwidths_of_l2(int sixteenths) {
  constexpr long long warm = 16384, cycles = 49152;
  const int sms = device.multiProcessorCount;
  const size_t bytes = static_cast<size_t>(device.l2CacheSize) * sixteenths / 16;
  const int part = std::max(1, static_cast<int>(bytes / (chunk * sizeof(float4))));
  const int chunks = sixteenths > 4 ? part : std::min(part, sms);
  float4* from = nullptr;
  CUDA(cudaMalloc(&from, (chunks + 1) * chunk * sizeof(float4)));
  Span* spans = on_device<Span>(chunks + 1);
  unsigned* loads = on_device<unsigned>(sms);
  float* sink = on_device<float>(static_cast<size_t>(std::max(sms, chunks + 1)) * stream_threads);
  stream<<<chunks + 1, stream_threads>>>(from, 1, spans, sink);
  stream_steadily<<<sms, stream_threads>>>(from, chunks, warm, cycles, loads, sink);
  std::vector<unsigned> each(sms);
  CUDA(cudaMemcpy(each.data(), loads, sms * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(sink));
  CUDA(cudaFree(loads));
  CUDA(cudaFree(spans));
  CUDA(cudaFree(from));
  std::vector<double> bandwidths;
  for (const unsigned one : each) bandwidths.push_back(one * 32.0 * sizeof(float4) / cycles);
  return bandwidths;
}

void bandwidths(bool shares) {
  figure("bandwidth_l1", bandwidth_of_hits<float4>(), "bytes/cycle/SM");
  const std::vector<double> l2 = bandwidths_of_l2(4);
  figure("bandwidth_l2", std::accumulate(l2.begin(), l2.end(), 0.0), "bytes/cycle");
  if (shares)
    for (size_t sm = 0; sm < l2.size(); ++sm)
      figure(("bandwidth_l2_sm_" + std::to_string(sm)).c_str(), l2[sm], "bytes/cycle");
  forget_dirty_lines();
  figure("bandwidth_memory", bandwidth_of_stream(std::min(24, rounds_of_l2(8))), "bytes/cycle");
  figure("bandwidth_l1_pairs", bandwidth_of_hits<float2>(), "bytes/cycle/SM");
  figure("bandwidth_l1_words", bandwidth_of_hits<float>(), "bytes/cycle/SM");
  const std::vector<double> whole = bandwidths_of_l2(15);
  figure("bandwidth_l2_whole", std::accumulate(whole.begin(), whole.end(), 0.0), "bytes/cycle");
}

}  // namespace
