// Latency by footprint: how much the L1 and the L2 hold, and whether an SM has parts of the L2 near and far.
#pragma once

#include "latency.h"

namespace {

/// Pointers `stride` bytes apart that lead to each other in a ring.
__global__ void set_ring(char* memory, size_t stride, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    *reinterpret_cast<void**>(memory + i * stride) = memory + (i + 1) % count * stride;
}

constexpr size_t line_bytes = 128;

/// Cycles a load of a ring of lines, which has been followed once.
double latency_in_l1(char* memory, unsigned bytes, long long* cycles, void** last) {
  const unsigned count = bytes / line_bytes;
  set_ring<<<1, 256>>>(memory, line_bytes, count);
  chase<Level::ca><<<1, 1>>>(memory, count, cycles, last);
  long long spent = 0;
  CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
  return static_cast<double>(spent) / steps;
}

constexpr int timed_lines = 512, most_chunks = 16;

/// The time of a load by itself: with what the clock and the store take.
template <Level level>
__device__ unsigned time_of(char* at, void** seen) {
  const long long begin = clock64();
  *seen = follow<level>(at);  // the store waits for the value
  asm volatile("" ::: "memory");
  return static_cast<unsigned>(clock64() - begin);
}

/// The times of the last round.
template <Level level>
__global__ void time_each(char* memory, size_t stride, int rounds, unsigned* each) {
  __shared__ void* seen[timed_lines];
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < timed_lines; ++i) each[i] = time_of<level>(memory + i * stride, seen + i);
}

/// Reads all chunks in order, twice, and times a load of a line of each chunk before it reads the rest. So each timed
/// line was read before all others, as in a chase through all of them.
__global__ void time_in_rounds(char* memory, int chunks, unsigned* each, float* sink) {
  constexpr int lines = chunk * sizeof(float4) / line_bytes;
  __shared__ void* seen;
  float sum = 0;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < chunks; ++i) {
      char* const here = memory + i * chunk * sizeof(float4);
      if (threadIdx.x == 0) each[i] = time_of<Level::cg>(here + i * 37 % lines * line_bytes, &seen);
      __syncthreads();
      float4 v[chunk_loads];
#pragma unroll
      for (int k = 0; k < chunk_loads; ++k)
        v[k] = load<Level::cg>(reinterpret_cast<const float4*>(here) + threadIdx.x + k * stream_threads);
#pragma unroll
      for (int k = 0; k < chunk_loads; ++k) sum += sum_of(v[k]);
      __syncthreads();
    }
  }
  sink[threadIdx.x] = sum;
}

std::vector<double> sorted_on_host(unsigned* each, int count) {
  std::vector<unsigned> host(count);
  CUDA(cudaMemcpy(host.data(), each, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(each));
  std::vector<double> sorted(host.begin(), host.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double mean_of(const std::vector<double>& values, size_t begin, size_t end) {
  return std::accumulate(values.begin() + begin, values.begin() + end, 0.0) / static_cast<double>(end - begin);
}

/// What a time has besides the load: of a hit in the L1 by itself, less one in a chain.
double beside_a_load(char* memory, double l1) {
  unsigned* each = on_device<unsigned>(timed_lines);
  set_ring<<<1, 256>>>(memory, sizeof(void*), timed_lines);
  time_each<Level::ca><<<1, 1>>>(memory, sizeof(void*), 2, each);
  const std::vector<double> hits = sorted_on_host(each, timed_lines);
  return mean_of(hits, 0, hits.size()) - l1;
}

/// Cycles a load of as many bytes, which the same SM reads again and again.
double latency_in_l2(char* memory, size_t bytes, double beside, float* sink) {
  const int chunks = static_cast<int>(bytes / (chunk * sizeof(float4)));
  unsigned* each = on_device<unsigned>(chunks);
  time_in_rounds<<<1, stream_threads>>>(memory, chunks, each, sink);
  const std::vector<double> times = sorted_on_host(each, chunks);
  return mean_of(times, 0, times.size()) - beside;
}

/// The means of two clusters (k-means in one dimension): as far from each other as the times of near and far slices.
/// The lines are in the L2 and were written last. So no part of the L2 has copies of another part's lines, and the
/// first load of each finds it where it is.
void near_and_far(char* memory, double beside, Span* spans, float* sink) {
  constexpr size_t stride = 9 * line_bytes;
  constexpr int chunks = (timed_lines * stride + chunk * sizeof(float4) - 1) / (chunk * sizeof(float4));
  static_assert(chunks <= most_chunks);
  unsigned* each = on_device<unsigned>(timed_lines);
  stream<<<chunks, stream_threads>>>(reinterpret_cast<const float4*>(memory), 1, spans, sink);
  set_ring<<<1, 256>>>(memory, stride, timed_lines);
  time_each<Level::cg><<<1, 1>>>(memory, stride, 1, each);
  const std::vector<double> times = sorted_on_host(each, timed_lines);
  double near = times.front(), far = times.back();
  for (int i = 0; i < 50 && far > near; ++i) {
    const auto split = std::upper_bound(times.begin(), times.end(), (near + far) / 2) - times.begin();
    near = mean_of(times, 0, split);
    far = mean_of(times, split, times.size());
  }
  figure("latency_l2_near", near - beside, "cycles");
  figure("latency_l2_far", far - beside, "cycles");
}

void footprints() {
  const size_t l2 = device.l2CacheSize, round = chunk * sizeof(float4);
  const size_t sixteenth = std::max<size_t>(1, l2 / 16 / round) * round;
  char* memory = nullptr;
  CUDA(cudaMalloc(&memory, l2 * 2));
  long long* cycles = on_device<long long>(1);
  void** last = on_device<void*>(1);
  Span* spans = on_device<Span>(most_chunks);
  float* sink = on_device<float>(most_chunks * stream_threads);
  CUDA(cudaFuncSetAttribute(chase<Level::ca>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  // The largest footprint that takes at most a quarter longer than a small one, in steps of 4 KiB.
  constexpr unsigned step = 4096;
  const double l1 = latency_in_l1(memory, step, cycles, last);
  unsigned holds = step;
  while (holds < (1u << 20) && latency_in_l1(memory, holds + step, cycles, last) <= 1.25 * l1) holds += step;
  figure("l1_knee", holds / 1024.0, "KiB");
  const double beside = beside_a_load(memory, l1);
  near_and_far(memory, beside, spans, sink);
  // The same of the L2, in sixteenths, by bisection.
  const auto latency = [&](size_t parts) { return latency_in_l2(memory, parts * sixteenth, beside, sink); };
  const double small = latency(2);
  size_t fits = 2, too_large = 20;
  while (too_large - fits > 1) {
    const size_t middle = (fits + too_large) / 2;
    (latency(middle) <= 1.1 * small ? fits : too_large) = middle;
  }
  figure("l2_knee", static_cast<double>(fits * sixteenth) / (1 << 20), "MiB");
  figure("latency_l2_three_quarters", latency(12), "cycles");
  CUDA(cudaFree(sink));
  CUDA(cudaFree(spans));
  CUDA(cudaFree(last));
  CUDA(cudaFree(cycles));
  CUDA(cudaFree(memory));
}

}  // namespace
