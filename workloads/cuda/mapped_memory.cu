// Host memory that kernels reach directly: allocated mapped, registered afterwards, and with unified addresses.
// Exercises: cudaHostAlloc, cudaHostRegister, cudaHostGetDevicePointer, cudaPointerGetAttributes, __threadfence_system,
// atomicAdd_system.
//
// deterministic: yes
#include "check.h"

namespace {

__global__ void scale(const int* in, int* out, int n, int* done) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 3 + 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd_system(done, 1);
}

void expect_host(const void* pointer, const char* what) {
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, pointer));
  EXPECT(attributes.type == cudaMemoryTypeHost, "%s should be host memory (%d), is %d", what, cudaMemoryTypeHost,
         attributes.type);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1000, 1, 1 << 22);
  const int blocks = (n + 127) / 128;
  int *in = nullptr, *device_in = nullptr, *done = nullptr, *device_done = nullptr;
  CUDA(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
  CUDA(cudaHostAlloc(&done, sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
  CUDA(cudaHostGetDevicePointer(&device_in, in, 0));
  CUDA(cudaHostGetDevicePointer(&device_done, done, 0));
  unsigned flags = 0;
  CUDA(cudaHostGetFlags(&flags, done));
  EXPECT((flags & cudaHostAllocMapped) != 0, "the flags should contain mapped (%u), are %u", cudaHostAllocMapped,
         flags);

  constexpr size_t kPage = 4096;
  const size_t bytes = (n * sizeof(int) + kPage - 1) / kPage * kPage;
  int* out = static_cast<int*>(aligned_alloc(kPage, bytes));
  int* device_out = nullptr;
  CUDA(cudaHostRegister(out, bytes, cudaHostRegisterMapped));
  CUDA(cudaHostGetDevicePointer(&device_out, out, 0));
  expect_host(in, "the mapped input");
  expect_host(out, "the registered output");

  Random random(48);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    in[i] = static_cast<int>(random.below(1 << 20));
    want[i] = in[i] * 3 + 1;
  }
  *done = 0;
  std::fill(out, out + n, -1);
  scale<<<blocks, 128>>>(device_in, device_out, n, device_done);
  FINISH_KERNEL();
  EXPECT(*done == blocks, "%d blocks should report, %d did", blocks, *done);
  EXPECT_SAME(want, std::vector<int>(out, out + n), "registered output");

  // With unified addresses the host pointer itself is good on the device, and cudaMemcpyDefault tells the sides apart.
  int unified = 0;
  CUDA(cudaDeviceGetAttribute(&unified, cudaDevAttrUnifiedAddressing, 0));
  EXPECT(unified == 1, "unified addressing should be supported, attribute is %d", unified);
  DeviceArray<int> copy(n, 0);
  scale<<<blocks, 128>>>(in, copy, n, done);
  FINISH_KERNEL();
  EXPECT(*done == 2 * blocks, "%d blocks should have reported, %d did", 2 * blocks, *done);
  CUDA(cudaMemcpy(out, copy.get(), n * sizeof(int), cudaMemcpyDefault));
  EXPECT_SAME(want, std::vector<int>(out, out + n), "output copied back");
  CUDA(cudaHostUnregister(out));
  free(out);
  CUDA(cudaFreeHost(in));
  CUDA(cudaFreeHost(done));
  return PASS("n=%d", n);
}
