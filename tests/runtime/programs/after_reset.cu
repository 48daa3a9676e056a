// Handles from before cudaDeviceReset: one answer a kind of handle, whatever the call, also when new objects exist. And
// a fault that no call has returned is returned by the reset.
#include "expect.h"

namespace {

__global__ void write_to(int* cell) {
  *cell = 1;
}

__device__ int on_device = 3;
__managed__ int shared = 4;
__managed__ int shared_zeros[8];
__global__ void count_variables() {
  ++on_device;
  ++shared;
  ++shared_zeros[7];
}

/// Variables of the program begin again with their initial values, those that host and device share as well.
void variables() {
  for (int round = 0; round < 2; ++round) {
    int value = 0;
    SAME(4, shared);
    count_variables<<<1, 1>>>();
    CUDA(cudaMemcpyFromSymbol(&value, on_device, sizeof value));
    SAME(4, value);
    SAME(5, shared);
    SAME(1, shared_zeros[7]);
    CUDA(cudaDeviceReset());
  }
}

struct Handles {
  int *device = nullptr, *host = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t instance = nullptr;
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmap = nullptr;
  cudaTextureObject_t texture = 0;
  cudaMemPool_t pool = nullptr;

  Handles() {
    CUDA(cudaMalloc(&device, 64));
    CUDA(cudaMallocHost(&host, 64));
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventRecord(event, stream));
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    CUDA(cudaGraphInstantiate(&instance, graph, nullptr, nullptr, 0));
    const auto format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, 16, 16));
    CUDA(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(16, 16, 0), 3));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    const cudaTextureDesc how{};
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA(cudaMemPoolCreate(&pool, &properties));
  }
};

void streams_and_events(const Handles& old) {
  unsigned flags = 0;
  int priority = 0;
  float milliseconds = 0;
  void* memory = nullptr;
  cudaGraph_t graph;
  const auto none = cudaErrorInvalidResourceHandle;
  RETURNS(none, cudaStreamSynchronize(old.stream));
  RETURNS(none, cudaStreamQuery(old.stream));
  RETURNS(none, cudaStreamGetFlags(old.stream, &flags));
  RETURNS(none, cudaStreamGetPriority(old.stream, &priority));
  RETURNS(none, cudaStreamWaitEvent(old.stream, old.event, 0));
  RETURNS(none, cudaStreamWaitEvent(nullptr, old.event, 0));
  RETURNS(none, cudaEventRecord(old.event, nullptr));
  RETURNS(none, cudaEventQuery(old.event));
  RETURNS(none, cudaEventSynchronize(old.event));
  RETURNS(none, cudaEventElapsedTime(&milliseconds, old.event, old.event));
  RETURNS(none, cudaLaunchHostFunc(
                    old.stream, [](void*) {}, nullptr));
  RETURNS(none, cudaMallocAsync(&memory, 4, old.stream));
  RETURNS(none, cudaStreamBeginCapture(old.stream, cudaStreamCaptureModeRelaxed));
  RETURNS(none, cudaStreamEndCapture(old.stream, &graph));
  write_to<<<1, 1, 0, old.stream>>>(nullptr);
  EXPECT(cudaGetLastError() == none, "the launch should be refused, line %d", __LINE__);
  RETURNS(none, cudaEventDestroy(old.event));
  RETURNS(none, cudaStreamDestroy(old.stream));
}

void graphs_and_memory(const Handles& old, bool memory_is_new) {
  size_t count = 0;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphNodeType type;
  void* memory = nullptr;
  const auto none = cudaErrorInvalidValue;
  RETURNS(none, cudaGraphLaunch(old.instance, nullptr));
  RETURNS(none, cudaGraphInstantiate(&instance, old.graph, nullptr, nullptr, 0));
  RETURNS(none, cudaGraphGetNodes(old.graph, nullptr, &count));
  RETURNS(none, cudaGraphClone(&graph, old.graph));
  RETURNS(none, cudaGraphNodeGetType(old.node, &type));
  RETURNS(none, cudaGraphDestroyNode(old.node));
  RETURNS(none, cudaGraphExecDestroy(old.instance));
  RETURNS(none, cudaGraphDestroy(old.graph));
  RETURNS(none, cudaMemPoolTrimTo(old.pool, 0));
  RETURNS(none, cudaMallocFromPoolAsync(&memory, 4, old.pool, nullptr));
  RETURNS(none, cudaMemPoolDestroy(old.pool));
  RETURNS(none, cudaDestroyTextureObject(old.texture));
  if (memory_is_new) return;
  RETURNS(none, cudaMemset(old.device, 0, 4));
  RETURNS(none, cudaFree(old.device));
  RETURNS(none, cudaFreeHost(old.host));
}

void arrays(const Handles& old) {
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags = 0;
  cudaArray_t level;
  const auto none = cudaErrorInvalidResourceHandle;
  RETURNS(none, cudaArrayGetInfo(&format, &extent, &flags, old.array));
  RETURNS(none, cudaGetMipmappedArrayLevel(&level, old.mipmap, 0));
  RETURNS(none, cudaFreeArray(old.array));
  RETURNS(none, cudaFreeMipmappedArray(old.mipmap));
}

}  // namespace

int main() {
  variables();
  const Handles old;
  write_to<<<1, 1>>>(nullptr);
  CUDA(cudaGetLastError());
  RETURNS(cudaErrorIllegalAddress, cudaDeviceReset());
  RETURNS(cudaSuccess, cudaDeviceReset());
  for (const bool again : {false, true}) {
    if (again) Handles fresh;
    streams_and_events(old);
    graphs_and_memory(old, again);
    arrays(old);
  }
  write_to<<<1, 1>>>(nullptr);  // a fault that a call has returned is no news to the reset
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "the launch should fail, line %d", __LINE__);
  RETURNS(cudaSuccess, cudaDeviceReset());
  CUDA(cudaDeviceSynchronize());
  return PASS("after a reset");
}
