// What the device says of itself and of kernels: properties from the machine file, occupancy, attributes, limits;
// launches of every form; device malloc; what is refused by name; errors that stick.
#include <cooperative_groups.h>

#include <cuda/barrier>
#include <string>

#include "expect.h"

namespace {

namespace cg = cooperative_groups;

__global__ void nothing() {}
__global__ void __launch_bounds__(128) bounded(int* p) {
  *p = 1;
}
__global__ void uses_shared(int* out) {
  __shared__ int cells[256];
  cells[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = cells[255 - threadIdx.x];
}
__global__ void dynamic(int* out, int n) {
  extern __shared__ int room[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = room[n - 1];
}
struct Large {
  int values[900];
};
__global__ void large_parameter(Large all, int* out) {
  *out = all.values[899];
}
__global__ void grid_sum(int* sum, int* out) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) atomicAdd(sum, static_cast<int>(blockIdx.x) + 1);
  grid.sync();
  if (grid.thread_rank() == 0) *out = *sum;
}
__global__ void heap(int n, int* failures, int** kept) {
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  if (!p) return (void)atomicAdd(failures, 1);
  for (int i = 0; i < n; ++i) p[i] = i;
  int* q = new int[4]{1, 2, 3, 4};
  if (q[3] != 4 || p[n - 1] != n - 1) atomicAdd(failures, 1000);
  delete[] q;
  kept[blockIdx.x * blockDim.x + threadIdx.x] = p;
}
__global__ void give_back(int** kept) {
  free(kept[blockIdx.x * blockDim.x + threadIdx.x]);
}
__global__ void barrier_rounds(int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier barrier;
  __shared__ int total;
  if (threadIdx.x == 0) init(&barrier, blockDim.x), total = 0;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    atomicAdd(&total, 1);
    barrier.arrive_and_wait();
    if (total != (round + 1) * static_cast<int>(blockDim.x)) atomicAdd(out, 1000);
    barrier.arrive_and_wait();
  }
  if (threadIdx.x == 0) atomicAdd(out, total);
}
__global__ void write_to(int* where) {
  *where = 1;
}
__global__ void stop() {
  __trap();
}

void properties() {
  cudaDeviceProp p;
  int count = 0, value = 0;
  CUDA(cudaGetDeviceCount(&count));
  SAME(1, count);
  CUDA(cudaGetDeviceProperties(&p, 0));
  EXPECT(p.warpSize == 32 && p.multiProcessorCount > 0 && p.totalGlobalMem > 0 && p.name[0] != 0,
         "a device should be described, is %s with %d SMs", p.name, p.multiProcessorCount);
  const struct {
    cudaDeviceAttr attribute;
    long long want;
  } cases[] = {{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
               {cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
               {cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
               {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<long long>(p.sharedMemPerBlock)},
               {cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
               {cudaDevAttrComputeCapabilityMajor, p.major},
               {cudaDevAttrComputeCapabilityMinor, p.minor},
               {cudaDevAttrWarpSize, 32},
               {cudaDevAttrClockRate, p.clockRate},
               {cudaDevAttrConcurrentKernels, 1},
               {cudaDevAttrManagedMemory, 1},
               {cudaDevAttrCooperativeLaunch, 1},
               {cudaDevAttrUnifiedAddressing, 1},
               {cudaDevAttrCanMapHostMemory, 1},
               {cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock}};
  for (const auto& c : cases) {
    CUDA(cudaDeviceGetAttribute(&value, c.attribute, 0));
    EXPECT(value == c.want, "attribute %d should be %lld, is %d", c.attribute, c.want, value);
  }
  RETURNS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
  RETURNS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1));
  RETURNS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
  RETURNS(cudaErrorInvalidDevice, cudaSetDevice(1));
  RETURNS(cudaSuccess, cudaSetDevice(0));
  // ew run --set changes what the program sees: the test's command line sets 3 SMs of 24 KiB.
  if (getenv("EXPECTED_SMS")) SAME(atoi(getenv("EXPECTED_SMS")), p.multiProcessorCount);
}

void occupancy_and_attributes() {
  cudaDeviceProp p;
  CUDA(cudaGetDeviceProperties(&p, 0));
  cudaFuncAttributes a;
  CUDA(cudaFuncGetAttributes(&a, uses_shared));
  SAME(1024, a.sharedSizeBytes);
  EXPECT(a.numRegs > 0 && a.numRegs < 64, "uses_shared should need some registers, needs %d", a.numRegs);
  SAME(p.maxThreadsPerBlock, a.maxThreadsPerBlock);
  CUDA(cudaFuncGetAttributes(&a, bounded));
  SAME(128, a.maxThreadsPerBlock);
  int blocks = 0, least = 0, best = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
  SAME(p.maxThreadsPerMultiProcessor / 1024, blocks);
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 32, 40 * 1024));
  EXPECT(blocks >= 1 && blocks <= static_cast<int>(p.sharedMemPerMultiprocessor / (40 * 1024)),
         "blocks of 40 KiB should be limited by shared memory, %d fit", blocks);
  CUDA(cudaOccupancyMaxPotentialBlockSize(&least, &best, uses_shared, 0, 0));
  EXPECT(best % 32 == 0 && best > 0 && least >= p.multiProcessorCount, "block size %d, grid %d", best, least);
  RETURNS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
  RETURNS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(&properties)));
  DeviceArray<int> out(256, 0);
  const int most = static_cast<int>(p.sharedMemPerBlockOptin);
  if (most > static_cast<int>(p.sharedMemPerBlock)) {
    dynamic<<<1, 64, most>>>(out, most / 4);
    RETURNS(cudaErrorInvalidValue, cudaPeekAtLastError());
    CUDA(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    dynamic<<<1, 64, most>>>(out, most / 4);
    FINISH_KERNEL();
    SAME(most / 4 - 1, out.download()[0]);
  }
  RETURNS(cudaErrorInvalidValue, cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1));
}

void launches() {
  DeviceArray<int> out(256, 0);
  bounded<<<1, 129>>>(out);
  RETURNS(cudaErrorLaunchOutOfResources, cudaPeekAtLastError());
  nothing<<<0, 1>>>();
  RETURNS(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
  nothing<<<1, 0>>>();
  RETURNS(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
  nothing<<<1, dim3(32, 32, 2)>>>();
  RETURNS(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
  nothing<<<dim3(1, 1, 65536), 1>>>();
  RETURNS(cudaErrorInvalidConfiguration, cudaPeekAtLastError());
  RETURNS(cudaErrorInvalidDeviceFunction,
          cudaLaunchKernel(reinterpret_cast<const void*>(&launches), dim3(1), dim3(1), nullptr, 0, nullptr));
  Large large{};
  large.values[899] = 321;
  large_parameter<<<1, 1>>>(large, out);
  FINISH_KERNEL();
  SAME(321, out.download()[0]);
  int* pointer = out;
  void* arguments[] = {&pointer};
  CUDA(cudaLaunchKernel(uses_shared, dim3(1), dim3(256), arguments, 0, nullptr));
  FINISH_KERNEL();
  SAME(255, out.download()[0]);
}

void cooperative() {
  cudaDeviceProp p;
  CUDA(cudaGetDeviceProperties(&p, 0));
  int per_sm = 0;
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, grid_sum, 64, 0));
  DeviceArray<int> cells(2, 0);
  int *sum = cells, *out = cells + 1;
  void* arguments[] = {&sum, &out};
  const int blocks = per_sm * p.multiProcessorCount;
  CUDA(cudaLaunchCooperativeKernel(grid_sum, dim3(blocks), dim3(64), arguments, 0, nullptr));
  FINISH_KERNEL();
  SAME(blocks * (blocks + 1) / 2, cells.download()[1]);
  RETURNS(cudaErrorCooperativeLaunchTooLarge,
          cudaLaunchCooperativeKernel(grid_sum, dim3(blocks + 1), dim3(64), arguments, 0, nullptr));
}

void device_heap() {
  size_t bytes = 0;
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  CUDA(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  SAME(1 << 20, bytes);
  DeviceArray<int> failures(1, 0);
  DeviceArray<int*> kept(512, 0);
  heap<<<8, 64>>>(500, failures, kept);  // 1,024,000 bytes
  FINISH_KERNEL();
  SAME(0, failures.download()[0]);
  DeviceArray<int*> no_room(64, 0);
  heap<<<1, 64>>>(500, failures, no_room);
  FINISH_KERNEL();
  EXPECT(failures.download()[0] > 40, "a full heap should give null, %d did", failures.download()[0]);
  give_back<<<8, 64>>>(kept);
  give_back<<<1, 64>>>(no_room);
  FINISH_KERNEL();
  CUDA(cudaMemset(failures, 0, 4));
  heap<<<8, 64>>>(500, failures, kept);  // what was freed can be had again
  FINISH_KERNEL();
  SAME(0, failures.download()[0]);
  RETURNS(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20));  // in use
  RETURNS(cudaErrorInvalidValue, cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
  RETURNS(cudaErrorInvalidValue, cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
  DeviceArray<int> out(1, 0);
  barrier_rounds<<<2, 96>>>(out);
  FINISH_KERNEL();
  SAME(2 * 3 * 96, out.download()[0]);
}

void refused_by_name() {
  int can = 1;
  CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
  SAME(0, can);
  RETURNS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  RETURNS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
  RETURNS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
  cudaIpcMemHandle_t handle;
  RETURNS(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, nullptr));
}

void names() {
  EXPECT(std::string(cudaGetErrorName(cudaErrorLaunchFailure)) == "cudaErrorLaunchFailure", "%s",
         cudaGetErrorName(cudaErrorLaunchFailure));
  EXPECT(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory", "%s",
         cudaGetErrorString(cudaErrorMemoryAllocation));
  EXPECT(std::string(cudaGetErrorString(cudaSuccess)) == "no error", "%s", cudaGetErrorString(cudaSuccess));
  EXPECT(std::string(cudaGetErrorName(static_cast<cudaError_t>(54321))) == "unrecognized error code", "%s",
         cudaGetErrorName(static_cast<cudaError_t>(54321)));
}

// A fault loses the context: every call says so until cudaDeviceReset, after which the device works again.
void errors_stick(cudaError_t want, void (*fault)()) {
  int* p = nullptr;
  float time = 0;
  cudaEvent_t event;
  CUDA(cudaMalloc(&p, 4));
  CUDA(cudaEventCreate(&event));
  fault();
  CUDA(cudaPeekAtLastError());  // the launch itself was fine
  EXPECT(cudaDeviceSynchronize() == want, "the fault should be %s", cudaGetErrorName(want));
  EXPECT(cudaGetLastError() == want && cudaGetLastError() == want, "the error should stick");
  EXPECT(cudaMalloc(&p, 4) == want && cudaMemset(p, 0, 4) == want && cudaStreamSynchronize(nullptr) == want &&
             cudaEventRecord(event) == want && cudaEventElapsedTime(&time, event, event) == want && cudaFree(p) == want,
         "every call should return %s", cudaGetErrorName(want));
  nothing<<<1, 1>>>();
  EXPECT(cudaGetLastError() == want, "a launch should return %s", cudaGetErrorName(want));
  RETURNS(cudaSuccess, cudaDeviceReset());
  RETURNS(cudaSuccess, cudaGetLastError());
  DeviceArray<int> fresh(256, 0);
  uses_shared<<<1, 256>>>(fresh);
  FINISH_KERNEL();
  SAME(255, fresh.download()[0]);
}

}  // namespace

int main() {
  properties();
  occupancy_and_attributes();
  launches();
  cooperative();
  device_heap();
  refused_by_name();
  names();
  errors_stick(cudaErrorIllegalAddress, [] { write_to<<<1, 1>>>(reinterpret_cast<int*>(0x100)); });
  errors_stick(cudaErrorLaunchFailure, [] { stop<<<1, 1>>>(); });
  errors_stick(cudaErrorMisalignedAddress, [] {
    int* p = nullptr;
    CUDA(cudaMalloc(&p, 8));
    write_to<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(p) + 1));
  });
  return PASS("device");
}
