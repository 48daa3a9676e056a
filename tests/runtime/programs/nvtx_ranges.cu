// Ranges of the host that the program names. `tests/runtime/ranges` looks at their simulated times.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

__global__ void increment(int* p) {
  p[threadIdx.x + blockIdx.x * blockDim.x] += 1;
}

static int failed;

static void expect(const char* what, int is, int should) {
  if (is == should) return;
  std::printf("FAIL %s: %d, should be %d\n", what, is, should);
  failed = 1;
}

int main() {
  expect("a pop of nothing", nvtxRangePop() < 0, 1);
  expect("the first range", nvtxRangePushA("all"), 0);
  int* p;
  cudaMalloc(&p, 1 << 20);
  expect("a range inside", nvtxRangePushA("kernel"), 1);
  increment<<<64, 256>>>(p);
  cudaDeviceSynchronize();
  expect("ranges left", nvtxRangePop(), 1);
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "queued";
  nvtxRangePushEx(&attributes);
  increment<<<64, 256>>>(p);
  nvtxRangePop();
  const nvtxRangeId_t id = nvtxRangeStartA("copy");
  static int back[64 * 256];
  cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
  nvtxRangeEnd(id);
  expect("ranges left", nvtxRangePop(), 0);
  if (!failed) std::printf("PASS nvtx_ranges\n");
  return failed;
}
