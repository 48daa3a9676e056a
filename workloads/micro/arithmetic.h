// Latencies of arithmetic and of the exchange between lanes: each instruction needs the value of the one before.
#pragma once

#include "measure.h"

namespace {

constexpr int arithmetic_steps = 512;

enum class Unit { float_fma, integer_mad, double_fma, half_fma, shuffle, ballot };

template <Unit unit>
__global__ void chain(float one, long long* cycles, float* sink) {
  float f = one;
  double d = one;
  unsigned u = static_cast<unsigned>(one), h = u;
  const long long begin = clock64();
#pragma unroll
  for (int i = 0; i < arithmetic_steps; ++i) {
    if (unit == Unit::float_fma) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f) : "f"(one));
    if (unit == Unit::integer_mad) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(u) : "r"(h));
    if (unit == Unit::double_fma) asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
    if (unit == Unit::half_fma) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(u) : "r"(h));
    if (unit == Unit::shuffle) asm volatile("shfl.sync.idx.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(u));
    if (unit == Unit::ballot)
      asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "+r"(u));
  }
  const long long end = clock64();
  sink[threadIdx.x] = f + static_cast<float>(d) + static_cast<float>(u);
  if (threadIdx.x == 0) *cycles = end - begin;
}

template <Unit unit>
void chain_latency(const char* name) {
  long long* cycles = on_device<long long>(1);
  float* sink = on_device<float>(32);
  chain<unit><<<1, 32>>>(1, cycles, sink);  // brings the instructions
  chain<unit><<<1, 32>>>(1, cycles, sink);
  long long spent = 0;
  CUDA(cudaMemcpy(&spent, cycles, sizeof spent, cudaMemcpyDeviceToHost));
  figure(name, static_cast<double>(spent) / arithmetic_steps, "cycles");
  CUDA(cudaFree(sink));
  CUDA(cudaFree(cycles));
}

void arithmetic() {
  chain_latency<Unit::float_fma>("latency_float_fma");
  chain_latency<Unit::integer_mad>("latency_integer_mad");
  chain_latency<Unit::double_fma>("latency_double_fma");
  chain_latency<Unit::half_fma>("latency_half_fma");
  chain_latency<Unit::shuffle>("latency_shuffle");
  chain_latency<Unit::ballot>("latency_ballot");
}

}  // namespace
