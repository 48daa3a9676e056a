// Memory through the API: every kind of allocation, copies of every kind and shape, fills, symbols, managed variables,
// and the error that each mistake gets.
#include "expect.h"

__managed__ int counter = 40;
__managed__ struct {
  int a;
  double b[3];
} record = {1, {2, 3, 4}};
static __managed__ int* pointer_to_managed;
__device__ int cells[6] = {1, 2, 3, 4, 5, 6};
__constant__ float table[4];

namespace {

struct BeforeMain {  // a managed variable has its value before main() and before the first CUDA call
  int seen = counter;
} before_main;

__global__ void use_managed() {
  ++counter;
  record.b[2] = record.a + table[3];
  *pointer_to_managed += 5;
}
__global__ void sum(const unsigned char* bytes, size_t n, unsigned* out) {
  unsigned total = 0;
  for (size_t i = 0; i < n; ++i) total += bytes[i];
  *out = total;
}

unsigned sum_on_device(const void* bytes, size_t n) {
  DeviceArray<unsigned> out(1, 0);
  sum<<<1, 1>>>(static_cast<const unsigned char*>(bytes), n, out);
  FINISH_KERNEL();
  return out.download()[0];
}

void managed_variables() {
  SAME(40, before_main.seen);
  const float values[4] = {0, 0, 0, 0.5f};
  CUDA(cudaMemcpyToSymbol(table, values, sizeof values));
  counter = 7;
  pointer_to_managed = &counter;
  use_managed<<<1, 1>>>();
  FINISH_KERNEL();
  SAME(13, counter);
  EXPECT(record.b[2] == 1.5, "the record should hold 1.5, holds %g", record.b[2]);
  int copy = 0;
  CUDA(cudaMemcpyFromSymbol(&copy, counter, sizeof copy));
  SAME(13, copy);
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, &counter));
  SAME(cudaMemoryTypeManaged, attributes.type);
}

void kinds() {
  void *device = nullptr, *managed = nullptr, *host = nullptr, *async = nullptr;
  CUDA(cudaMalloc(&device, 100));
  CUDA(cudaMallocManaged(&managed, 100));
  CUDA(cudaHostAlloc(&host, 100, cudaHostAllocPortable));
  CUDA(cudaMallocAsync(&async, 100, nullptr));
  std::vector<char> registered(3 * 4096);
  char* middle = registered.data() + 100;
  CUDA(cudaHostRegister(middle, 5000, cudaHostRegisterDefault));
  int plain = 0;
  const struct {
    void* pointer;
    cudaMemoryType type;
    bool on_device, on_host;
  } cases[] = {{device, cudaMemoryTypeDevice, true, false},     {managed, cudaMemoryTypeManaged, true, true},
               {host, cudaMemoryTypeHost, true, true},          {async, cudaMemoryTypeDevice, true, false},
               {middle + 4999, cudaMemoryTypeHost, true, true}, {&plain, cudaMemoryTypeUnregistered, false, true}};
  for (const auto& c : cases) {
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, c.pointer));
    EXPECT(attributes.type == c.type, "case %ld: the type should be %d, is %d", &c - cases, c.type, attributes.type);
    EXPECT((attributes.devicePointer != nullptr) == c.on_device && (attributes.hostPointer != nullptr) == c.on_host,
           "case %ld: device %p, host %p", &c - cases, attributes.devicePointer, attributes.hostPointer);
  }
  std::fill_n(static_cast<char*>(managed), 100, 2);
  SAME(200, sum_on_device(managed, 100));
  std::fill_n(middle, 5000, 1);
  SAME(5000, sum_on_device(middle, 5000));
  RETURNS(cudaErrorInvalidValue, cudaFree(host));
  RETURNS(cudaErrorInvalidValue, cudaFreeHost(device));
  RETURNS(cudaErrorInvalidValue, cudaFree(static_cast<char*>(device) + 1));
  RETURNS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(middle + 10, 10, 0));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(registered.data()));
  RETURNS(cudaErrorInvalidValue, cudaHostUnregister(nullptr));
  CUDA(cudaHostUnregister(middle));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(middle));
  CUDA(cudaFreeAsync(async, nullptr));
  CUDA(cudaFree(managed));
  CUDA(cudaFree(device));
  CUDA(cudaFreeHost(host));
  RETURNS(cudaErrorInvalidValue, cudaFree(device));
  RETURNS(cudaSuccess, cudaFree(nullptr));
  RETURNS(cudaSuccess, cudaFreeHost(nullptr));
}

void sizes() {
  void* p = nullptr;
  size_t free_before = 0, free_after = 0, total = 0, pitch = 0;
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemGetInfo(&free_before, &total));
  EXPECT(free_before <= total && total > 0, "of %zu bytes %zu should be free", total, free_before);
  CUDA(cudaMalloc(&p, 1 << 20));
  CUDA(cudaMemGetInfo(&free_after, &total));
  EXPECT(free_after + (1 << 20) <= free_before, "1 MiB should be taken: %zu, then %zu", free_before, free_after);
  CUDA(cudaFree(p));
  CUDA(cudaMemGetInfo(&free_after, &total));
  SAME(free_before, free_after);
  RETURNS(cudaErrorMemoryAllocation, cudaMalloc(&p, total + 1));
  EXPECT(p == nullptr, "a failed cudaMalloc should leave null");
  RETURNS(cudaSuccess, cudaMalloc(&p, 0));
  EXPECT(p == nullptr, "cudaMalloc of 0 bytes should give null");
  RETURNS(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), 1));
  RETURNS(cudaErrorInvalidValue, cudaMallocManaged(&p, 0));
  RETURNS(cudaErrorInvalidValue, cudaMallocManaged(&p, 4, 77));
  RETURNS(cudaErrorInvalidValue, cudaHostAlloc(&p, 4, 0x100));
  CUDA(cudaMallocPitch(&p, &pitch, 100, 3));
  EXPECT(pitch >= 100 && pitch % 256 == 0, "the pitch of 100 bytes should be a multiple of 256, is %zu", pitch);
  CUDA(cudaFree(p));
  // Many allocations live at once, apart and aligned.
  std::vector<char*> all(500);
  for (size_t i = 0; i < all.size(); ++i) {
    CUDA(cudaMalloc(&all[i], 1 + i * 7));
    EXPECT(reinterpret_cast<size_t>(all[i]) % 256 == 0, "allocation %zu should be aligned to 256, is %p", i, all[i]);
    CUDA(cudaMemset(all[i], static_cast<int>(i), 1 + i * 7));
  }
  for (size_t i = 0; i < all.size(); i += 61) SAME((i % 256) * (1 + i * 7), sum_on_device(all[i], 1 + i * 7));
  for (char* one : all) CUDA(cudaFree(one));
}

void linear_copies() {
  const std::vector<int> want = {5, 6, 7, 8};
  DeviceArray<int> a(want), b(4, 0);
  std::vector<int> got(4);
  CUDA(cudaMemcpy(b, a, 16, cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpy(got.data(), b, 16, cudaMemcpyDefault));
  EXPECT_SAME(want, got, "copied");
  CUDA(cudaMemcpy(got.data(), want.data(), 16, cudaMemcpyHostToHost));
  CUDA(cudaMemcpy(a + 1, a, 12, cudaMemcpyDeviceToDevice));  // overlapping, as memmove
  RETURNS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, got.data(), 16, static_cast<cudaMemcpyKind>(9)));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(got.data(), a, 16, cudaMemcpyHostToHost));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(got.data(), want.data(), 16, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(a, nullptr, 16, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(nullptr, a, 16, cudaMemcpyDeviceToHost));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy(a, want.data(), 17, cudaMemcpyHostToDevice));  // beyond the allocation
  RETURNS(cudaSuccess, cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidResourceHandle,
          cudaMemcpyAsync(a, want.data(), 16, cudaMemcpyHostToDevice, reinterpret_cast<cudaStream_t>(0x1234)));
}

void planes() {
  constexpr int kWidth = 10, kHeight = 4, kDepth = 3;
  unsigned char from[kDepth][kHeight][16], to[kDepth][kHeight][12] = {};
  for (int i = 0; i < kDepth * kHeight * 16; ++i) (&from[0][0][0])[i] = static_cast<unsigned char>(i * 7);
  char* device = nullptr;
  size_t pitch = 0;
  CUDA(cudaMallocPitch(&device, &pitch, kWidth, kHeight));
  CUDA(cudaMemset2D(device, pitch, 0xee, kWidth, kHeight));
  CUDA(cudaMemcpy2D(device, pitch, from, 16, kWidth - 2, kHeight, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy2D(to, 12, device, pitch, kWidth, kHeight, cudaMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < 12; ++x) SAME(x < 8 ? from[0][y][x] : x < 10 ? 0xee : 0, to[0][y][x]);
  RETURNS(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, pitch, from, 8, 10, 1, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 8, from, 16, 10, 2, cudaMemcpyHostToDevice));
  RETURNS(cudaErrorInvalidValue, cudaMemset2D(device, 8, 0, 10, 1));
  RETURNS(cudaErrorInvalidValue, cudaMemset(device, 0, pitch * kHeight + 1));
  RETURNS(cudaErrorInvalidValue, cudaMemset(to, 0, 4));  // not device memory
  CUDA(cudaFree(device));

  cudaPitchedPtr volume;
  CUDA(cudaMalloc3D(&volume, make_cudaExtent(kWidth, kHeight, kDepth)));
  CUDA(cudaMemset3D(volume, 0x11, make_cudaExtent(kWidth, kHeight, kDepth)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(from, 16, 16, kHeight);
  copy.srcPos = make_cudaPos(2, 1, 0);
  copy.dstPtr = volume;
  copy.dstPos = make_cudaPos(1, 0, 1);
  copy.extent = make_cudaExtent(5, 3, 2);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA(cudaMemcpy3D(&copy));
  cudaMemcpy3DParms back = {};
  back.srcPtr = volume;
  back.dstPtr = make_cudaPitchedPtr(to, 12, 12, kHeight);
  back.extent = make_cudaExtent(kWidth, kHeight, kDepth);
  back.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaMemcpy3D(&back));
  for (int z = 0; z < kDepth; ++z)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const bool copied = z >= 1 && y < 3 && x >= 1 && x < 6;
        SAME(copied ? from[z - 1][y + 1][x + 1] : 0x11, to[z][y][x]);
      }
  copy.extent.width = 1000;
  RETURNS(cudaErrorInvalidPitchValue, cudaMemcpy3D(&copy));
  RETURNS(cudaErrorInvalidValue, cudaMemcpy3D(nullptr));
  CUDA(cudaFree(volume.ptr));
}

void symbols() {
  int got[6] = {};
  const int two[2] = {70, 80};
  CUDA(cudaMemcpyToSymbol(cells, two, sizeof two, 2 * sizeof(int)));
  CUDA(cudaMemcpyFromSymbol(got, cells, sizeof got));
  for (int i = 0; i < 6; ++i) SAME(i == 2 ? 70 : i == 3 ? 80 : i + 1, got[i]);
  void* address = nullptr;
  size_t size = 0;
  CUDA(cudaGetSymbolAddress(&address, cells));
  CUDA(cudaGetSymbolSize(&size, cells));
  SAME(24, size);
  CUDA(cudaMemset(address, 0, size));
  CUDA(cudaMemcpyFromSymbolAsync(got, cells, 4, 20, cudaMemcpyDeviceToHost, nullptr));
  SAME(0, got[0]);
  RETURNS(cudaErrorInvalidValue, cudaMemcpyToSymbol(cells, got, 24, 4));
  RETURNS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(cells, got, 4, 0, cudaMemcpyDeviceToHost));
  int local = 0;
  RETURNS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(local, got, 4));
  RETURNS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, static_cast<const void*>("no such symbol")));
  CUDA(cudaMemcpyToSymbol("cells", two, sizeof(int)));  // by name, as before CUDA 5
  CUDA(cudaMemcpyFromSymbol(got, cells, 4));
  SAME(70, got[0]);
}

void pools_and_advice() {
  cudaMemPool_t pool;
  CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long used = 0;
  void* p = nullptr;
  CUDA(cudaMallocAsync(&p, 12345, nullptr));
  CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used >= 12345, "the pool should have 12345 bytes in use, has %llu", used);
  CUDA(cudaFreeAsync(p, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  SAME(0, used);
  RETURNS(cudaErrorInvalidValue, cudaFreeAsync(p, nullptr));
  int* managed = nullptr;
  CUDA(cudaMallocManaged(&managed, 4096));
  CUDA(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, 0));
  CUDA(cudaMemPrefetchAsync(managed, 4096, 0, nullptr));
  int mostly = 0, where = -9;
  CUDA(cudaMemRangeGetAttribute(&mostly, sizeof mostly, cudaMemRangeAttributeReadMostly, managed, 4096));
  CUDA(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeLastPrefetchLocation, managed, 4096));
  SAME(1, mostly);
  SAME(0, where);
  RETURNS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 4096, 3, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 4097, 0, nullptr));
  RETURNS(cudaErrorInvalidValue, cudaMemAdvise(&where, 4, cudaMemAdviseSetReadMostly, 0));
  CUDA(cudaFree(managed));
}

}  // namespace

int main() {
  managed_variables();
  kinds();
  sizes();
  linear_copies();
  planes();
  symbols();
  pools_and_advice();
  CUDA(cudaDeviceReset());
  managed_variables();  // a reset device loads its variables again
  return PASS("memory");
}
