// Graph nodes: adding them, and reading and changing their parameters in graphs and instances.
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/graph_api.hpp"
#include "runtime/host_range.hpp"
#include "runtime/launch.hpp"
#include "runtime/transfer.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

auto kernel(const cudaKernelNodeParams* parameters) {
  return [parameters](Machine& machine, Work& result) -> cudaError_t {
    if (!parameters) return cudaErrorInvalidValue;
    KernelWork work;
    if (const cudaError_t error = machine.modules().function(parameters->func, work.function)) return error;
    const ptx::Kernel& kernel = *work.function->kernel;
    const cudaError_t error = parameters->kernelParams
                                  ? pack_parameters(kernel, parameters->kernelParams, work.parameters)
                                  : pack_extra(kernel, parameters->extra, work.parameters);
    if (error) return error;
    work.host_function = parameters->func;
    work.grid = {parameters->gridDim.x, parameters->gridDim.y, parameters->gridDim.z};
    work.block = {parameters->blockDim.x, parameters->blockDim.y, parameters->blockDim.z};
    work.shared = parameters->sharedMemBytes;
    result = std::move(work);
    return cudaSuccess;
  };
}

auto copy3d(const cudaMemcpy3DParms* parameters) {
  return [parameters](Machine& machine, Work& result) -> cudaError_t {
    if (!parameters) return cudaErrorInvalidValue;
    CopyWork work;
    if (const cudaError_t error = describe(machine, *parameters, work)) return error;
    if (const cudaError_t error = check_transfer(machine, work, parameters->kind)) return error;
    result = std::move(work);
    return cudaSuccess;
  };
}

auto copy1d(void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  return [=](Machine& machine, Work& result) -> cudaError_t {
    CopyWork work = linear_copy(to, from, count, kind);
    if (const cudaError_t error = check_transfer(machine, work, kind)) return error;
    result = std::move(work);
    return cudaSuccess;
  };
}

auto symbol_copy(const void* symbol, size_t offset, void* other, size_t count, cudaMemcpyKind kind, bool into_symbol) {
  return [=](Machine& machine, Work& result) -> cudaError_t {
    void* address = nullptr;
    if (const cudaError_t error = symbol_place(machine, symbol, offset, count, address)) return error;
    return into_symbol ? copy1d(address, other, count, kind)(machine, result)
                       : copy1d(other, address, count, kind)(machine, result);
  };
}

auto set(const cudaMemsetParams* parameters) {
  return [parameters](Machine& machine, Work& result) -> cudaError_t {
    if (!parameters) return cudaErrorInvalidValue;
    const unsigned element = parameters->elementSize;
    if ((element != 1 && element != 2 && element != 4) || parameters->width == 0 || parameters->height == 0)
      return cudaErrorInvalidValue;
    SetWork work;
    work.to = {reinterpret_cast<u64>(parameters->dst), parameters->pitch,
               (core::Checked(parameters->pitch) * parameters->height).value()};
    work.width = parameters->width;
    work.height = parameters->height;
    work.value = parameters->value;
    work.element = element;
    if (const cudaError_t error = check_fill(machine, work)) return error;
    result = work;
    return cudaSuccess;
  };
}

auto host_node(const cudaHostNodeParams* parameters) {
  return [parameters](Machine&, Work& result) -> cudaError_t {
    if (!parameters || !parameters->fn) return cudaErrorInvalidValue;
    result = HostWork{parameters->fn, parameters->userData};
    return cudaSuccess;
  };
}

template <class Kind>
auto event(cudaEvent_t handle) {
  return [handle](Machine& machine, Work& result) -> cudaError_t {
    CUevent_st* found = machine.work().streams().find(handle);
    if (!found) return cudaErrorInvalidResourceHandle;
    result = Kind{found};
    return cudaSuccess;
  };
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                   size_t number, const cudaKernelNodeParams* parameters) {
  return add_node(node, graph, needs, number, kernel(parameters));
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return change_node(node, kernel(parameters));
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return change_instance(instance, node, [&](Machine& machine, Work& work) -> cudaError_t {
    if (const cudaError_t error = kernel(parameters)(machine, work)) return error;
    return check_launch(machine, std::get<KernelWork>(work));
  });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return read_node<KernelWork>(node, [&](KernelWork& work) {
    if (!parameters) return cudaErrorInvalidValue;
    *parameters = {const_cast<void*>(work.host_function),
                   dim3(work.grid.x, work.grid.y, work.grid.z),
                   dim3(work.block.x, work.block.y, work.block.z),
                   work.shared,
                   work.parameter_pointers(),
                   nullptr};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
  return node_api(from, [&](Machine& machine, CUgraphNode_st& source) {
    CUgraphNode_st* target = machine.work().graphs().find(to);
    auto* first = std::get_if<KernelWork>(&source.work);
    auto* second = target ? std::get_if<KernelWork>(&target->work) : nullptr;
    if (!first || !second) return cudaErrorInvalidValue;
    second->cooperative = first->cooperative;
    target->priority = source.priority;
    target->access_policy = source.access_policy;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t handle, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue* value) {
  return node_api(handle, [&](Machine&, CUgraphNode_st& node) {
    const auto* work = std::get_if<KernelWork>(&node.work);
    if (!work || !value) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaLaunchAttributeCooperative:
        value->cooperative = work->cooperative;
        return cudaSuccess;
      case cudaLaunchAttributePriority:
        value->priority = node.priority;
        return cudaSuccess;
      case cudaLaunchAttributeAccessPolicyWindow:
        value->accessPolicyWindow = node.access_policy;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t handle, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value) {
  return node_api(handle, [&](Machine&, CUgraphNode_st& node) {
    auto* work = std::get_if<KernelWork>(&node.work);
    if (!work || !value) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaLaunchAttributeCooperative:
        work->cooperative = value->cooperative != 0;
        return cudaSuccess;
      case cudaLaunchAttributePriority:
        node.priority = value->priority;
        return cudaSuccess;
      case cudaLaunchAttributeAccessPolicyWindow:
        node.access_policy = value->accessPolicyWindow;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                   size_t number, const cudaMemcpy3DParms* parameters) {
  return add_node(node, graph, needs, number, copy3d(parameters));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                     size_t number, void* to, const void* from, size_t count, cudaMemcpyKind kind) {
  return add_node(node, graph, needs, number, copy1d(to, from, count, kind));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                           size_t number, const void* symbol, const void* from, size_t count,
                                           size_t offset, cudaMemcpyKind kind) {
  return add_node(node, graph, needs, number, symbol_copy(symbol, offset, const_cast<void*>(from), count, kind, true));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                             size_t number, void* to, const void* symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
  return add_node(node, graph, needs, number, symbol_copy(symbol, offset, to, count, kind, false));
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return read_node<CopyWork>(node, [&](const CopyWork& work) {
    if (!parameters) return cudaErrorInvalidValue;
    *parameters = work.parameters;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return change_node(node, copy3d(parameters));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t count,
                                           cudaMemcpyKind kind) {
  return change_node(node, copy1d(to, from, count, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change_instance(instance, node, copy3d(parameters));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t instance, cudaGraphNode_t node, void* to,
                                               const void* from, size_t count, cudaMemcpyKind kind) {
  return change_instance(instance, node, copy1d(to, from, count, kind));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t instance, cudaGraphNode_t node, const void* symbol,
                                                     const void* from, size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
  return change_instance(instance, node, symbol_copy(symbol, offset, const_cast<void*>(from), count, kind, true));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t instance, cudaGraphNode_t node, void* to,
                                                       const void* symbol, size_t count, size_t offset,
                                                       cudaMemcpyKind kind) {
  return change_instance(instance, node, symbol_copy(symbol, offset, to, count, kind, false));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                   size_t number, const cudaMemsetParams* parameters) {
  return add_node(node, graph, needs, number, set(parameters));
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return read_node<SetWork>(node, [&](const SetWork& work) {
    if (!parameters) return cudaErrorInvalidValue;
    *parameters = {
        reinterpret_cast<void*>(work.to.address), work.to.pitch, work.value, work.element, work.width, work.height};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return change_node(node, set(parameters));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change_instance(instance, node, set(parameters));
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs, size_t number,
                                 const cudaHostNodeParams* parameters) {
  return add_node(node, graph, needs, number, host_node(parameters));
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return read_node<HostWork>(node, [&](const HostWork& work) {
    if (!parameters) return cudaErrorInvalidValue;
    *parameters = {work.function, work.data};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return change_node(node, host_node(parameters));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change_instance(instance, node, host_node(parameters));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                       size_t number, cudaGraph_t child) {
  return add_node(node, graph, needs, number, [&](Machine& machine, Work& work) -> cudaError_t {
    if (!machine.work().graphs().find(child) || child == graph) return cudaErrorInvalidValue;
    work = GraphWork{child};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return read_node<GraphWork>(node, [&](const GraphWork& work) {
    if (!graph) return cudaErrorInvalidValue;
    *graph = work.graph;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t handle, cudaGraph_t child) {
  return instance_node_api(instance, handle, [&](Machine& machine, CUgraphNode_st& node) {
    const CUgraph_st* graph = machine.work().graphs().find(child);
    if (!graph || !node.child || graph->nodes.size() != node.child->nodes.size()) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.size(); ++i)
      if (graph->nodes[i]->work.index() != node.child->nodes[i]->work.index()) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->nodes.size(); ++i)
      if (!node.child->nodes[i]->child) node.child->nodes[i]->work = graph->nodes[i]->work;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                  size_t number) {
  return add_node(node, graph, needs, number, [](Machine&, Work& work) {
    work = EmptyWork{};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                        size_t number, cudaEvent_t handle) {
  return add_node(node, graph, needs, number, event<RecordWork>(handle));
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* handle) {
  return read_node<RecordWork>(node, [&](const RecordWork& work) {
    if (!handle) return cudaErrorInvalidValue;
    *handle = work.event;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t handle) {
  return change_node(node, event<RecordWork>(handle));
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t instance, cudaGraphNode_t node, cudaEvent_t handle) {
  return change_instance(instance, node, event<RecordWork>(handle));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                      size_t number, cudaEvent_t handle) {
  return add_node(node, graph, needs, number, event<WaitWork>(handle));
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* handle) {
  return read_node<WaitWork>(node, [&](const WaitWork& work) {
    if (!handle) return cudaErrorInvalidValue;
    *handle = work.event;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t handle) {
  return change_node(node, event<WaitWork>(handle));
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t instance, cudaGraphNode_t node, cudaEvent_t handle) {
  return change_instance(instance, node, event<WaitWork>(handle));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                     size_t number, cudaMemAllocNodeParams* parameters) {
  return add_node(node, graph, needs, number, [&](Machine& machine, Work& work) -> cudaError_t {
    if (!parameters || parameters->bytesize == 0) return cudaErrorInvalidValue;
    const u64 address = machine.memory().allocations().allocate(AllocatedBy::pool_device, parameters->bytesize, 256,
                                                                "graph allocation", 0, &machine.work().graphs());
    if (address == 0) return cudaErrorMemoryAllocation;
    parameters->dptr = reinterpret_cast<void*>(address);
    work = AllocateWork{*parameters};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
  return read_node<AllocateWork>(node, [&](const AllocateWork& work) {
    if (!parameters) return cudaErrorInvalidValue;
    *parameters = work.parameters;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* needs,
                                    size_t number, void* pointer) {
  return add_node(node, graph, needs, number, [&](Machine& machine, Work& work) -> cudaError_t {
    const auto block = machine.memory().allocations().find(reinterpret_cast<u64>(pointer));
    if (!block || block->begin != reinterpret_cast<u64>(pointer) || block->by != AllocatedBy::pool_device)
      return cudaErrorInvalidValue;
    work = FreeWork{block->begin, false};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return read_node<FreeWork>(node, [&](const FreeWork& work) {
    if (!pointer) return cudaErrorInvalidValue;
    std::memcpy(pointer, &work.address, sizeof work.address);
    return cudaSuccess;
  });
}

}  // extern "C"
