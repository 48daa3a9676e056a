// Graphs made by calls: nodes, dependences, clones, instances and launches. Parameters of nodes stand in
// api_graph_nodes.cpp.
#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/files.hpp"
#include "cuda_runtime_api.h"
#include "runtime/graph_api.hpp"
#include "runtime/host_range.hpp"
#include "runtime/launch.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

/// Fills `list` as CUDA's queries do: without a list only the number, else at most *number of them.
cudaError_t give(const std::vector<CUgraphNode_st*>& nodes, cudaGraphNode_t* list, size_t* number) {
  if (!number) return cudaErrorInvalidValue;
  if (list) {
    if (!has_elements(list, *number)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < *number; ++i) list[i] = i < nodes.size() ? nodes[i] : nullptr;
    *number = std::min(*number, nodes.size());
  } else {
    *number = nodes.size();
  }
  return cudaSuccess;
}

cudaError_t edit_edges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t number,
                       bool add) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    CUgraph_st* graph = machine.work().graphs().find(handle);
    if (!graph || !has_elements(from, number) || !has_elements(to, number)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < number; ++i) {
      CUgraphNode_st *first = machine.work().graphs().find(from[i]), *second = machine.work().graphs().find(to[i]);
      if (!first || !second || first == second || first->graph != graph || second->graph != graph)
        return cudaErrorInvalidValue;
      const bool there = std::ranges::find(second->needs, first) != second->needs.end();
      if (there == add) return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < number; ++i) {
      if (add) {
        to[i]->needs.push_back(from[i]);
        from[i]->needed_by.push_back(to[i]);
      } else {
        std::erase(to[i]->needs, from[i]);
        std::erase(from[i]->needed_by, to[i]);
      }
    }
    return cudaSuccess;
  });
}

cudaError_t check_instance(Machine& machine, const CUgraph_st& graph) {
  if (!graph.nodes.empty() && Graphs::order(graph).empty()) return cudaErrorInvalidValue;  // a cycle
  for (const auto& node : graph.nodes) {
    if (const auto* kernel = std::get_if<KernelWork>(&node->work))
      if (const cudaError_t error = check_launch(machine, *kernel)) return error;
    if (node->child)
      if (const cudaError_t error = check_instance(machine, *node->child)) return error;
  }
  return cudaSuccess;
}

const char* type_name(const CUgraphNode_st& node) {
  static constexpr const char* names[] = {"kernel",       "memcpy",     "memset",   "host",  "callback",
                                          "event record", "event wait", "empty",    "graph", "alloc",
                                          "free",         "prefetch",   "host work"};
  static_assert(std::size(names) == std::variant_size_v<Work>);
  return names[node.work.index()];
}

/// Gives the instance the work of the graph's nodes, pair by pair; the shapes must agree.
cudaGraphExecUpdateResult update(CUgraph_st& instance, const CUgraph_st& graph, CUgraphNode_st*& culprit) {
  if (instance.nodes.size() != graph.nodes.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    CUgraphNode_st &old = *instance.nodes[i], &fresh = *graph.nodes[i];
    culprit = &fresh;
    if (old.work.index() != fresh.work.index()) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (old.needs.size() != fresh.needs.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    const auto index = [](const CUgraph_st& where, const CUgraphNode_st* node) {
      return std::ranges::find(where.nodes, node, [](const auto& p) { return p.get(); }) - where.nodes.begin();
    };
    for (size_t k = 0; k < old.needs.size(); ++k)
      if (index(instance, old.needs[k]) != index(graph, fresh.needs[k])) return cudaGraphExecUpdateErrorTopologyChanged;
    if (old.child) {
      const auto result = update(*old.child, *fresh.child, culprit);
      if (result != cudaGraphExecUpdateSuccess) return result;
    }
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    CUgraphNode_st &old = *instance.nodes[i], &fresh = *graph.nodes[i];
    old.origin = fresh.origin;
    if (!old.child) old.work = fresh.work;
  }
  culprit = nullptr;
  return cudaGraphExecUpdateSuccess;
}

/// A graph or an instance. Memory that the program has freed, and that no other one allocates, goes with it.
template <class Handle>
cudaError_t destroy_graph(Machine& machine, Handle handle) {
  Graphs& graphs = machine.work().graphs();
  if (!graphs.destroy(handle)) return cudaErrorInvalidValue;
  const auto is_gone = [&](u64 address) { return !graphs.allocates(address); };
  for (const u64 address : graphs.node_memory().take(is_gone)) machine.work().release_behind_all(address);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!graph || flags != 0) return cudaErrorInvalidValue;
    *graph = machine.work().graphs().create();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api([&](Machine& machine, ApiLock&) { return destroy_graph(machine, graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t handle) {
  return graph_api(handle, [&](Machine& machine, CUgraph_st& graph) {
    if (!clone) return cudaErrorInvalidValue;
    *clone = machine.work().graphs().adopt(machine.work().graphs().copy(graph));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t handle) {
  return graph_api(handle, [&](Machine& machine, CUgraph_st& graph) {
    const CUgraphNode_st* node = machine.work().graphs().find(original);
    if (!found || !node) return cudaErrorInvalidValue;
    *found = machine.work().graphs().counterpart(graph, *node);
    return *found ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType* type) {
  return node_api(handle, [&](Machine&, CUgraphNode_st& node) {
    static constexpr cudaGraphNodeType types[] = {
        cudaGraphNodeTypeKernel,    cudaGraphNodeTypeMemcpy,
        cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,
        cudaGraphNodeTypeHost,      cudaGraphNodeTypeEventRecord,
        cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEmpty,
        cudaGraphNodeTypeGraph,     cudaGraphNodeTypeMemAlloc,
        cudaGraphNodeTypeMemFree,   cudaGraphNodeTypeEmpty,  // CUDA has no type for prefetches
        cudaGraphNodeTypeHost};
    static_assert(std::size(types) == std::variant_size_v<Work>);
    if (!type) return cudaErrorInvalidValue;
    *type = types[node.work.index()];
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* number) {
  return graph_api(handle, [&](Machine&, CUgraph_st& graph) {
    std::vector<CUgraphNode_st*> list;
    for (const auto& node : graph.nodes) list.push_back(node.get());
    return give(list, nodes, number);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* number) {
  return graph_api(handle, [&](Machine&, CUgraph_st& graph) {
    std::vector<CUgraphNode_st*> list;
    for (const auto& node : graph.nodes)
      if (node->needs.empty()) list.push_back(node.get());
    return give(list, nodes, number);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* number) {
  return graph_api(handle, [&](Machine&, CUgraph_st& graph) {
    std::vector<CUgraphNode_st*> first, second;
    for (const auto& node : graph.nodes)
      for (CUgraphNode_st* other : node->needs) {
        first.push_back(other);
        second.push_back(node.get());
      }
    if (!number || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
    size_t same = *number;
    if (const cudaError_t error = give(first, from, &same)) return error;
    return give(second, to, number);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t* list, size_t* number) {
  return node_api(handle, [&](Machine&, CUgraphNode_st& node) { return give(node.needs, list, number); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* list, size_t* number) {
  return node_api(handle, [&](Machine&, CUgraphNode_st& node) { return give(node.needed_by, list, number); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t number) {
  return edit_edges(graph, from, to, number, true);
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        size_t number) {
  return edit_edges(graph, from, to, number, false);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return node_api(handle, [&](Machine& machine, CUgraphNode_st& node) {
    if (std::holds_alternative<AllocateWork>(node.work) || std::holds_alternative<FreeWork>(node.work))
      return cudaErrorNotSupported;
    machine.work().graphs().destroy(node);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t instance, cudaGraphNode_t handle, unsigned enabled) {
  return instance_node_api(instance, handle, [&](Machine&, CUgraphNode_st& node) {
    if (node.work.index() > 2) return cudaErrorInvalidValue;  // kernels, copies and fills only
    node.enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t instance, cudaGraphNode_t handle, unsigned* enabled) {
  return instance_node_api(instance, handle, [&](Machine&, CUgraphNode_st& node) {
    if (!enabled) return cudaErrorInvalidValue;
    *enabled = node.enabled;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, cudaGraphNode_t* culprit, char* log,
                                 size_t size) {
  if (culprit) *culprit = nullptr;
  if (log && size > 0) *log = 0;
  return cudaGraphInstantiateWithFlags(instance, graph, 0);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* instance, cudaGraph_t handle, unsigned long long flags) {
  return graph_api(handle, [&](Machine& machine, CUgraph_st& graph) -> cudaError_t {
    if (!instance) return cudaErrorInvalidValue;
    if (flags & cudaGraphInstantiateFlagDeviceLaunch) return cudaErrorNotSupported;
    if (const cudaError_t error = check_instance(machine, graph)) return error;
    *instance = machine.work().graphs().instantiate(graph);
    (*instance)->frees_before_launch = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph_handle, cudaGraphNode_t* culprit,
                                cudaGraphExecUpdateResult* result) {
  return graph_api(graph_handle, [&](Machine& machine, CUgraph_st& graph) {
    CUgraphExec_st* instance = machine.work().graphs().find(handle);
    if (!instance) return cudaErrorInvalidValue;
    CUgraphNode_st* found = nullptr;
    const auto outcome = update(*instance->graph, graph, found);
    if (culprit) *culprit = found;
    if (result) *result = outcome;
    return outcome == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
  return stream_api(stream, [&](Machine& machine, ApiLock&, CUstream_st&) {
    return machine.work().graphs().find(handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return stream_api(stream_handle, [&](Machine& machine, ApiLock&, CUstream_st& stream) -> cudaError_t {
    CUgraphExec_st* instance = machine.work().graphs().find(handle);
    if (!instance) return cudaErrorInvalidValue;
    if (stream.capture) return machine.work().enqueue(stream, GraphWork{instance->graph.get()});
    return machine.work().launch_graph(stream, *instance);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return api([&](Machine& machine, ApiLock&) { return destroy_graph(machine, handle); });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return graph_api(handle, [&](Machine&, CUgraph_st& graph) {
    if (!path) return cudaErrorInvalidValue;
    std::ostringstream file;
    file << "digraph graph_1 {\n";
    for (const auto& node : graph.nodes) {
      file << "  n" << node->id << " [label=\"" << type_name(*node);
      if (const auto* kernel = std::get_if<KernelWork>(&node->work)) file << "\\n" << kernel->function->kernel->name;
      file << "\"];\n";
      for (const CUgraphNode_st* other : node->needs) file << "  n" << other->id << " -> n" << node->id << ";\n";
    }
    file << "}\n";
    try {
      core::write_file(path, file.view());
    } catch (const core::UserError&) {
      return cudaErrorOperatingSystem;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (!object || !destroy || count == 0 || flags != cudaUserObjectNoDestructorSync) return cudaErrorInvalidValue;
    *object = machine.work().graphs().create_user_object(pointer, destroy, count);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return api([&](Machine& machine, ApiLock&) {
    return count > 0 && machine.work().graphs().retain_user_object(object, count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return api([&](Machine& machine, ApiLock&) {
    return count > 0 && machine.work().graphs().release_user_object(object, count) ? cudaSuccess
                                                                                   : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count, unsigned flags) {
  return graph_api(handle, [&](Machine& machine, CUgraph_st& graph) {
    if (count == 0 || (flags & ~cudaGraphUserObjectMove)) return cudaErrorInvalidValue;
    if (!(flags & cudaGraphUserObjectMove) && !machine.work().graphs().retain_user_object(object, count))
      return cudaErrorInvalidValue;
    graph.user_objects.emplace_back(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned count) {
  return graph_api(handle, [&](Machine& machine, CUgraph_st& graph) {
    const auto found =
        std::ranges::find_if(graph.user_objects, [&](const auto& o) { return o.first == object && o.second >= count; });
    if (count == 0 || found == graph.user_objects.end()) return cudaErrorInvalidValue;
    if ((found->second -= count) == 0) graph.user_objects.erase(found);
    return machine.work().graphs().release_user_object(object, count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return keep(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    if (!value || attribute > cudaGraphMemAttrReservedMemHigh) return cudaErrorInvalidValue;
    const auto use = machine.memory().allocations().pool_use(&machine.work().graphs());
    const bool high = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
    const u64 bytes = high ? use.high : use.now;
    std::memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return api([&](Machine& machine, ApiLock&) -> cudaError_t {
    if (device != 0) return cudaErrorInvalidDevice;
    if (!value || (attribute != cudaGraphMemAttrUsedMemHigh && attribute != cudaGraphMemAttrReservedMemHigh))
      return cudaErrorInvalidValue;
    machine.memory().allocations().reset_pool_high(&machine.work().graphs());
    return cudaSuccess;
  });
}

}  // extern "C"
