// What a load costs whose lanes' words lie apart: all hits of the L1. As in RRZE's gpu-strides, a thread loads the
// words 0, 4, 8 and so on behind its first one, so that most of a warp's loads begin within a line.
#pragma once

#include "bandwidth.h"

namespace {

/// Each load waits for the one 32 before it and for nothing else.
__global__ void strided(const float* from, int stride, int loads, Span* span, float* sink) {
  const float* const at = from + threadIdx.x % 32 * stride;
  float v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = load<Level::ca>(at + 4 * (k % 8));
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += v[k];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < loads; i += 32) {
#pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = load<Level::ca>(at + 4 * (k % 8));
  }
  __syncthreads();
  const long long end = clock64();
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += v[k];
  sink[threadIdx.x] = sum;
  if (threadIdx.x == 0) span[0] = {begin, end};
}

void strides() {
  constexpr int loads = 512, warps = 16, farthest = 8;
  float* from = on_device<float>(32 * farthest + 32);
  float* sink = on_device<float>(warps * 32);
  Span* span = on_device<Span>(1);
  strided<<<1, warps * 32>>>(from, 1, loads, span, sink);  // brings the instructions
  for (const int stride : {1, 2, 3, 4, 5, 7, farthest}) {
    strided<<<1, warps * 32>>>(from, stride, loads, span, sink);
    figure(("l1_stride_" + std::to_string(stride)).c_str(), cycles_of(span, 1) / (loads * warps), "cycles/load");
  }
  CUDA(cudaFree(span));
  CUDA(cudaFree(sink));
  CUDA(cudaFree(from));
}

}  // namespace
