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

/// Cycles a load of `steps` lines spread over so many bytes, all of which the same SM has read before.
double latency_in_l2(char* memory, size_t bytes, long long* cycles, void** last, Span* span, float* sink) {
  size_t stride = bytes / (steps + 1) / line_bytes;
  stride = (stride - (stride % 2 == 0)) * line_bytes;  // odd, so that the lines are on all slices
  set_ring<<<1, 256>>>(memory, stride, steps + 1);
  const int rounds = static_cast<int>(bytes / (chunk * sizeof(float4)));
  stream<<<1, stream_threads>>>(reinterpret_cast<const float4*>(memory), rounds, span, sink);
  chase<Level::cg><<<1, 1>>>(memory, 0, cycles, last);
  long long spent = 0;
  CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
  return static_cast<double>(spent) / steps;
}

constexpr int timed_lines = 512;

/// The time of each load by itself.
template <Level level>
__global__ void time_each(char* memory, size_t stride, unsigned* each) {
  __shared__ void* seen[timed_lines];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < timed_lines; ++i) {
      const long long begin = clock64();
      seen[i] = follow<level>(memory + i * stride);  // the store waits for the value
      asm volatile("" ::: "memory");
      each[i] = static_cast<unsigned>(clock64() - begin);
    }
  }
}

std::vector<double> times_of_each(char* memory, size_t stride, bool in_l1) {
  unsigned* each = on_device<unsigned>(timed_lines);
  set_ring<<<1, 256>>>(memory, stride, timed_lines);
  if (in_l1)
    time_each<Level::ca><<<1, 1>>>(memory, stride, each);
  else
    time_each<Level::cg><<<1, 1>>>(memory, stride, each);
  std::vector<unsigned> host(timed_lines);
  CUDA(cudaMemcpy(host.data(), each, timed_lines * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA(cudaFree(each));
  std::vector<double> sorted(host.begin(), host.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double mean_of(const std::vector<double>& values, size_t begin, size_t end) {
  return std::accumulate(values.begin() + begin, values.begin() + end, 0.0) / static_cast<double>(end - begin);
}

/// The means of two clusters (k-means in one dimension): as far from each other as the times of near and far slices.
void near_and_far(char* memory, double l1) {
  // What the clock and the store take: a hit in the L1 by itself, less one in a chain.
  const std::vector<double> hits = times_of_each(memory, sizeof(void*), true);
  const double beside = mean_of(hits, 0, hits.size()) - l1;
  const std::vector<double> times = times_of_each(memory, 9 * line_bytes, false);
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
  Span* span = on_device<Span>(1);
  float* sink = on_device<float>(stream_threads);
  CUDA(cudaFuncSetAttribute(chase<Level::ca>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
  // The largest footprint that takes at most a quarter longer than a small one, in steps of 4 KiB.
  constexpr unsigned step = 4096;
  const double l1 = latency_in_l1(memory, step, cycles, last);
  unsigned holds = step;
  while (holds < (1u << 20) && latency_in_l1(memory, holds + step, cycles, last) <= 1.25 * l1) holds += step;
  figure("l1_knee", holds / 1024.0, "KiB");
  near_and_far(memory, l1);
  // The same of the L2, in sixteenths, by bisection.
  const auto latency = [&](size_t parts) { return latency_in_l2(memory, parts * sixteenth, cycles, last, span, sink); };
  const double small = latency(2);
  size_t fits = 2, too_large = 20;
  while (too_large - fits > 1) {
    const size_t middle = (fits + too_large) / 2;
    (latency(middle) <= 1.1 * small ? fits : too_large) = middle;
  }
  figure("l2_knee", static_cast<double>(fits * sixteenth) / (1 << 20), "MiB");
  figure("latency_l2_three_quarters", latency(12), "cycles");
  CUDA(cudaFree(sink));
  CUDA(cudaFree(span));
  CUDA(cudaFree(last));
  CUDA(cudaFree(cycles));
  CUDA(cudaFree(memory));
}

}  // namespace
