// What every group of microbenchmarks uses: figures as lines or as JSON, checks, memory on the device, clocks.
#pragma once

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
int longer = 1;                 // how much longer bandwidths are measured than a simulated machine needs
bool json = false;              // figures as one JSON object, at the end
std::string figures_as_json{};  // so far

void figure(const char* name, double value, const char* unit) {
  char text[160];
  if (json) {
    std::snprintf(text, sizeof text, "\"%s\": {\"value\": %.9g, \"unit\": \"%s\"}", name, value, unit);
    figures_as_json += figures_as_json.empty() ? "" : ", ";
    figures_as_json += text;
    return;
  }
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

std::vector<Span> on_host(const Span* spans, int count) {
  std::vector<Span> host(count);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(host.data(), spans, count * sizeof(Span), cudaMemcpyDeviceToHost));
  return host;
}

/// From the first block's begin to the last one's end.
double cycles_of(const Span* spans, int count) {
  const std::vector<Span> host = on_host(spans, count);
  long long begin = host[0].begin, end = host[0].end;
  for (const Span& span : host) begin = std::min(begin, span.begin), end = std::max(end, span.end);
  return static_cast<double>(end - begin);
}

/// The longest block: for blocks that begin together on SMs whose clocks need not agree.
double longest_of(const Span* spans, int count) {
  long long longest = 0;
  for (const Span& span : on_host(spans, count)) longest = std::max(longest, span.end - span.begin);
  return static_cast<double>(longest);
}

/// Nanoseconds between two events around what `work` puts into the default stream.
template <class Work>
double nanoseconds_of(Work&& work) {
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(begin));
  work();
  CUDA(cudaGetLastError());
  CUDA(cudaEventRecord(end));
  CUDA(cudaEventSynchronize(end));
  float milliseconds = 0;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  return milliseconds * 1e6;
}

}  // namespace
