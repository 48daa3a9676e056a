// Graphs of the driver API: nodes by calls and by stream capture, read back, changed in a graph and in an instance, and
// mistakes refused. A graph of the driver API is launched by the runtime as well. Exercises: cuGraph*,
// cuStreamBeginCapture, cuGraphExecUpdate, cuGraphAddMemAllocNode.
//
// build: -lcuda
// deterministic: yes
#include "driver.h"

namespace {

const char* const kModule = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry add(.param .u64 cells, .param .u32 count, .param .u32 more)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;

  ld.param.u64 %rd1, [cells];
  ld.param.u32 %r1, [count];
  ld.param.u32 %r2, [more];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r6, %r1;
  @%p1 bra $done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r6, 4;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r7, [%rd2];
  add.u32 %r7, %r7, %r2;
  st.global.u32 [%rd2], %r7;
$done:
  ret;
}
)";

void refuse(CUresult result, CUresult wanted, const char* call) {
  EXPECT(result == wanted, "%s should return %d, but returned %d", call, wanted, result);
}
#define REFUSED(wanted, call) refuse(call, wanted, #call)

/// A line of bytes from here to there.
CUDA_MEMCPY3D line(CUmemorytype to_type, void* to, CUmemorytype from_type, const void* from, size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.dstMemoryType = to_type;
  copy.srcMemoryType = from_type;
  (to_type == CU_MEMORYTYPE_HOST ? copy.dstHost : reinterpret_cast<void*&>(copy.dstDevice)) = to;
  (from_type == CU_MEMORYTYPE_HOST ? copy.srcHost : reinterpret_cast<const void*&>(copy.srcDevice)) = from;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

void all_are(const unsigned* found, int n, unsigned wanted, const char* when) {
  for (int i = 0; i < n; ++i) EXPECT(found[i] == wanted, "%s: cell %d should be %u, is %u", when, i, wanted, found[i]);
}

}  // namespace

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 1, 300, 1, 1 << 20);
  const size_t bytes = n * sizeof(unsigned);
  DRIVER(cuInit(0));
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUstream stream, other;
  CUevent event;
  CUdeviceptr cells;
  unsigned* host;
  DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
  DRIVER(cuCtxSetCurrent(context));
  DRIVER(cuModuleLoadData(&module, kModule));
  DRIVER(cuModuleGetFunction(&add, module, "add"));
  DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  DRIVER(cuEventCreate(&event, CU_EVENT_DEFAULT));
  DRIVER(cuMemAlloc(&cells, bytes));
  DRIVER(cuMemAllocHost(reinterpret_cast<void**>(&host), bytes));

  // A graph by calls: fill with 5, add 7, copy to the host, tell the host.
  CUgraph graph;
  CUgraphNode fill, plus, back, told, found_nodes[8];
  DRIVER(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS five{};
  five.dst = cells, five.value = 5, five.elementSize = 4, five.width = n, five.height = 1;
  DRIVER(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &five, context));
  unsigned count = n, more = 7;
  void* arguments[] = {&cells, &count, &more};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = add;
  kernel.gridDimX = (n + 63) / 64, kernel.blockDimX = 64;
  kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  DRIVER(cuGraphAddKernelNode(&plus, graph, &fill, 1, &kernel));
  const CUDA_MEMCPY3D to_host =
      line(CU_MEMORYTYPE_HOST, host, CU_MEMORYTYPE_DEVICE, reinterpret_cast<void*>(cells), bytes);
  DRIVER(cuGraphAddMemcpyNode(&back, graph, &plus, 1, &to_host, context));
  int calls = 0;
  CUDA_HOST_NODE_PARAMS tell{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  DRIVER(cuGraphAddHostNode(&told, graph, &back, 1, &tell));
  size_t number = 8;
  DRIVER(cuGraphGetNodes(graph, found_nodes, &number));
  EXPECT(number == 4, "the graph should have 4 nodes, has %zu", number);
  CUgraphNodeType type;
  DRIVER(cuGraphNodeGetType(back, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_MEMCPY, "the third node should be a copy, is of type %d", type);

  // What nodes hold is read back.
  CUDA_KERNEL_NODE_PARAMS held{};
  DRIVER(cuGraphKernelNodeGetParams(plus, &held));
  EXPECT(held.func == add && held.gridDimX == kernel.gridDimX && held.blockDimX == 64 &&
             *static_cast<unsigned*>(held.kernelParams[2]) == 7,
         "the kernel's node should have its function, 64 threads a block and 7, has %u and %u", held.blockDimX,
         *static_cast<unsigned*>(held.kernelParams[2]));
  CUDA_MEMSET_NODE_PARAMS held_set{};
  DRIVER(cuGraphMemsetNodeGetParams(fill, &held_set));
  EXPECT(held_set.dst == cells && held_set.value == 5 && held_set.elementSize == 4,
         "the fill's node should have 5, has %u", held_set.value);
  CUDA_MEMCPY3D held_copy{};
  DRIVER(cuGraphMemcpyNodeGetParams(back, &held_copy));
  EXPECT(held_copy.srcDevice == cells && held_copy.WidthInBytes == bytes,
         "the copy's node should have %zu bytes, has %zu", bytes, held_copy.WidthInBytes);

  CUgraphExec instance;
  DRIVER(cuGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
  DRIVER(cuGraphLaunch(instance, stream));
  DRIVER(cuStreamSynchronize(stream));
  all_are(host, n, 12, "a graph by calls");
  EXPECT(calls == 1, "the host's node should have run once, has run %d times", calls);

  // Changed in the instance alone, then in the graph, which the instance is updated to.
  more = 100;
  DRIVER(cuGraphExecKernelNodeSetParams(instance, plus, &kernel));
  DRIVER(cuGraphLaunch(instance, stream));
  DRIVER(cuStreamSynchronize(stream));
  all_are(host, n, 105, "an instance with another parameter");
  five.value = 1;
  DRIVER(cuGraphMemsetNodeSetParams(fill, &five));
  CUgraphNode culprit = nullptr;
  CUgraphExecUpdateResult update;
  DRIVER(cuGraphExecUpdate(instance, graph, &culprit, &update));
  EXPECT(update == CU_GRAPH_EXEC_UPDATE_SUCCESS, "the update should succeed, is %d", update);
  DRIVER(cuGraphLaunch(instance, stream));
  DRIVER(cuStreamSynchronize(stream));
  all_are(host, n, 8, "an instance that was updated");
  DRIVER(cuGraphNodeSetEnabled(instance, plus, 0));
  CUDA(cudaGraphLaunch(instance, stream));  // handles of the two APIs are the same
  DRIVER(cuStreamSynchronize(stream));
  all_are(host, n, 1, "an instance with a node that is not enabled");

  // Mistakes.
  CUgraphNode none;
  CUgraph second;
  CUDA_KERNEL_NODE_PARAMS wrong = kernel;
  void* extra[] = {CU_LAUNCH_PARAM_END};
  wrong.extra = extra;
  REFUSED(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&none, graph, nullptr, 0, &wrong));
  wrong = kernel, wrong.func = reinterpret_cast<CUfunction>(&calls);
  REFUSED(CUDA_ERROR_INVALID_HANDLE, cuGraphAddKernelNode(&none, graph, nullptr, 0, &wrong));
  REFUSED(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&none, graph, nullptr, 0, nullptr));
  REFUSED(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemsetNode(&none, graph, nullptr, 0, nullptr, context));
  DRIVER(cuGraphCreate(&second, 0));
  REFUSED(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&none, second, &fill, 1));
  DRIVER(cuGraphAddEmptyNode(&none, second, nullptr, 0));
  EXPECT(cuGraphExecUpdate(instance, second, &culprit, &update) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE &&
             update == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED,
         "an update to another graph should fail by its topology, is %d", update);
  DRIVER(cuGraphExecDestroy(instance));

  // By capture, on two streams that an event joins.
  CUgraph captured;
  CUstreamCaptureStatus status;
  more = 3;
  DRIVER(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER(cuMemsetD32Async(cells, 20, n, stream));
  DRIVER(cuEventRecord(event, stream));
  DRIVER(cuStreamWaitEvent(other, event, 0));
  DRIVER(cuLaunchKernel(add, kernel.gridDimX, 1, 1, 64, 1, 1, 0, other, arguments, nullptr));
  DRIVER(cuStreamIsCapturing(other, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE, "the second stream should have joined the capture, is %d", status);
  DRIVER(cuEventRecord(event, other));
  DRIVER(cuStreamWaitEvent(stream, event, 0));
  DRIVER(cuMemcpyDtoHAsync(host, cells, bytes, stream));
  DRIVER(cuStreamEndCapture(stream, &captured));
  all_are(host, n, 1, "while a stream is captured nothing runs");
  DRIVER(cuGraphInstantiateWithFlags(&instance, captured, 0));
  DRIVER(cuGraphLaunch(instance, stream));
  DRIVER(cuStreamSynchronize(stream));
  all_are(host, n, 23, "a graph by capture");

  // A graph within a graph, and memory of a graph's own.
  CUgraph outer;
  CUgraphNode child, allocated, copied, filled, fetched, freed;
  CUgraphExec whole;
  DRIVER(cuGraphCreate(&outer, 0));
  DRIVER(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, captured));
  CUDA_MEM_ALLOC_NODE_PARAMS memory{};
  memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  memory.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  memory.bytesize = bytes;
  DRIVER(cuGraphAddMemAllocNode(&allocated, outer, &child, 1, &memory));
  const CUDA_MEMCPY3D across = line(CU_MEMORYTYPE_DEVICE, reinterpret_cast<void*>(memory.dptr), CU_MEMORYTYPE_DEVICE,
                                    reinterpret_cast<void*>(cells), bytes);
  DRIVER(cuGraphAddMemcpyNode(&copied, outer, &allocated, 1, &across, context));
  more = 1000;
  CUdeviceptr own = memory.dptr;
  void* own_arguments[] = {&own, &count, &more};
  kernel.kernelParams = own_arguments;
  DRIVER(cuGraphAddKernelNode(&filled, outer, &copied, 1, &kernel));
  const CUDA_MEMCPY3D fetch = line(CU_MEMORYTYPE_HOST, host, CU_MEMORYTYPE_DEVICE, reinterpret_cast<void*>(own), bytes);
  DRIVER(cuGraphAddMemcpyNode(&fetched, outer, &filled, 1, &fetch, context));
  DRIVER(cuGraphAddMemFreeNode(&freed, outer, &fetched, 1, own));
  DRIVER(cuGraphInstantiate(&whole, outer, 0));
  DRIVER(cuGraphLaunch(whole, stream));
  DRIVER(cuStreamSynchronize(stream));
  all_are(host, n, 1023, "a graph with a graph and memory of its own");

  DRIVER(cuGraphExecDestroy(whole));
  DRIVER(cuGraphExecDestroy(instance));
  for (CUgraph one : {graph, second, captured, outer}) DRIVER(cuGraphDestroy(one));
  DRIVER(cuMemFreeHost(host));
  DRIVER(cuMemFree(cells));
  DRIVER(cuStreamDestroy(stream));
  DRIVER(cuStreamDestroy(other));
  return PASS("n=%d", n);
}
