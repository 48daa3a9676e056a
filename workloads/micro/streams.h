// Bandwidths of the memory by pattern, at full and at low occupancy: a thread has one element of 8 bytes of each array,
// as the streams of RRZE's gpu-benches. A kernel's time is that between two events, less that of a kernel that does
// nothing.
#pragma once

#include "launches.h"

namespace {

enum class Pattern { write, read, scale, triad };

/// Arrays of 8-byte elements that a pattern has.
constexpr int arrays_of(Pattern pattern) {
  return pattern == Pattern::scale ? 2 : pattern == Pattern::triad ? 3 : 1;
}

/// Elements `first` and on of each array; arrays are `apart` elements from each other.
template <Pattern pattern>
__global__ void touch(double* memory, size_t apart, size_t first) {
  const size_t i = first + static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  double* const a = memory + i;
  if (pattern == Pattern::write) *a = 1.5;
  if (pattern == Pattern::read && *a == 1.25) *a = 1;  // never, but the compiler cannot know
  if (pattern == Pattern::scale) *a = a[apart] * 2;
  if (pattern == Pattern::triad) *a = a[apart] * 2 + a[2 * apart];
}

/// Parts of memory, one behind the other. The first brings the L2 into the state in which the pattern keeps it. The
/// others are timed: half of `timed`, then all of it.
struct Area {
  double* memory = nullptr;
  size_t warm = 0, timed = 0;  // bytes of all arrays
  size_t bytes() const { return warm + timed / 2 * 3; }
};

/// Bytes a nanosecond: what the longer kernel has more, over the time that it takes more. So neither a kernel's launch
/// counts, nor queues that are empty before it and full behind it.
template <Pattern pattern>
double pattern_bandwidth(const Area& area, int threads, int shared) {
  constexpr size_t element = sizeof(double) * arrays_of(pattern);
  const size_t warm = area.warm / element / threads, half = area.timed / 2 / element / threads;
  const size_t apart = (warm + 3 * half) * threads;
  if (shared) CUDA(cudaFuncSetAttribute(touch<pattern>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const auto touched = [&](size_t blocks, size_t behind) {
    return nanoseconds_of([&] { touch<pattern><<<blocks, threads, shared>>>(area.memory, apart, behind * threads); });
  };
  if (warm) touched(warm, 0);
  const double first = touched(half, warm), second = touched(2 * half, warm + half);
  return static_cast<double>(half * threads * element) / (second - first);
}

/// One SM copies.
__global__ void copy_alone(const float4* from, float4* to, size_t count) {
  for (size_t i = threadIdx.x; i < count; i += blockDim.x * 4) {
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = from[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < 4; ++k) to[i + k * blockDim.x] = v[k];
  }
}

double bandwidth_of_one_sm(char* memory, size_t bytes) {
  const double empty = nanoseconds_of([] { nothing<<<1, 32>>>(); });
  const auto* from = reinterpret_cast<float4*>(memory);
  auto* to = reinterpret_cast<float4*>(memory + bytes);
  const double spent = nanoseconds_of([&] { copy_alone<<<1, 1024>>>(from, to, bytes / sizeof(float4)); });
  return 2.0 * static_cast<double>(bytes) / (spent - empty);
}

void streams() {
  Area area;
  area.warm = 2 * static_cast<size_t>(device.l2CacheSize);  // once its size leaves places that are not dirty yet
  area.timed = std::max<size_t>(size_t{24} << 20, device.l2CacheSize) * longer;
  const size_t rest = static_cast<size_t>(longer) << 21, all = area.bytes();
  char* memory = nullptr;  // whatever it holds: dirty lines of a memset would be written back meanwhile
  CUDA(cudaMalloc(&memory, all + 12 * rest));
  area.memory = reinterpret_cast<double*>(memory);
  const int threads = std::min(1024, device.maxThreadsPerMultiProcessor / 2);
  figure("memory_read", pattern_bandwidth<Pattern::read>(area, threads, 0), "GB/s");
  // So much shared memory that an SM has two blocks at a time, as in gpu-benches' gpu-stream.
  const int shared = static_cast<int>(device.sharedMemPerMultiprocessor / 2 - device.reservedSharedMemPerBlock);
  const auto fresh = [&](size_t behind, size_t bytes) {  // memory that no other figure touches
    return Area{reinterpret_cast<double*>(memory + all + behind), 0, bytes};
  };
  figure("memory_read_2_blocks_of_32", pattern_bandwidth<Pattern::read>(fresh(0, rest), 32, shared), "GB/s");
  figure("memory_read_2_blocks_of_512", pattern_bandwidth<Pattern::read>(fresh(2 * rest, 3 * rest), 512, shared),
         "GB/s");
  figure("memory_read_2_blocks_of_64", pattern_bandwidth<Pattern::read>(fresh(8 * rest, rest), 64, shared), "GB/s");
  figure("memory_scale_2_blocks_of_32", pattern_bandwidth<Pattern::scale>(fresh(10 * rest, rest), 32, shared), "GB/s");
  figure("memory_copy_one_sm", bandwidth_of_one_sm(memory + all + 7 * rest, size_t{1} << 20), "GB/s");
  figure("memory_write", pattern_bandwidth<Pattern::write>(area, threads, 0), "GB/s");
  figure("memory_scale", pattern_bandwidth<Pattern::scale>(area, threads, 0), "GB/s");
  figure("memory_triad", pattern_bandwidth<Pattern::triad>(area, threads, 0), "GB/s");
  CUDA(cudaFree(memory));
}

}  // namespace
