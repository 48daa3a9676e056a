// Sizes, pitches, extents and offsets beyond 64 bits, beyond the device and beyond their allocation: every call of the
// runtime and driver API that takes one answers with an error of CUDA's, whatever the number, and the device goes on.
#include <cuda.h>
#include <sys/mman.h>

#include <chrono>
#include <functional>
#include <vector>

#include "expect.h"

namespace {

using Size = unsigned long long;
constexpr Size most = ~0ull, half = 1ull << 63;

// Each is more than any allocation below has, alone and times 2, 4 or 16; most of them wrap to something small.
const Size absurd[] = {
    most,       most - 7,          most - 255, most - 4095,      half,       half + 4,   half - 1,
    1ull << 62, (1ull << 62) + 16, 1ull << 60, (1ull << 60) + 1, 1ull << 55, 1ull << 40, (1ull << 37) + 1};

char *device, *managed, *pinned;
char host[4096];
cudaArray_t array;
cudaStream_t stream;
__device__ int cells[4];

struct Call {
  const char* name;
  std::function<int(Size)> with;
};

#define CALL(...)                                                      \
  Call {                                                               \
#__VA_ARGS__, [](Size n) { return static_cast<int>(__VA_ARGS__); } \
  }

cudaMemcpy3DParms box(void* to, Size to_pitch, Size to_rows, Size width, Size height, Size depth) {
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(host, 16, 16, 4);
  p.dstPtr = make_cudaPitchedPtr(to, to_pitch, 16, to_rows);
  p.extent = make_cudaExtent(width, height, depth);
  p.kind = cudaMemcpyHostToDevice;
  return p;
}

cudaMemcpy3DParms array_box(Size x, Size y, Size width) {
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(host, 64, 16, 16);
  p.dstArray = array;
  p.dstPos = make_cudaPos(x, y, 0);
  p.extent = make_cudaExtent(width, 1, 1);
  p.kind = cudaMemcpyHostToDevice;
  return p;
}

CUDA_MEMCPY3D driver_box(Size pitch, Size height, Size x, Size z, Size width, Size depth) {
  CUDA_MEMCPY3D p{};
  p.srcMemoryType = CU_MEMORYTYPE_HOST;
  p.srcHost = host;
  p.srcPitch = 64;
  p.srcHeight = 4;
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = reinterpret_cast<CUdeviceptr>(device);
  p.dstPitch = pitch;
  p.dstHeight = height;
  p.dstXInBytes = x;
  p.dstZ = z;
  p.WidthInBytes = width;
  p.Height = 2;
  p.Depth = depth;
  return p;
}

CUdeviceptr at(const char* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

cudaError_t texture(cudaResourceDesc r) {
  cudaTextureObject_t object = 0;
  const cudaTextureDesc t{};
  return cudaCreateTextureObject(&object, &r, &t, nullptr);
}

cudaResourceDesc linear(Size bytes) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = device;
  r.res.linear.sizeInBytes = bytes;
  r.res.linear.desc = cudaCreateChannelDesc<float>();
  return r;
}

cudaResourceDesc plane(Size width, Size height, Size pitch) {
  cudaResourceDesc r{};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = device;
  r.res.pitch2D.width = width;
  r.res.pitch2D.height = height;
  r.res.pitch2D.pitchInBytes = pitch;
  r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  return r;
}

cudaError_t fill_node(Size pitch, Size width, Size height, unsigned element) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaMemsetParams p{};
  p.dst = device;
  p.pitch = pitch;
  p.width = width;
  p.height = height;
  p.elementSize = element;
  const cudaError_t error = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &p);
  CUDA(cudaGraphDestroy(graph));
  return error;
}

cudaError_t copy_node(Size bytes, Size offset, bool symbol) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CUDA(cudaGraphCreate(&graph, 0));
  const cudaError_t error =
      symbol
          ? cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, cells, host, bytes, offset, cudaMemcpyHostToDevice)
          : cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, host, bytes, cudaMemcpyHostToDevice);
  CUDA(cudaGraphDestroy(graph));
  return error;
}

cudaError_t allocation_node(Size bytes) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams p{};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  p.bytesize = bytes;
  const cudaError_t error = cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p);
  CUDA(cudaGraphDestroy(graph));
  return error;
}

cudaError_t box_node(cudaMemcpy3DParms p) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  CUDA(cudaGraphCreate(&graph, 0));
  const cudaError_t error = cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p);
  CUDA(cudaGraphDestroy(graph));
  return error;
}

CUresult driver_copy(CUDA_MEMCPY3D p) {
  return cuMemcpy3D(&p);
}
cudaError_t copy3d(cudaMemcpy3DParms p) {
  return cudaMemcpy3D(&p);
}
CUresult driver_array(Size width, Size height, Size depth) {
  const CUDA_ARRAY3D_DESCRIPTOR d{width, height, depth, CU_AD_FORMAT_FLOAT, 4, 0};
  CUarray made;
  return cuArray3DCreate(&made, &d);
}
cudaError_t new_array(cudaExtent extent, unsigned flags = 0) {
  const auto format = cudaCreateChannelDesc<float4>();
  cudaArray_t made;
  return cudaMalloc3DArray(&made, &format, extent, flags);
}
cudaError_t new_mipmap(cudaExtent extent) {
  const auto format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t made;
  return cudaMallocMipmappedArray(&made, &format, extent, 5);
}

void* nowhere;
size_t pitch;
cudaPitchedPtr pitched;
CUdeviceptr nothing;

const Call allocations[] = {
    CALL(cudaMalloc(&nowhere, n)),
    CALL(cudaMallocHost(&nowhere, n)),
    CALL(cudaHostAlloc(&nowhere, n, cudaHostAllocMapped)),
    CALL(cudaMallocManaged(&nowhere, n)),
    CALL(cudaMallocPitch(&nowhere, &pitch, n, 1)),
    CALL(cudaMallocPitch(&nowhere, &pitch, 1, n)),
    CALL(cudaMallocPitch(&nowhere, &pitch, 512, n)),
    CALL(cudaMallocPitch(&nowhere, &pitch, n, n)),
    CALL(cudaMalloc3D(&pitched, make_cudaExtent(n, 1, 1))),
    CALL(cudaMalloc3D(&pitched, make_cudaExtent(1, n, 1))),
    CALL(cudaMalloc3D(&pitched, make_cudaExtent(1, 1, n))),
    CALL(cudaMalloc3D(&pitched, make_cudaExtent(512, 1ull << 30, n))),
    CALL(cudaMallocAsync(&nowhere, n, stream)),
    CALL(cudaMallocFromPoolAsync(&nowhere, n, nullptr, stream)),
    CALL(allocation_node(n)),
    CALL(new_array({n, 1, 0})),
    CALL(new_array({1, n, 0})),
    CALL(new_array({4, 4, n})),
    CALL(new_array({n, n, n})),
    CALL(new_array({16, 16, n}, cudaArrayLayered)),
    CALL(new_array({n, n, 6}, cudaArrayCubemap)),
    CALL(new_mipmap({n, 16, 0})),
    CALL(new_mipmap({16, n, 0})),
    CALL(cuMemAlloc(&nothing, n)),
    CALL(cuMemAllocPitch(&nothing, &pitch, n, 2, 4)),
    CALL(cuMemAllocPitch(&nothing, &pitch, 2, n, 4)),
    CALL(cuMemAllocManaged(&nothing, n, CU_MEM_ATTACH_GLOBAL)),
    CALL(cuMemAllocHost(&nowhere, n)),
    CALL(cuMemAllocAsync(&nothing, n, nullptr)),
    CALL(driver_array(n, 16, 0)),
    CALL(driver_array(16, n, 0)),
    CALL(driver_array(16, 16, n)),
    CALL(cudaDeviceSetLimit(cudaLimitMallocHeapSize, n)),
    CALL(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, n)),
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, n)),
};

const Call fills[] = {
    CALL(cudaMemset(device, 0, n)),
    CALL(cudaMemset(device + 16, 0, n)),
    CALL(cudaMemset(managed, 0, n)),
    CALL(cudaMemset(pinned, 0, n)),
    CALL(cudaMemsetAsync(device, 0, n, stream)),
    CALL(cudaMemset2D(device, n, 0, 16, 3)),
    CALL(cudaMemset2D(device, 16, 0, n, 3)),
    CALL(cudaMemset2D(device, 16, 0, 16, n)),
    CALL(cudaMemset2D(device, n, 0, n, 1)),
    CALL(cudaMemset2DAsync(device, n, 0, 16, 2, stream)),
    CALL(cudaMemset3D(make_cudaPitchedPtr(device, n, 16, 4), 7, make_cudaExtent(16, 2, 2))),
    CALL(cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, n), 7, make_cudaExtent(16, 2, 3))),
    CALL(cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, n), 7, make_cudaExtent(16, 2, n))),
    CALL(cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, 2), 7, make_cudaExtent(16, 2, n))),
    CALL(cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, 0), 7, make_cudaExtent(16, 1, n))),
    CALL(cudaMemset3DAsync(make_cudaPitchedPtr(device, 16, 16, 2), 7, make_cudaExtent(16, n, 1), stream)),
    CALL(cuMemsetD8(at(device), 0, n)),
    CALL(cuMemsetD16(at(device), 0, n)),
    CALL(cuMemsetD32(at(device), 0, n)),
    CALL(cuMemsetD16Async(at(device), 0, n, nullptr)),
    CALL(cuMemsetD32Async(at(device), 0, n, nullptr)),
    CALL(cuMemsetD2D8(at(device), n, 0, 16, 3)),
    CALL(cuMemsetD2D16(at(device), 16, 0, n, 2)),
    CALL(cuMemsetD2D32(at(device), 16, 0, n, 2)),
    CALL(cuMemsetD2D32(at(device), 16, 0, 4, n)),
    CALL(fill_node(n, 4, 3, 4)),
    CALL(fill_node(16, n, 1, 4)),
    CALL(fill_node(16, n, 2, 2)),
    CALL(fill_node(16, 4, n, 4)),
};

const Call copies[] = {
    CALL(cudaMemcpy(device, host, n, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy(host, device, n, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpy(device, managed, n, cudaMemcpyDefault)),
    CALL(cudaMemcpy(device, device - 1, n, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemcpy(host, host + 1, n, cudaMemcpyHostToHost)),
    CALL(cudaMemcpy(pinned, host, n, cudaMemcpyHostToHost)),
    CALL(cudaMemcpyAsync(device, host, n, cudaMemcpyHostToDevice, stream)),
    CALL(cudaMemcpyAsync(host, device, n, cudaMemcpyDeviceToHost, stream)),
    CALL(cudaMemcpyPeer(device, 0, managed, 0, n)),
    CALL(cudaMemcpyPeerAsync(device, 0, managed, 0, n, stream)),
    CALL(cudaMemcpy2D(device, n, host, 16, 12, 10, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2D(device, 16, host, n, 12, 10, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2D(device, 16, host, 16, n, 10, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2D(device, 16, host, 16, 12, n, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2D(device, n, host, n, n, 1, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2DAsync(device, n, host, 16, 12, 3, cudaMemcpyHostToDevice, stream)),
    CALL(copy3d(box(device, n, 4, 8, 2, 4))),
    CALL(copy3d(box(device, 16, n, 8, 2, 4))),
    CALL(copy3d(box(device, 16, 4, n, 2, 2))),
    CALL(copy3d(box(device, 16, 4, 8, n, 2))),
    CALL(copy3d(box(device, 16, 4, 8, 2, n))),
    CALL(copy3d(array_box(n, 0, 1))),
    CALL(copy3d(array_box(0, n, 1))),
    CALL(copy3d(array_box(0, 0, n))),
    CALL(box_node(box(device, n, n, 8, 2, 4))),
    CALL(box_node(array_box(1, n, n))),
    CALL(copy_node(n, 0, false)),
    CALL(copy_node(4, n, true)),
    CALL(copy_node(n, 8, true)),
    CALL(cudaMemcpyToSymbol(cells, host, n)),
    CALL(cudaMemcpyToSymbol(cells, host, 4, n)),
    CALL(cudaMemcpyToSymbol(cells, host, n, n)),
    CALL(cudaMemcpyFromSymbol(host, cells, n, 8)),
    CALL(cudaMemcpyFromSymbolAsync(host, cells, 8, n)),
    CALL(cudaMemcpyToArray(array, n, 0, host, 16, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpyToArray(array, 0, n, host, 16, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpyToArray(array, 0, 15, host, n, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpyFromArray(host, array, 8, 1, n, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpyFromArray(host, array, n, n, n, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpyArrayToArray(array, n, 0, array, 0, 0, 4, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemcpyArrayToArray(array, 0, 0, array, 0, n, 4, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemcpyArrayToArray(array, 0, 0, array, 0, 0, n, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemcpy2DToArray(array, n, 0, host, 16, 16, 1, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2DToArray(array, 0, n, host, 16, 16, 1, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2DToArray(array, 0, 0, host, n, 16, 2, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2DToArray(array, 0, 0, host, 16, n, 1, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2DToArray(array, 0, 1, host, 16, 16, n, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy2DFromArray(host, 16, array, 0, n, 16, 2, cudaMemcpyDeviceToHost)),
    CALL(cudaMemcpy2DArrayToArray(array, n, 0, array, 0, 0, 16, 2, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemcpy2DArrayToArray(array, 0, 0, array, 0, 0, 16, n, cudaMemcpyDeviceToDevice)),
    CALL(cuMemcpy(at(device), at(managed), n)),
    CALL(cuMemcpyHtoD(at(device), host, n)),
    CALL(cuMemcpyDtoH(host, at(device), n)),
    CALL(cuMemcpyDtoD(at(device), at(device) + n, n)),
    CALL(cuMemcpyHtoA(reinterpret_cast<CUarray>(array), n, host, 16)),
    CALL(cuMemcpyAtoH(host, reinterpret_cast<CUarray>(array), 16, n)),
    CALL(cuMemcpyAtoA(reinterpret_cast<CUarray>(array), n, reinterpret_cast<CUarray>(array), n, n)),
    CALL(driver_copy(driver_box(n, 4, 0, 0, 8, 2))),
    CALL(driver_copy(driver_box(64, n, 0, 0, 8, 2))),
    CALL(driver_copy(driver_box(64, 4, n, 0, 8, 1))),
    CALL(driver_copy(driver_box(64, 4, 0, n, 8, 1))),
    CALL(driver_copy(driver_box(64, 4, 0, 0, n, 1))),
    CALL(driver_copy(driver_box(64, 4, 0, 0, 8, n))),
};

const Call ranges[] = {
    CALL(cudaMemPrefetchAsync(managed, n, 0, stream)),
    CALL(cudaMemPrefetchAsync(managed + 8, n, cudaCpuDeviceId, stream)),
    CALL(cudaMemAdvise(managed, n, cudaMemAdviseSetReadMostly, 0)),
    CALL(cudaMemAdvise(managed + 4095, n, cudaMemAdviseSetPreferredLocation, 0)),
    CALL(cudaMemRangeGetAttribute(host, 4, cudaMemRangeAttributeReadMostly, managed, n)),
    CALL(cudaMemRangeGetAttribute(host, n & ~3ull, cudaMemRangeAttributeAccessedBy, managed, 64)),
    CALL(cudaStreamAttachMemAsync(stream, managed, n)),
    CALL(cudaHostRegister(host, n, cudaHostRegisterDefault)),
    CALL(cudaHostRegister(host, n, cudaHostRegisterIoMemory)),
    CALL(cuMemHostRegister(host, n, 0)),
    CALL(cuMemPrefetchAsync(at(managed), n, 0, nullptr)),
    CALL(cuMemAdvise(at(managed), n, CU_MEM_ADVISE_SET_READ_MOSTLY, 0)),
    CALL(cuMemPrefetchAsync_v2(at(managed), n, CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, 0}, 0, nullptr)),
    CALL(cuMemAdvise_v2(at(managed), n, CU_MEM_ADVISE_SET_READ_MOSTLY, CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, 0})),
    CALL(texture(linear(n))),
    CALL(texture(plane(n, 2, 512))),
    CALL(texture(plane(16, n, 512))),
    CALL(texture(plane(16, 2, n))),
    CALL(texture(plane(n, n, n))),
    CALL(cudaMemPoolSetAccess(nullptr, reinterpret_cast<cudaMemAccessDesc*>(host), n)),
};

template <size_t count>
void try_all(const Call (&calls)[count]) {
  for (const Call& call : calls)
    for (const Size n : absurd) {
      const int error = call.with(n);
      const bool known = error == cudaErrorInvalidValue || error == cudaErrorMemoryAllocation ||
                         error == cudaErrorInvalidPitchValue || error == cudaErrorInvalidDevice;
      EXPECT(known, "%s with %llu (%#llx) gives %s", call.name, n, n,
             cudaGetErrorName(static_cast<cudaError_t>(error)));
      cudaGetLastError();
    }
  RETURNS(cudaSuccess, cudaDeviceSynchronize());
}

/// What is at and just beyond the end of an allocation of 4096 bytes.
void edges() {
  RETURNS(cudaSuccess, cudaMemset(device, 1, 4096));
  RETURNS(cudaErrorInvalidValue, cudaMemset(device, 1, 4097));
  RETURNS(cudaErrorInvalidValue, cudaMemset(device + 1, 1, 4096));
  RETURNS(cudaSuccess, cudaMemset2D(device, 512, 2, 512, 8));
  RETURNS(cudaErrorInvalidValue, cudaMemset2D(device, 512, 2, 512, 9));
  RETURNS(cudaSuccess, cudaMemcpy2D(device + 496, 512, host, 16, 16, 8, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy2D(device + 497, 512, host, 16, 16, 8, cudaMemcpyHostToDevice));
  RETURNS(cudaSuccess, cudaMemPrefetchAsync(managed, 4096, 0, stream));
  RETURNS(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 4097, 0, stream));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(device, host, 0x100000000, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorMemoryAllocation, cudaMallocPitch(&nowhere, &pitch, 1, (1ull << 55) + 1));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy3DAsync(nullptr, stream));
  // Nothing is copied, whatever the pitches.
  RETURNS(cudaSuccess, cudaMemcpy2D(device, most, host, most, 12, 0, cudaMemcpyHostToDevice));
  RETURNS(cudaSuccess, cudaMemset(device, 0, 0));
}

/// Memory that is not there, that nobody may read, and that ends too early.
void host_memory() {
  char* const two =
      static_cast<char*>(mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(two + 2 * 4096, 4096);
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(reinterpret_cast<void*>(0x10000), 8192, 0));
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(two, 3 * 4096, 0));
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(two + 4096, 4097, 0));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(device, two + 4096, 4097, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(two + 2 * 4096, device, 1, cudaMemcpyDeviceToHost));
  RETURNS(cudaSuccess, cudaMemcpy(device, two + 4096, 4096, cudaMemcpyHostToDevice));
  mprotect(two + 4096, 4096, PROT_NONE);
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(two, 2 * 4096, 0));
  mprotect(two + 4096, 4096, PROT_READ);
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(two, 2 * 4096, 0));
  RETURNS(cudaSuccess, cudaHostRegister(two, 2 * 4096, cudaHostRegisterReadOnly));
  RETURNS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(two + 8, 16, 0));
  RETURNS(cudaSuccess, cudaHostUnregister(two));
  munmap(two, 2 * 4096);
  char* freed = nullptr;
  CUDA(cudaMalloc(&freed, 4096));
  CUDA(cudaFree(freed));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(host, freed, 64, cudaMemcpyDefault));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(freed, host, 64, cudaMemcpyDefault));
}

/// Was quadratic: 20,000 took 7 to 10 seconds, either way.
void many_allocations() {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<void*> all(20000);
  for (void*& one : all) CUDA(cudaMalloc(&one, 64));
  for (size_t i = 0; i < all.size(); i += 2) CUDA(cudaFree(all[i]));
  for (size_t i = 0; i < all.size(); i += 2) CUDA(cudaMalloc(&all[i], 600));  // no gap fits
  for (size_t i = all.size(); i-- > 0;) CUDA(cudaFree(all[i]));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT(seconds < 2, "20,000 live allocations should take less than 2 s, took %.2f", seconds);
}

}  // namespace

int main() {
  CUDA(cudaMalloc(&device, 4096));
  CUDA(cudaMallocManaged(&managed, 4096));
  CUDA(cudaMallocHost(&pinned, 4096));
  CUDA(cudaStreamCreate(&stream));
  const auto format = cudaCreateChannelDesc<int>();
  CUDA(cudaMallocArray(&array, &format, 16, 16));
  try_all(allocations);
  try_all(fills);
  try_all(copies);
  try_all(ranges);
  edges();
  host_memory();
  many_allocations();
  return PASS("sizes and ranges");
}
