// What the fuzzer of the command line runs: a kernel on a machine, a pool mapped, a PTX file loaded and each of its
// kernels launched. Status 0, or 1 with a message: its own, or Everwarp's.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cctype>
#include <cstdio>
#include <cstring>
#include <everwarp/gpm.cuh>
#include <fstream>
#include <iterator>
#include <string>

__global__ void add(int* sum, int n) {
  __shared__ int part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&part, sum[i % 64]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part);
}

static int end(const char* what, int error) {
  if (error) fprintf(stderr, "subject: %s gives %d\n", what, error);
  return error != 0;
}

static int load(const char* path) {
  CUmodule module;
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  if (const int error = cuModuleLoad(&module, path)) return end("cuModuleLoad", error);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CUdeviceptr memory;
  cuMemAlloc(&memory, 1 << 16);
  for (size_t at = text.find(".entry"); at != text.npos; at = text.find(".entry", at + 1)) {
    size_t begin = at + 6, last;
    while (begin < text.size() && isspace(static_cast<unsigned char>(text[begin]))) ++begin;
    for (last = begin;
         last < text.size() && (isalnum(static_cast<unsigned char>(text[last])) || strchr("_$%", text[last]));)
      ++last;
    CUfunction function;
    if (cuModuleGetFunction(&function, module, text.substr(begin, last - begin).c_str())) continue;
    CUdeviceptr parameters[512];
    for (CUdeviceptr& one : parameters) one = memory;
    size_t bytes = sizeof parameters;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra);
    if (const int error = cuCtxSynchronize()) return end("cuCtxSynchronize", error);
  }
  return 0;
}

/// A pool for the fuzzer to change.
static int make(const char* path, bool names) {
  void* const pool = names ? pm_map(path, 1 << 16, true) : gpm_map(path, 1 << 14, true);
  if (!pool) return 1;
  if (names && (!pm_alloc(pool, "first", 1000) || !pm_alloc(pool, "second", 5000))) return 1;
  add<<<1, 32>>>(static_cast<int*>(names ? pm_open(pool, "first", nullptr) : pool), 8);
  const int error = cudaDeviceSynchronize();
  return end("gpm_unmap", error | gpm_unmap(path, pool, 0));
}

int main(int argc, char** argv) {
  if (argc == 4 && !strcmp(argv[1], "make")) return make(argv[2], !strcmp(argv[3], "names"));
  if (argc == 3 && !strcmp(argv[1], "load")) return load(argv[2]);
  if (argc == 3 && !strcmp(argv[1], "pool")) {
    int* const pool = static_cast<int*>(gpm_map(argv[2], 0, false));
    if (!pool) return 1;
    add<<<1, 32>>>(pool, 8);
    return end("a kernel on the pool", cudaDeviceSynchronize());
  }
  int* sum = nullptr;
  if (const int error = cudaMalloc(&sum, 256)) return end("cudaMalloc", error);
  cudaMemset(sum, 1, 256);
  add<<<4, 64>>>(sum, 256);
  if (const int error = cudaDeviceSynchronize()) return end("cudaDeviceSynchronize", error);
  int value = 0;
  return end("cudaMemcpy", cudaMemcpy(&value, sum, 4, cudaMemcpyDeviceToHost));
}
