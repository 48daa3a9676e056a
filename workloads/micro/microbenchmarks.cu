// What a GPU's memory hierarchy does, measured from inside: latencies by pointer chasing, bandwidths by streaming, bank
// conflicts, atomics, launches. Prints one line a figure: name, value, unit; fails when a sum is wrong. Ordinary CUDA:
// it runs on real GPUs, too.
//
//   microbenchmarks [NAME...]    only the groups named: latency bandwidth shared atomics launch
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// --- latency: each load's address is the value of the one before

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
__global__ void chase(void* start, int warm, int steps, long long* cycles, void** last) {
  void* at = start;
  for (int i = 0; i < warm; ++i) at = follow<level>(at);
  *last = at;
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) at = follow<level>(at);
  *last = at;  // needs the last value
  asm volatile("" ::"l"(at) : "memory");
  *cycles = clock64() - begin;
}

__global__ void chase_shared(int steps, long long* cycles, int* last) {
  __shared__ int next[256];
  for (int i = 0; i < 256; ++i) next[i] = (i + 33) % 256 * 4;
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(next));
  unsigned at = 0;
  const long long begin = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(base + at) : "memory");
  *last = static_cast<int>(at);
  *cycles = clock64() - begin;
}

/// A ring of `count` pointers, `stride` bytes apart, followed `steps` times after `warm` others.
template <Level level>
double latency(size_t count, size_t stride, int warm, int steps) {
  char* memory = on_device<char>(count * stride);
  std::vector<char> ring(count * stride);
  for (size_t i = 0; i < count; ++i) {
    void* next = memory + (i + 1) % count * stride;
    std::memcpy(&ring[i * stride], &next, sizeof next);
  }
  CUDA(cudaMemcpy(memory, ring.data(), ring.size(), cudaMemcpyHostToDevice));
  long long* cycles = on_device<long long>(1);
  void** last = on_device<void*>(1);
  chase<level><<<1, 1>>>(memory, warm, steps, cycles, last);
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
  const int steps = 1024;
  figure("latency_l1", latency<Level::ca>(64, 128, 64, steps), "cycles");
  figure("latency_l2", latency<Level::cg>(256, 128, 256, steps), "cycles");
  // Every line once, cold: as many as the L2 has lines, so that none is met again.
  const size_t lines = std::max<size_t>(2 * device.l2CacheSize / 128, 4096);
  figure("latency_memory", latency<Level::cg>(std::min<size_t>(lines, 1 << 16), 4096 + 128, 0, steps), "cycles");
  long long* cycles = on_device<long long>(1);
  int* last = on_device<int>(1);
  chase_shared<<<1, 1>>>(steps, cycles, last);
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

/// Each block reads `per_block` float4s from its own stretch (or, with `shared_stretch`, all read the same), `rounds`
/// times.
template <Level level>
__global__ void stream(const float4* from, int per_block, int shared_stretch, int rounds, Span* spans, float* sink) {
  const float4* mine = from + (shared_stretch ? 0 : static_cast<size_t>(blockIdx.x) * per_block);
  float sum = 0;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) sum += level == Level::ca ? load<level>(mine + i).x : 0;
  __syncthreads();
  const long long begin = clock64();
  for (int r = 0; r < rounds; ++r)
    for (int i = threadIdx.x; i < per_block; i += 4 * blockDim.x) {
      const float4 a = load<level>(mine + i), b = load<level>(mine + i + blockDim.x),
                   c = load<level>(mine + i + 2 * blockDim.x), d = load<level>(mine + i + 3 * blockDim.x);
      sum += a.x + b.y + c.z + d.w;
    }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
}

template <Level level>
void bandwidth(const char* name, int blocks, int threads, int per_block, bool shared_stretch, int rounds, bool per_sm) {
  float4* from = on_device<float4>(static_cast<size_t>(shared_stretch ? 1 : blocks) * per_block);
  Span* spans = on_device<Span>(blocks);
  float* sink = on_device<float>(static_cast<size_t>(blocks) * threads);
  stream<level><<<blocks, threads>>>(from, per_block, shared_stretch, rounds, spans, sink);
  const double bytes = 16.0 * per_block * rounds * blocks;
  figure(name, bytes / cycles_of(spans, blocks) / (per_sm ? device.multiProcessorCount : 1),
         per_sm ? "bytes/cycle/SM" : "bytes/cycle");
  CUDA(cudaFree(sink));
  CUDA(cudaFree(spans));
  CUDA(cudaFree(from));
}

void bandwidths() {
  const int sms = device.multiProcessorCount;
  bandwidth<Level::ca>("bandwidth_l1", sms, 256, 1024, false, 32, true);  // 16 KiB a block
  // A quarter of the L2, read by everyone.
  const int quarter = std::max(4096, static_cast<int>(device.l2CacheSize / 64) / 4096 * 4096);
  bandwidth<Level::cg>("bandwidth_l2", sms, 512, std::min(quarter, 16384), true, 2, false);
  // Four times the L2, each byte once.
  const int per_block = static_cast<int>(4 * static_cast<size_t>(device.l2CacheSize) / 16 / sms / 2048 + 1) * 2048;
  bandwidth<Level::cg>("bandwidth_memory", sms, 512, per_block, false, 1, false);
}

// --- shared memory: cycles a warp's load takes when its lanes' words are `stride` apart

__global__ void banks(int stride, int loads, long long* cycles, int* sink) {
  __shared__ int words[32 * 32];
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) words[i] = i;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x % 32 * stride % 1024));
  int sum = 0;
  const long long begin = clock64();
  for (int i = 0; i < loads; i += 8) {
    int v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(at) : "memory");
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += v[k];
  }
  __syncthreads();
  const long long end = clock64();
  sink[threadIdx.x] = sum;
  if (threadIdx.x == 0) *cycles = end - begin;
}

void shared_memory() {
  long long* cycles = on_device<long long>(1);
  int* sink = on_device<int>(512);
  for (const int stride : {0, 1, 2, 4, 8, 16, 32}) {
    const int loads = 256, warps = 16;
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

__global__ void add_to(unsigned* cells, unsigned lanes_apart, unsigned warps_apart, int times, Span* spans) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned* cell = cells + warp * warps_apart + threadIdx.x % 32 * lanes_apart;
  const long long begin = clock64();
  for (int i = 0; i < times; ++i) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(cell) : "memory");
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
}

void atomics(const char* name, unsigned lanes_apart, unsigned warps_apart) {
  const int blocks = device.multiProcessorCount, threads = 256, times = 16;
  const size_t count = static_cast<size_t>(blocks) * threads / 32 * warps_apart + 32 * lanes_apart + 1;
  unsigned* cells = on_device<unsigned>(count);
  Span* spans = on_device<Span>(blocks);
  add_to<<<blocks, threads>>>(cells, lanes_apart, warps_apart, times, spans);
  const double cycles = cycles_of(spans, blocks), adds = static_cast<double>(blocks) * threads * times;
  std::vector<unsigned> host(count);
  CUDA(cudaMemcpy(host.data(), cells, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned long long sum = 0;
  for (const unsigned cell : host) sum += cell;
  expect(sum == static_cast<unsigned long long>(adds), "atomic additions are lost");
  figure(name, adds / cycles, "atomics/cycle");
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
  if (wanted("bandwidth")) bandwidths();
  if (wanted("shared")) shared_memory();
  if (wanted("atomics")) {
    atomics("atomics_same_address", 0, 0);
    atomics("atomics_same_line", 1, 0);
    atomics("atomics_spread", 1, 32);
  }
  if (wanted("launch")) launches();
  if (!failed) std::puts("PASS");
  return failed;
}
