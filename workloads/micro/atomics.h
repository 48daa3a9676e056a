// Atomics on global memory: rates by contention, latencies, a flag that goes to and fro.
#pragma once

#include "measure.h"

namespace {

constexpr unsigned words_of_line = 32;

/// Where one word is, the nearness of its slice counts. So latencies are means over so many words, in as many slices.
constexpr unsigned places = 16, words_apart = (5 * 1024 + 128) / sizeof(unsigned);

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

void atomics() {
  atomics("atomics_same_address", 0, 1, 16, 0);
  atomics("atomics_same_line", 1, 1, 16, 0);
  atomics("atomics_spread", 1, 16384, 0, 131072);
}

// By contention: each thread does `count` atomics on one address, on that of all threads or on one of its own.

enum class Atomic { add_u64, add_own, swap };

template <Atomic kind>
__global__ void contend(unsigned long long* cells, int count, Span* spans) {
  unsigned* const own = reinterpret_cast<unsigned*>(cells) + blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int together = 8;  // none waits for another; each has a register of its own
  unsigned seen[together] = {};
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < count; i += together) {
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (kind == Atomic::add_u64) asm volatile("red.global.add.u64 [%0], 1;" ::"l"(cells) : "memory");
      if (kind == Atomic::add_own) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(own) : "memory");
      if (kind == Atomic::swap)
        asm volatile("atom.global.cas.b32 %0, [%1], 0, 0;" : "=r"(seen[k]) : "l"(cells) : "memory");
    }
  }
#pragma unroll
  for (int k = 1; k < together; ++k) seen[0] += seen[k];
  if (kind == Atomic::swap) own[2] = seen[0];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, clock64()};
}

/// Cycles of the longest block, each of whose threads does `count` atomics. The words of their own of all threads may
/// lie in few slices or in many. So the figure is a mean over a few pages.
template <Atomic kind>
double contention_cycles(int blocks, int threads, int count) {
  constexpr int first_times = 8;
  constexpr size_t page = (size_t{2} << 20) / sizeof(unsigned long long);
  const int pages = kind == Atomic::add_own && blocks > 1 ? 4 : 1;
  auto* memory = on_device<unsigned long long>((pages + 1) * page);
  auto* const cells = memory + page - reinterpret_cast<size_t>(memory) / sizeof(unsigned long long) % page;
  Span* spans = on_device<Span>(blocks);
  double cycles = 0;
  for (int i = 0; i < pages; ++i) {
    contend<kind><<<blocks, threads>>>(cells + i * page, first_times, spans);  // brings the lines
    contend<kind><<<blocks, threads>>>(cells + i * page, count, spans);
    cycles += longest_of(spans, blocks) / pages;
    unsigned long long first = 0;
    CUDA(cudaMemcpy(&first, cells + i * page, sizeof first, cudaMemcpyDeviceToHost));
    const unsigned each = first_times + count;
    const auto all = static_cast<unsigned long long>(blocks) * threads * each;
    if (kind == Atomic::add_u64) expect(first == all, "atomic additions are lost");
    if (kind == Atomic::add_own) expect((first & 0xffffffff) == each, "own additions are lost");
  }
  CUDA(cudaFree(spans));
  CUDA(cudaFree(memory));
  return cycles;
}

/// Atomics that lanes do in a cycle of the SMs: what twice as many take, less what so many take, as Burtchell and
/// Burtscher (IISWC 2024) measure.
template <Atomic kind>
double contention_rate(int blocks, int threads, int count) {
  const double more =
      contention_cycles<kind>(blocks, threads, 2 * count) - contention_cycles<kind>(blocks, threads, count);
  return static_cast<double>(blocks) * threads * count / more;
}

/// Each atomic's address needs the value of the one before.
template <bool swap>
__global__ void chase_atomics(unsigned* cells, unsigned lanes_apart, long long* cycles) {
  unsigned* at = cells + threadIdx.x * lanes_apart;
  unsigned value = 0;
  const long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < 64; ++i) {
    if (swap)
      asm volatile("atom.global.cas.b32 %0, [%1], 0, 0;" : "=r"(value) : "l"(at) : "memory");
    else
      asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(at) : "memory");
    at += value;
  }
  const long long end = clock64();
  at[0] = value;
  if (threadIdx.x == 0) *cycles = end - begin;
}

template <bool swap>
double atomic_latency(int lanes, unsigned lanes_apart) {
  unsigned* cells = on_device<unsigned>(places * words_apart + 32 * words_of_line);
  long long* cycles = on_device<long long>(1);
  double all = 0;
  for (unsigned i = 0; i < places; ++i) {
    chase_atomics<swap><<<1, lanes>>>(cells + i * words_apart, lanes_apart, cycles);  // brings the lines
    chase_atomics<swap><<<1, lanes>>>(cells + i * words_apart, lanes_apart, cycles);
    long long spent = 0;
    CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
    all += spent / 64.0;
  }
  CUDA(cudaFree(cycles));
  CUDA(cudaFree(cells));
  return all / places;
}

constexpr unsigned passes = 256;  // of the flag, in both directions together

/// Two players pass a flag to and fro by compare-and-swap: each turns the other's number into its own.
__device__ void pass(unsigned* flag, unsigned player) {
  for (unsigned number = player; number < passes; number += 2)
    while (atomicCAS(flag, number, number + 1) != number) {
    }
}

__global__ void pass_between_blocks(unsigned* flag, Span* spans) {
  const long long begin = clock64();
  pass(flag, blockIdx.x);
  spans[blockIdx.x] = {begin, clock64()};
}

/// The players are the threads of the block: lanes of one warp.
__global__ void pass_in_block(unsigned* sum, Span* spans) {
  __shared__ unsigned flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const long long begin = clock64();
  pass(&flag, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) spans[0] = {begin, clock64()}, *sum = flag;
}

void ping_pongs() {
  unsigned* flags = on_device<unsigned>(places * words_apart);
  Span* spans = on_device<Span>(2);
  const auto one_way = [&](const unsigned* flag, int blocks) {
    const double cycles = longest_of(spans, blocks);
    unsigned end = 0;
    CUDA(cudaMemcpy(&end, flag, sizeof end, cudaMemcpyDeviceToHost));
    expect(end == passes, "the flag was lost");
    return cycles / passes;
  };
  double all = 0;
  for (unsigned i = 0; i < places; ++i) {
    pass_between_blocks<<<2, 1>>>(flags + i * words_apart, spans);
    all += one_way(flags + i * words_apart, 2);
  }
  figure("ping_pong_global", all / places, "cycles");
  pass_in_block<<<1, 2>>>(flags, spans);
  figure("ping_pong_shared", one_way(flags, 1), "cycles");
  CUDA(cudaFree(spans));
  CUDA(cudaFree(flags));
}

void contention() {
  const int sms = device.multiProcessorCount;
  figure("atomics_one_address_sm", contention_rate<Atomic::add_u64>(1, 32, 128), "atomics/cycle");
  figure("atomics_one_address", contention_rate<Atomic::add_u64>(sms, 32, 16), "atomics/cycle");
  figure("atomics_swap_sm", contention_rate<Atomic::swap>(1, 32, 128), "atomics/cycle");
  figure("atomics_swap", contention_rate<Atomic::swap>(sms, 32, 16), "atomics/cycle");
  figure("atomics_own_sm", contention_rate<Atomic::add_own>(1, 1024, 32), "atomics/cycle");
  figure("atomics_own", contention_rate<Atomic::add_own>(sms, 1024, 32), "atomics/cycle");
  figure("latency_atomic", atomic_latency<false>(1, 0), "cycles");
  figure("latency_atomic_32_lanes", atomic_latency<false>(32, 0), "cycles");
  figure("latency_atomic_swap", atomic_latency<true>(1, 0), "cycles");
  ping_pongs();
}

}  // namespace
