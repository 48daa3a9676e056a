// Launches and copies, by the device's events.
#pragma once

#include "measure.h"

namespace {

__global__ void nothing() {}

/// A graph of so many empty kernels, one behind the other.
double graph_nanoseconds(int nodes) {
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(nothing);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(32);
  cudaGraphNode_t last = nullptr;
  for (int i = 0; i < nodes; ++i) {
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, graph, i ? &last : nullptr, i ? 1 : 0, &kernel));
    last = node;
  }
  cudaGraphExec_t whole;
  CUDA(cudaGraphInstantiateWithFlags(&whole, graph, 0));
  CUDA(cudaGraphLaunch(whole, nullptr));
  const double spent = nanoseconds_of([&] { CUDA(cudaGraphLaunch(whole, nullptr)); });
  CUDA(cudaGraphExecDestroy(whole));
  CUDA(cudaGraphDestroy(graph));
  return spent;
}

void launches() {
  const int launches = 20;
  nothing<<<1, 32>>>();
  const double spent = nanoseconds_of([&] {
    for (int i = 0; i < launches; ++i) nothing<<<1, 32>>>();
  });
  figure("launch", spent / launches, "ns");
  figure("graph_node", (graph_nanoseconds(256) - graph_nanoseconds(64)) / (256 - 64), "ns");
}

/// Between pinned memory of the host and the device.
void copies() {
  const size_t bytes = static_cast<size_t>(longer) << 24;
  char *host = nullptr, *memory = nullptr;
  CUDA(cudaMallocHost(&host, bytes));
  CUDA(cudaMalloc(&memory, bytes));
  std::memset(host, 1, bytes);
  const auto measure = [&](const char* name, void* to, const void* from, cudaMemcpyKind kind) {
    CUDA(cudaMemcpyAsync(to, from, bytes, kind));
    const double spent = nanoseconds_of([&] { CUDA(cudaMemcpyAsync(to, from, bytes, kind)); });
    figure(name, bytes / spent, "GB/s");
  };
  measure("copy_to_device", memory, host, cudaMemcpyHostToDevice);
  measure("copy_to_host", host, memory, cudaMemcpyDeviceToHost);
  CUDA(cudaFree(memory));
  CUDA(cudaFreeHost(host));
}

}  // namespace
