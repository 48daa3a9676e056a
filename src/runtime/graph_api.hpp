// Frames of the graph calls of both APIs: find the graph, the node, or the instance's counterpart of a node; add a
// node, read its work, or replace it.
#pragma once

#include "runtime/host_range.hpp"
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

inline cudaError_t dependences(Machine& machine, const CUgraph_st& graph, const cudaGraphNode_t* list, size_t number,
                               std::vector<CUgraphNode_st*>& nodes) {
  if (!has_elements(list, number)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < number; ++i) {
    CUgraphNode_st* node = machine.work().graphs().find(list[i]);
    if (!node || node->graph != &graph || std::ranges::find(nodes, node) != nodes.end()) return cudaErrorInvalidValue;
    nodes.push_back(node);
  }
  return cudaSuccess;
}

/// Adds a node whose work `make(machine, work)` checks and fills in.
template <class Make>
cudaError_t add_node(cudaGraphNode_t* result, cudaGraph_t handle, const cudaGraphNode_t* list, size_t number,
                     Make&& make) {
  return graph_api(handle, [&](Machine& machine, CUgraph_st& graph) -> cudaError_t {
    std::vector<CUgraphNode_st*> needs;
    if (!result) return cudaErrorInvalidValue;
    if (const cudaError_t error = dependences(machine, graph, list, number, needs)) return error;
    Work work;
    if (const cudaError_t error = make(machine, work)) return error;
    *result = machine.work().graphs().add(graph, std::move(work), needs);
    return cudaSuccess;
  });
}

/// Replaces the work of a node of the same kind.
template <class Make>
cudaError_t change(Machine& machine, CUgraphNode_st& node, Make&& make) {
  Work work;
  if (const cudaError_t error = make(machine, work)) return error;
  if (work.index() != node.work.index()) return cudaErrorInvalidValue;
  node.work = std::move(work);
  return cudaSuccess;
}

template <class Make>
cudaError_t change_node(cudaGraphNode_t handle, Make&& make) {
  return node_api(handle, [&](Machine& machine, CUgraphNode_st& node) { return change(machine, node, make); });
}

template <class Make>
cudaError_t change_instance(cudaGraphExec_t instance, cudaGraphNode_t handle, Make&& make) {
  return instance_node_api(instance, handle,
                           [&](Machine& machine, CUgraphNode_st& node) { return change(machine, node, make); });
}

template <class Kind, class Read>
cudaError_t read_node(cudaGraphNode_t handle, Read&& read) {
  return node_api(handle, [&](Machine&, CUgraphNode_st& node) {
    Kind* work = std::get_if<Kind>(&node.work);
    return work ? read(*work) : cudaErrorInvalidValue;
  });
}

}  // namespace ew::runtime
