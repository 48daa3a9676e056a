// The driver API's graphs and stream capture. Handles are the runtime's; only the descriptions of nodes differ.
#include <cstring>

#include "cuda_runtime_api.h"
#include "runtime/driver_api.hpp"
#include "runtime/graph_api.hpp"
#include "runtime/launch.hpp"
#include "runtime/transfer.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

auto kernel(const CUDA_KERNEL_NODE_PARAMS* p) {
  return [p](Machine& machine, Work& result) -> cudaError_t {
    if (!p || (p->kernelParams && p->extra)) return cudaErrorInvalidValue;
    if (!machine.modules().has_function(p->func)) return cudaErrorInvalidResourceHandle;
    KernelWork work;
    work.function = p->func;
    const ptx::Kernel& of = *p->func->kernel;
    if (const cudaError_t error = p->kernelParams || of.parameters.empty()
                                      ? pack_parameters(of, p->kernelParams, work.parameters)
                                      : pack_extra(of, p->extra, work.parameters))
      return error;
    work.grid = {p->gridDimX, p->gridDimY, p->gridDimZ};
    work.block = {p->blockDimX, p->blockDimY, p->blockDimZ};
    work.shared = p->sharedMemBytes;
    result = std::move(work);
    return cudaSuccess;
  };
}

auto copy(const CUDA_MEMCPY3D* p) {
  return [p](Machine& machine, Work& result) -> cudaError_t {
    CopyWork work;
    if (const cudaError_t error = describe(machine, p, work)) return error;
    if (const cudaError_t error = check_transfer(machine, work, cudaMemcpyDefault)) return error;
    result = std::move(work);
    return cudaSuccess;
  };
}

/// A side of a copy by its address: what an array's place is, too.
void tell(const Place3D& place, CUmemorytype& type, CUdeviceptr& device, size_t& pitch, size_t& rows) {
  type = CU_MEMORYTYPE_UNIFIED;
  device = place.address;
  pitch = place.pitch;
  rows = place.pitch ? place.slice / place.pitch : 0;
}

cudaMemsetParams runtime_set(const CUDA_MEMSET_NODE_PARAMS& p) {
  return {pointer_of<void>(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}
cudaHostNodeParams runtime_host(const CUDA_HOST_NODE_PARAMS& p) {
  return {p.fn, p.userData};
}

}  // namespace

extern "C" {

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  return through_runtime([&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return through_runtime([&] { return cudaStreamEndCapture(stream, graph); });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return through_runtime([&] { return cudaStreamIsCapturing(stream, same<cudaStreamCaptureStatus>(status)); });
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                   const CUgraphNode** dependencies, size_t* number) {
  return through_runtime([&] {
    return cudaStreamGetCaptureInfo_v2(stream, same<cudaStreamCaptureStatus>(status), same<unsigned long long>(id),
                                       graph, dependencies, number);
  });
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies, size_t number, unsigned flags) {
  return through_runtime([&] { return cudaStreamUpdateCaptureDependencies(stream, dependencies, number, flags); });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return through_runtime([&] { return cudaThreadExchangeStreamCaptureMode(same<cudaStreamCaptureMode>(mode)); });
}

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return through_runtime([&] { return cudaGraphCreate(graph, flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return through_runtime([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphClone(CUgraph* clone, CUgraph graph) {
  return through_runtime([&] { return cudaGraphClone(clone, graph); });
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                              const CUDA_KERNEL_NODE_PARAMS* p) {
  return through_runtime([&] { return add_node(node, graph, needs, number, kernel(p)); });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p) {
  return through_runtime([&] {
    return read_node<KernelWork>(node, [&](KernelWork& work) {
      if (!p) return cudaErrorInvalidValue;
      *p = {work.function, work.grid.x,  work.grid.y,
            work.grid.z,   work.block.x, work.block.y,
            work.block.z,  work.shared,  work.parameter_pointers(),
            nullptr};
      return cudaSuccess;
    });
  });
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  return through_runtime([&] { return change_node(node, kernel(p)); });
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec instance, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* p) {
  return through_runtime([&] {
    return change_instance(instance, node, [&](Machine& machine, Work& work) -> cudaError_t {
      if (const cudaError_t error = kernel(p)(machine, work)) return error;
      return check_launch(machine, std::get<KernelWork>(work));
    });
  });
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return through_runtime([&] { return cudaGraphKernelNodeCopyAttributes(from, to); });
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue* value) {
  return through_runtime([&] {
    return cudaGraphKernelNodeGetAttribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                           same<cudaLaunchAttributeValue>(value));
  });
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue* value) {
  return through_runtime([&] {
    return cudaGraphKernelNodeSetAttribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                           same<const cudaLaunchAttributeValue>(value));
  });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                              const CUDA_MEMCPY3D* p, CUcontext) {
  return through_runtime([&] { return add_node(node, graph, needs, number, copy(p)); });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* p) {
  return through_runtime([&] {
    return read_node<CopyWork>(node, [&](const CopyWork& work) {
      if (!p) return cudaErrorInvalidValue;
      *p = {};
      tell(work.to, p->dstMemoryType, p->dstDevice, p->dstPitch, p->dstHeight);
      tell(work.from, p->srcMemoryType, p->srcDevice, p->srcPitch, p->srcHeight);
      p->WidthInBytes = work.width;
      p->Height = work.height;
      p->Depth = work.depth;
      return cudaSuccess;
    });
  });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* p) {
  return through_runtime([&] { return change_node(node, copy(p)); });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec instance, CUgraphNode node, const CUDA_MEMCPY3D* p, CUcontext) {
  return through_runtime([&] { return change_instance(instance, node, copy(p)); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                              const CUDA_MEMSET_NODE_PARAMS* p, CUcontext) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemsetParams set = runtime_set(*p);
  return through_runtime([&] { return cudaGraphAddMemsetNode(node, graph, needs, number, &set); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* p) {
  return through_runtime([&] { return cudaGraphMemsetNodeGetParams(node, same<cudaMemsetParams>(p)); });
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemsetParams set = runtime_set(*p);
  return through_runtime([&] { return cudaGraphMemsetNodeSetParams(node, &set); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec instance, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* p,
                                        CUcontext) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaMemsetParams set = runtime_set(*p);
  return through_runtime([&] { return cudaGraphExecMemsetNodeSetParams(instance, node, &set); });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                            const CUDA_HOST_NODE_PARAMS* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaHostNodeParams host = runtime_host(*p);
  return through_runtime([&] { return cudaGraphAddHostNode(node, graph, needs, number, &host); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* p) {
  return through_runtime([&] { return cudaGraphHostNodeGetParams(node, same<cudaHostNodeParams>(p)); });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaHostNodeParams host = runtime_host(*p);
  return through_runtime([&] { return cudaGraphHostNodeSetParams(node, &host); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec instance, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* p) {
  if (!p) return CUDA_ERROR_INVALID_VALUE;
  const cudaHostNodeParams host = runtime_host(*p);
  return through_runtime([&] { return cudaGraphExecHostNodeSetParams(instance, node, &host); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                                  CUgraph child) {
  return through_runtime([&] { return cudaGraphAddChildGraphNode(node, graph, needs, number, child); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return through_runtime([&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec instance, CUgraphNode node, CUgraph child) {
  return through_runtime([&] { return cudaGraphExecChildGraphNodeSetParams(instance, node, child); });
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number) {
  return through_runtime([&] { return cudaGraphAddEmptyNode(node, graph, needs, number); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                                   CUevent event) {
  return through_runtime([&] { return cudaGraphAddEventRecordNode(node, graph, needs, number, event); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
  return through_runtime([&] { return cudaGraphEventRecordNodeGetEvent(node, event); });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return through_runtime([&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec instance, CUgraphNode node, CUevent event) {
  return through_runtime([&] { return cudaGraphExecEventRecordNodeSetEvent(instance, node, event); });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                                 CUevent event) {
  return through_runtime([&] { return cudaGraphAddEventWaitNode(node, graph, needs, number, event); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
  return through_runtime([&] { return cudaGraphEventWaitNodeGetEvent(node, event); });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return through_runtime([&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec instance, CUgraphNode node, CUevent event) {
  return through_runtime([&] { return cudaGraphExecEventWaitNodeSetEvent(instance, node, event); });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                                CUDA_MEM_ALLOC_NODE_PARAMS* p) {
  return through_runtime(
      [&] { return cudaGraphAddMemAllocNode(node, graph, needs, number, same<cudaMemAllocNodeParams>(p)); });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* p) {
  return through_runtime([&] { return cudaGraphMemAllocNodeGetParams(node, same<cudaMemAllocNodeParams>(p)); });
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* needs, size_t number,
                               CUdeviceptr address) {
  return through_runtime(
      [&] { return cudaGraphAddMemFreeNode(node, graph, needs, number, pointer_of<void>(address)); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address) {
  return through_runtime([&] { return cudaGraphMemFreeNodeGetParams(node, address); });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return through_runtime([&] { return cudaDeviceGraphMemTrim(device); });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return through_runtime(
      [&] { return cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value); });
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return through_runtime(
      [&] { return cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value); });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
  return through_runtime([&] { return cudaGraphNodeFindInClone(found, original, clone); });
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return through_runtime([&] { return cudaGraphNodeGetType(node, same<cudaGraphNodeType>(type)); });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* number) {
  return through_runtime([&] { return cudaGraphGetNodes(graph, nodes, number); });
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* number) {
  return through_runtime([&] { return cudaGraphGetRootNodes(graph, nodes, number); });
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* number) {
  return through_runtime([&] { return cudaGraphGetEdges(graph, from, to, number); });
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* list, size_t* number) {
  return through_runtime([&] { return cudaGraphNodeGetDependencies(node, list, number); });
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* list, size_t* number) {
  return through_runtime([&] { return cudaGraphNodeGetDependentNodes(node, list, number); });
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t number) {
  return through_runtime([&] { return cudaGraphAddDependencies(graph, from, to, number); });
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t number) {
  return through_runtime([&] { return cudaGraphRemoveDependencies(graph, from, to, number); });
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return through_runtime([&] { return cudaGraphDestroyNode(node); });
}
CUresult cuGraphNodeSetEnabled(CUgraphExec instance, CUgraphNode node, unsigned enabled) {
  return through_runtime([&] { return cudaGraphNodeSetEnabled(instance, node, enabled); });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec instance, CUgraphNode node, unsigned* enabled) {
  return through_runtime([&] { return cudaGraphNodeGetEnabled(instance, node, enabled); });
}

CUresult cuGraphInstantiate(CUgraphExec* instance, CUgraph graph, CUgraphNode* culprit, char* log, size_t bytes) {
  return through_runtime([&] { return cudaGraphInstantiate(instance, graph, culprit, log, bytes); });
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* instance, CUgraph graph, unsigned long long flags) {
  return through_runtime([&] { return cudaGraphInstantiateWithFlags(instance, graph, flags); });
}
CUresult cuGraphExecUpdate(CUgraphExec instance, CUgraph graph, CUgraphNode* culprit, CUgraphExecUpdateResult* result) {
  return through_runtime(
      [&] { return cudaGraphExecUpdate(instance, graph, culprit, same<cudaGraphExecUpdateResult>(result)); });
}
CUresult cuGraphUpload(CUgraphExec instance, CUstream stream) {
  return through_runtime([&] { return cudaGraphUpload(instance, stream); });
}
CUresult cuGraphLaunch(CUgraphExec instance, CUstream stream) {
  return through_runtime([&] { return cudaGraphLaunch(instance, stream); });
}
CUresult cuGraphExecDestroy(CUgraphExec instance) {
  return through_runtime([&] { return cudaGraphExecDestroy(instance); });
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return through_runtime([&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}

CUresult cuUserObjectCreate(CUuserObject* object, void* pointer, CUhostFn destroy, unsigned count, unsigned flags) {
  return through_runtime([&] { return cudaUserObjectCreate(object, pointer, destroy, count, flags); });
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return through_runtime([&] { return cudaUserObjectRetain(object, count); });
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return through_runtime([&] { return cudaUserObjectRelease(object, count); });
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return through_runtime([&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return through_runtime([&] { return cudaGraphReleaseUserObject(graph, object, count); });
}

}  // extern "C"

EW_ALSO_CALLED(cuStreamBeginCapture, cuStreamBeginCapture_v2);
extern "C" CUresult cuGraphInstantiate_v2(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t)
    __attribute__((alias("cuGraphInstantiate")));
