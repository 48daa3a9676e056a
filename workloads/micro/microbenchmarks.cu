// What a GPU's memory hierarchy does, measured from inside: latencies by pointer chasing, bandwidths by streaming, bank
// conflicts, atomics, launches. Prints one line a figure: name, value, unit; fails when a sum is wrong. Ordinary CUDA:
// it runs on real GPUs, too.
//
//   microbenchmarks [NAME...]    only the groups named: latency bandwidth shared atomics launch; shares: besides,
//                                of bandwidth_l2 what each SM reads
// copies: times by the clock of the device
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace {

#define CUDA(call)                                                                                        \
  do {                                                                                                    \
    const cudaError_t error = (call);                                                                     \
    if (error != cudaSuccess) {                                                                           \
      std::fprintf(stderr, "FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
      std::exit(1);                                                                                       \
    }                                                                                                     \
  } while (0)

cudaDeviceProp device;
bool failed = false;

void figure(const char* name, double value, const char* unit) {
  std::printf("%-28s %12.4f %s\n", name, value, unit);
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAIL %s\n", what);
  failed = true;
}

struct Span {  // of one block, in cycles of the SM clock
  long long begin, end;
};

template <class T>
T* on_device(size_t count) {
  T* memory = nullptr;
  CUDA(cudaMalloc(&memory, count * sizeof(T)));
  CUDA(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

/// From the first block's begin to the last one's end.
double cycles_of(const Span* spans, int count) {
  std::vector<Span> host(count);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(host.data(), spans, count * sizeof(Span), cudaMemcpyDeviceToHost));
  long long begin = host[0].begin, end = host[0].end;
  for (const Span& span : host) begin = std::min(begin, span.begin), end = std::max(end, span.end);
  return static_cast<double>(end - begin);
}

// --- latency: each load's address is the value of the one before. The steps stand behind each other in the code, so
// that what a loop costs beside the load does not count.

constexpr int steps = 1024;

enum class Level { ca, cg };

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
  *last = at;
  const long long begin = clock64();
#pragma unroll
  for (int i = 0; i < steps; ++i) at = follow<level>(at);
  *last = at;  // needs the last value
  asm volatile("" ::"l"(at) : "memory");
  *cycles = clock64() - begin;
}

__global__ void chase_shared(long long* cycles, int* last) {
  __shared__ int next[256];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(next));
  for (int i = 0; i < 256; ++i) next[i] = static_cast<int>(base) + (i + 33) % 256 * 4;
  unsigned at = base;
  const long long begin = clock64();
#pragma unroll
  for (int i = 0; i < steps; ++i) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
  *last = static_cast<int>(at);
  *cycles = clock64() - begin;
}

void forget_dirty_lines();

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

// --- bandwidth

template <Level level>
__device__ float4 load(const float4* at) {
  float4 v;
  if (level == Level::ca)
    asm volatile("ld.global.ca.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(at));
  else
    asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(at));
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

/// Every warp reads until a time is over, block b from chunk b on, 256 bytes further on than the block before. What it
/// asks for counts from `warm` cycles behind its block's begin on, for `cycles` of them, and all go on a little longer.
/// So a steady state is measured: SMs have unequal ways to the slices, and were each to read so much, those that are
/// last would be too few to keep the links busy. Counts the loads of each SM's warps.
__global__ void stream_steadily(const float4* from, int chunks, long long warm, long long cycles, unsigned* loads,
                                float* sink) {
  constexpr long long after = 4096;
  constexpr unsigned stagger = 256 / sizeof(float4);
  int at = blockIdx.x % chunks;
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

/// One block reads 16 KiB again and again until `cycles` have gone. Warps run apart, since those that were first go
/// first: were each to read so much, the last ones would be too few to hide the latency of a hit, and did each wait for
/// the others, all would. Counts the loads of each warp.
__global__ void stream_of_hits(const float4* from, long long cycles, Span* spans, unsigned* loads, float* sink) {
  // Between looks at the clock. A register holds a load of its own only if it may be the last of its warp.
  constexpr int rounds = 4;
  const float4* const here = from + threadIdx.x;
  float4 v[chunk_loads];
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) v[k] = load<Level::ca>(here + k % 2 * stream_threads);
  float sum = 0;
#pragma unroll
  for (int k = 0; k < chunk_loads; ++k) sum += v[k].x;
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
  for (int k = 0; k < chunk_loads; ++k) sum += v[k].x + v[k].y + v[k].z + v[k].w;
  sink[threadIdx.x] = sum;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) spans[warp] = {begin, clock64()}, loads[warp] = count;
}

double bandwidth_of_hits() {
  constexpr int warps = stream_threads / 32;
  float4* from = on_device<float4>(2 * stream_threads);
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
  return all * 32 * sizeof(float4) / cycles;
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

/// Of each SM: a quarter of the L2, or as much as the SMs read at once, each beginning elsewhere.
std::vector<double> bandwidths_of_l2() {
  constexpr long long warm = 16384, cycles = 49152;
  const int sms = device.multiProcessorCount;
  const int quarter = std::max(1, static_cast<int>(device.l2CacheSize / 4 / (chunk * sizeof(float4))));
  const int chunks = std::min(quarter, sms);
  float4* from = nullptr;
  CUDA(cudaMalloc(&from, (chunks + 1) * chunk * sizeof(float4)));
  Span* spans = on_device<Span>(chunks + 1);
  unsigned* loads = on_device<unsigned>(sms);
  float* sink = on_device<float>(static_cast<size_t>(sms + 1) * stream_threads);
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
  figure("bandwidth_l1", bandwidth_of_hits(), "bytes/cycle/SM");
  const std::vector<double> l2 = bandwidths_of_l2();
  figure("bandwidth_l2", std::accumulate(l2.begin(), l2.end(), 0.0), "bytes/cycle");
  if (shares)
    for (size_t sm = 0; sm < l2.size(); ++sm)
      figure(("bandwidth_l2_sm_" + std::to_string(sm)).c_str(), l2[sm], "bytes/cycle");
  forget_dirty_lines();
  figure("bandwidth_memory", bandwidth_of_stream(std::min(24, rounds_of_l2(8))), "bytes/cycle");
}

// --- shared memory: cycles a warp's load takes when its lanes' words are `stride` apart

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
  }
  CUDA(cudaFree(sink));
  CUDA(cudaFree(cycles));
}

// --- atomics

constexpr unsigned words_of_line = 32;

/// Each warp adds to one of the lines in turn, so that every slice of the L2 has as many of them: so many times, or
/// until so many cycles are over. Schedulers that let the oldest warp go first leave the youngest for last, alone with
/// too few adds under way, when each has a number of them. Counts the adds of each block.
__global__ void add_to(unsigned* cells, unsigned lanes_apart, unsigned lines, unsigned times, long long cycles,
                       Span* spans, unsigned long long* adds) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned* first = cells + threadIdx.x % 32 * lanes_apart;
  unsigned line = warp % lines, count = 0;
  const long long begin = clock64();
  do {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(first + line * words_of_line) : "memory");
    line += 61;
    if (line >= lines) line %= lines;
  } while (++count < times || clock64() - begin < cycles);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
  if (threadIdx.x % 32 == 0) atomicAdd(adds + blockIdx.x, 32ull * count);
}

void atomics(const char* name, unsigned lanes_apart, unsigned lines, unsigned times, long long cycles) {
  const int blocks = device.multiProcessorCount, threads = 256;
  const size_t count = lines * words_of_line;
  unsigned* cells = on_device<unsigned>(count);
  Span* spans = on_device<Span>(blocks);
  unsigned long long* adds = on_device<unsigned long long>(blocks);
  add_to<<<blocks, threads>>>(cells, lanes_apart, lines, times, cycles, spans, adds);
  const double spent = cycles_of(spans, blocks);
  std::vector<unsigned> host(count);
  std::vector<unsigned long long> added(blocks);
  CUDA(cudaMemcpy(host.data(), cells, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(added.data(), adds, blocks * sizeof(unsigned long long), cudaMemcpyDeviceToHost));
  const auto all = std::accumulate(added.begin(), added.end(), 0ull);
  expect(std::accumulate(host.begin(), host.end(), 0ull) == all, "atomic additions are lost");
  figure(name, static_cast<double>(all) / spent, "atomics/cycle");
  CUDA(cudaFree(adds));
  CUDA(cudaFree(spans));
  CUDA(cudaFree(cells));
}

// --- launches

__global__ void nothing() {}

void launches() {
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  const int times = 20;
  nothing<<<1, 32>>>();
  CUDA(cudaEventRecord(begin));
  for (int i = 0; i < times; ++i) nothing<<<1, 32>>>();
  CUDA(cudaEventRecord(end));
  CUDA(cudaEventSynchronize(end));
  float milliseconds = 0;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  figure("launch", milliseconds * 1e6 / times, "ns");
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
}

}  // namespace

int main(int argc, char** argv) {
  const auto wanted = [&](const char* group) {
    for (int i = 1; i < argc; ++i)
      if (std::strcmp(argv[i], group) == 0) return true;
    return argc == 1;
  };
  CUDA(cudaGetDeviceProperties(&device, 0));
  if (wanted("latency")) latencies();
  if (wanted("bandwidth")) bandwidths(argc > 1 && wanted("shares"));
  if (wanted("shared")) shared_memory();
  if (wanted("atomics")) {
    atomics("atomics_same_address", 0, 1, 16, 0);
    atomics("atomics_same_line", 1, 1, 16, 0);
    atomics("atomics_spread", 1, 16384, 0, 131072);
  }
  if (wanted("launch")) launches();
  if (!failed) std::puts("PASS");
  return failed;
}
