// Frames of the graph calls: find the graph, the node, or the instance's counterpart of a node.
#pragma once

#include "runtime/process.hpp"

namespace ew::runtime {

template <class F>
cudaError_t graph_api(cudaGraph_t handle, F&& call) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    CUgraph_st* graph = machine.work().graphs().find(handle);
    if (!graph) return cudaErrorInvalidValue;
    return call(machine, *graph);
  });
}

template <class F>
cudaError_t node_api(cudaGraphNode_t handle, F&& call) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    CUgraphNode_st* node = machine.work().graphs().find(handle);
    if (!node) return cudaErrorInvalidValue;
    return call(machine, *node);
  });
}

/// The node of the instance that was made from `handle`.
template <class F>
cudaError_t instance_node_api(cudaGraphExec_t instance_handle, cudaGraphNode_t handle, F&& call) {
  return node_api(handle, [&](Machine& machine, CUgraphNode_st& original) -> cudaError_t {
    CUgraphExec_st* instance = machine.work().graphs().find(instance_handle);
    CUgraphNode_st* node = instance ? machine.work().graphs().counterpart(*instance->graph, original) : nullptr;
    if (!node) return cudaErrorInvalidValue;
    return call(machine, *node);
  });
}

}  // namespace ew::runtime
