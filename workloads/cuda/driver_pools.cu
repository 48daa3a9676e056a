// Memory pools, launches with attributes and attributes of streams by the driver API: memory comes from a pool in the
// order of a stream, a kernel is found in a module and started with cuLaunchKernelEx, cooperatively too, and what the
// runtime API makes can be used here. Exercises: cuMemPool*, cuMemAllocFromPoolAsync, cuLaunchKernelEx, cuStream*,
// cuMemRangeGetAttribute, cuGetProcAddress.
//
// build: -lcuda
// deterministic: yes
#include <cuda_runtime.h>

#include "driver.h"

namespace {

const char* const kModule = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry add_index(.param .u64 cells, .param .u32 count)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;

  ld.param.u64 %rd1, [cells];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $done;
  mul.wide.s32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.u32 %r6, [%rd3];
  add.u32 %r6, %r6, %r5;
  st.u32 [%rd3], %r6;
$done:
  ret;
}
)";

void pools(CUdevice device, CUfunction add_index, int n) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemoryPool own, standard, current;
  DRIVER(cuMemPoolCreate(&own, &properties));
  DRIVER(cuDeviceGetDefaultMemPool(&standard, device));
  DRIVER(cuDeviceGetMemPool(&current, device));
  EXPECT(current == standard && own != standard, "the standard pool should be current until another is set");
  DRIVER(cuDeviceSetMemPool(device, own));
  DRIVER(cuDeviceGetMemPool(&current, device));
  EXPECT(current == own, "the pool that was set should be current");
  cudaMemPool_t of_runtime;
  CUDA(cudaDeviceGetMemPool(&of_runtime, 0));
  EXPECT(of_runtime == own, "the runtime API should see the same pool");
  cuuint64_t keep = ~cuuint64_t{0}, found = 0;
  DRIVER(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
  DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &found));
  EXPECT(found == keep, "the pool should keep what it is told, has %llu", (unsigned long long)found);
  CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  DRIVER(cuMemPoolGetAccess(&access, own, &location));
  EXPECT(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, "the pool's device should read and write it, has %d", access);

  CUstream stream;
  DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUdeviceptr from_pool = 0, again = 0;
  DRIVER(cuMemAllocFromPoolAsync(&from_pool, n * sizeof(unsigned), own, stream));
  DRIVER(cuMemsetD2D32Async(from_pool, n * sizeof(unsigned), 100, n, 1, stream));
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = (n + 127) / 128, config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128, config.blockDimY = config.blockDimZ = 1;
  config.hStream = stream;
  void* arguments[] = {&from_pool, &n};
  DRIVER(cuLaunchKernelEx(&config, add_index, arguments, nullptr));
  config.attrs = &attribute, config.numAttrs = 1;
  DRIVER(cuLaunchKernelEx(&config, add_index, arguments, nullptr));
  std::vector<unsigned> want(n), got(n);
  for (int i = 0; i < n; ++i) want[i] = 100 + 2 * i;
  DRIVER(cuMemcpyDtoHAsync(got.data(), from_pool, n * sizeof(unsigned), stream));
  DRIVER(cuStreamSynchronize(stream));
  EXPECT_SAME(want, got, "twice its index");

  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  EXPECT(cuLaunchKernelEx(&config, add_index, arguments, nullptr) == CUDA_ERROR_NOT_SUPPORTED,
         "clusters of blocks should be refused as not supported");
  config.attrs = nullptr;
  EXPECT(cuLaunchKernelEx(&config, add_index, arguments, nullptr) == CUDA_ERROR_INVALID_VALUE,
         "an attribute that is not there should be refused");
  config.gridDimX = 1 << 20, config.attrs = &attribute;
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, attribute.value.cooperative = 1;
  EXPECT(cuLaunchKernelEx(&config, add_index, arguments, nullptr) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
         "more blocks than are resident together should be refused in a cooperative launch");

  DRIVER(cuMemFreeAsync(from_pool, stream));
  DRIVER(cuMemAllocAsync(&again, 256, stream));  // of the current pool
  cuuint64_t used = 0;
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used >= 256 && used < n * sizeof(unsigned), "the pool should have one allocation left, has %llu bytes",
         (unsigned long long)used);
  DRIVER(cuMemFreeAsync(again, stream));
  DRIVER(cuStreamSynchronize(stream));
  DRIVER(cuMemPoolTrimTo(own, 0));
  DRIVER(cuDeviceSetMemPool(device, standard));
  DRIVER(cuMemPoolDestroy(own));
  EXPECT(cuMemPoolDestroy(nullptr) == CUDA_ERROR_INVALID_VALUE, "no pool should be refused");
  DRIVER(cuStreamDestroy(stream));
}

void streams() {
  CUstream one, other;
  DRIVER(cuStreamCreate(&one, CU_STREAM_DEFAULT));
  DRIVER(cuStreamCreate(&other, CU_STREAM_DEFAULT));
  CUstreamAttrValue value = {}, found = {};
  value.syncPolicy = CU_SYNC_POLICY_BLOCKING_SYNC;
  DRIVER(cuStreamSetAttribute(one, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  DRIVER(cuStreamCopyAttributes(other, one));
  DRIVER(cuStreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &found));
  EXPECT(found.syncPolicy == CU_SYNC_POLICY_BLOCKING_SYNC, "the policy should have been copied, is %d",
         found.syncPolicy);
  EXPECT(cuStreamGetAttribute(one, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &found) == CUDA_ERROR_INVALID_VALUE,
         "a stream has no such attribute");
  unsigned long long first = 0, second = 0;
  DRIVER(cuStreamGetId(one, &first));
  DRIVER(cuStreamGetId(other, &second));
  EXPECT(first != second, "two streams should have two numbers, have %llu", first);
  CUcontext current, of_stream;
  DRIVER(cuCtxGetCurrent(&current));
  DRIVER(cuStreamGetCtx(one, &of_stream));
  EXPECT(of_stream == current, "the stream should be of the current context");
  CUevent event;
  DRIVER(cuEventCreate(&event, CU_EVENT_DEFAULT));
  DRIVER(cuEventRecordWithFlags(event, one, 0));
  DRIVER(cuEventSynchronize(event));
  DRIVER(cuEventDestroy(event));
  DRIVER(cuStreamDestroy(one));
  DRIVER(cuStreamDestroy(other));
}

void ranges(CUcontext context) {
  CUdeviceptr managed = 0, copied = 0;
  DRIVER(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  DRIVER(cuMemAlloc(&copied, 4096));
  DRIVER(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  int mostly = 0, preferred = 0;
  DRIVER(cuMemRangeGetAttribute(&mostly, sizeof mostly, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, 4096));
  void* data[] = {&mostly, &preferred};
  size_t sizes[] = {sizeof mostly, sizeof preferred};
  CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
  DRIVER(cuMemRangeGetAttributes(data, sizes, attributes, 2, managed, 4096));
  EXPECT(mostly == 1 && preferred < 0, "the range should be read mostly and prefer no place, has %d and %d", mostly,
         preferred);
  EXPECT(cuMemRangeGetAttribute(&mostly, sizeof mostly, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, copied, 4096) ==
             CUDA_ERROR_INVALID_VALUE,
         "memory that is not managed should be refused");
  DRIVER(cuMemsetD2D8Async(managed, 64, 7, 64, 64, nullptr));
  DRIVER(cuMemcpyPeerAsync(copied, context, managed, context, 4096, nullptr));
  std::vector<unsigned char> got(4096);
  DRIVER(cuMemcpyDtoH(got.data(), copied, 4096));
  EXPECT_SAME(std::vector<unsigned char>(4096, 7), got, "copied");
  DRIVER(cuMemFree(copied));
  DRIVER(cuMemFree(managed));
}

void occupancy(CUfunction function) {
  int blocks = 0, grid = 0, block = 0;
  size_t shared = 0;
  DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 0, CU_OCCUPANCY_DEFAULT));
  DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, 0));
  EXPECT(block > 0 && blocks > 0, "a block should fit on an SM, of %d threads %d do", block, blocks);
  DRIVER(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 2, 128));
  DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, shared));
  EXPECT(blocks >= 2, "two blocks with %zu bytes each should fit on an SM, %d do", shared, blocks);
  EXPECT(cuOccupancyMaxActiveClusters(&blocks, function, nullptr) == CUDA_ERROR_NOT_SUPPORTED,
         "clusters of blocks should be refused as not supported");
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1500, 128, 2048);
  DRIVER(cuInit(0));
  CUdevice device;
  CUcontext context;
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));
  CUmodule module;
  CUfunction add_index;
  DRIVER(cuModuleLoadData(&module, kModule));
  DRIVER(cuModuleGetFunction(&add_index, module, "add_index"));

  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  void* found = nullptr;
  DRIVER(cuGetProcAddress("cuMemPoolCreate", &found, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  EXPECT(found == (void*)cuMemPoolCreate && status == CU_GET_PROC_ADDRESS_SUCCESS, "the function should be found");
  DRIVER(cuGetProcAddress("cuMemPoolCreated", &found, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  EXPECT(found == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "no such function should be found");

  pools(device, add_index, n);
  streams();
  ranges(context);
  occupancy(add_index);
  DRIVER(cuModuleUnload(module));
  DRIVER(cuDevicePrimaryCtxRelease(device));
  return PASS("n=%d", n);
}
