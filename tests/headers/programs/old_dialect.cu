// A program of the years of CUDA 3 to 5: texture references, launches without a mask between lanes, symbols by variable and by name, the
// cudaThread... calls, volatile warp reductions, spaced launch brackets, every old header by name.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <assert.h>
#include <sys/time.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <device_functions.h>
#include <vector_types.h>
#include <math_functions.h>
#include <sm_20_atomic_functions.h>
#include <cuda_profiler_api.h>
#include <nvToolsExt.h>
#include <nvml.h>
#define BLOCK_SIZE 16
#define NUMBER_PAR_PER_BOX 100
typedef struct { float x, y, z; } FOUR_VECTOR;
texture<float, 1, cudaReadModeElementType> tex_x;
texture<float, 2> tex_2d;
texture<int4, cudaTextureType1D, cudaReadModeElementType> tex4;
__constant__ float c_coef[32];
__device__ float d_total;
void checkCUDAError(const char *msg) {
  cudaError_t err = cudaGetLastError();
  if (cudaSuccess != err) { fprintf(stderr, "Cuda error: %s: %s.\n", msg, cudaGetErrorString(err)); exit(EXIT_FAILURE); }
}
// A device function whose other side calls the runtime: nvcc does not look at that side.
static __device__ cudaError_t copy_words(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
#if defined(__CUDA_ARCH__)
  for (size_t i = 0; i < bytes / 4; ++i) ((volatile int *)to)[i] = ((const int *)from)[i];
  return cudaSuccess;
#else
  return cudaMemcpy(to, from, bytes, kind);
#endif
}
__global__ void copy_kernel(float *to, const float *from) { copy_words(to, from, 16, cudaMemcpyDeviceToDevice); }
__global__ void kernel(float *out, const int n) {
  __shared__ float s[BLOCK_SIZE * BLOCK_SIZE];
  extern __shared__ float dyn[];
  int tid = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
  if (tid >= n) return;
  s[threadIdx.x] = tex1Dfetch(tex_x, tid) * c_coef[tid & 31];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++) s[threadIdx.x] += i;
#pragma unroll 8
  for (int i = 0; i < 4; i++) dyn[threadIdx.x] = s[threadIdx.x];
  out[tid] = dyn[threadIdx.x];
  if (out[tid] < 0) __threadfence();
  atomicAdd(&d_total, 1.0f);
}
__global__ void old_warp(int *v) {
  int x = v[threadIdx.x];
  for (int d = 16; d > 0; d >>= 1) x += __shfl_xor(x, d);
  if (__any(x > 3) && __all(1) && __ballot(1)) v[threadIdx.x] = x + __shfl_down(x, 1) - __shfl_up(x, 1) - __shfl(x, 0);
}
template <typename T> struct SharedMemory {
  __device__ inline operator T *() { extern __shared__ int __smem[]; return (T *)__smem; }
  __device__ inline operator const T *() const { extern __shared__ int __smem[]; return (T *)__smem; }
};
template <class T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce6(T *g_idata, T *g_odata, unsigned int n) {
  T *sdata = SharedMemory<T>();
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockSize * 2 + threadIdx.x, gridSize = blockSize * 2 * gridDim.x;
  T mySum = 0;
  while (i < n) { mySum += g_idata[i]; if (nIsPow2 || i + blockSize < n) mySum += g_idata[i + blockSize]; i += gridSize; }
  sdata[tid] = mySum;
  __syncthreads();
  if (blockSize >= 512) { if (tid < 256) sdata[tid] = mySum = mySum + sdata[tid + 256]; __syncthreads(); }
  if (blockSize >= 256) { if (tid < 128) sdata[tid] = mySum = mySum + sdata[tid + 128]; __syncthreads(); }
  if (blockSize >= 128) { if (tid < 64) sdata[tid] = mySum = mySum + sdata[tid + 64]; __syncthreads(); }
  if (tid < 32) {
    volatile T *smem = sdata;
    smem[tid] = mySum = mySum + smem[tid + 32]; smem[tid] = mySum = mySum + smem[tid + 16]; smem[tid] = mySum = mySum + smem[tid + 8];
    smem[tid] = mySum = mySum + smem[tid + 4]; smem[tid] = mySum = mySum + smem[tid + 2]; smem[tid] = mySum = mySum + smem[tid + 1];
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
int main(int argc, char **argv) {
  int n = 1024, dev = 0, count;
  float *h = (float *)malloc(n * sizeof(float)), *d, *o;
  struct timeval tv; gettimeofday(&tv, NULL);
  cudaDeviceProp prop;
  cudaGetDeviceCount(&count);
  if (count == 0) return 1;
  cudaSetDevice(dev);
  cudaGetDeviceProperties(&prop, dev);
  printf("%s %d.%d %d %d %lu %d %d %d %d\n", prop.name, prop.major, prop.minor, prop.multiProcessorCount, prop.warpSize, (unsigned long)prop.totalGlobalMem, prop.maxThreadsPerBlock, prop.clockRate, prop.memoryClockRate, prop.memoryBusWidth);
  printf("%lu %lu %d %lu %d %d %d %d\n", (unsigned long)prop.sharedMemPerBlock, (unsigned long)prop.totalConstMem, prop.regsPerBlock, (unsigned long)prop.textureAlignment, prop.deviceOverlap, prop.kernelExecTimeoutEnabled, prop.integrated, prop.canMapHostMemory);
  printf("%d %d %d %d %d %d %d %d\n", prop.computeMode, prop.concurrentKernels, prop.ECCEnabled, prop.pciBusID, prop.pciDeviceID, prop.tccDriver, prop.asyncEngineCount, prop.unifiedAddressing);
  printf("%d %d %d %d %d %d %d\n", prop.l2CacheSize, prop.maxThreadsPerMultiProcessor, prop.streamPrioritiesSupported, prop.globalL1CacheSupported, prop.localL1CacheSupported, prop.managedMemory, prop.isMultiGpuBoard);
  printf("%d %d %d %d %d %d %lu %d\n", prop.singleToDoublePrecisionPerfRatio, prop.pageableMemoryAccess, prop.concurrentManagedAccess, prop.computePreemptionSupported, prop.cooperativeLaunch, prop.cooperativeMultiDeviceLaunch, (unsigned long)prop.sharedMemPerBlockOptin, prop.pageableMemoryAccessUsesHostPageTables);
  printf("%d %d %d %d %d %lu %d %d %d\n", prop.maxGridSize[0], prop.maxThreadsDim[2], prop.maxTexture1D, prop.maxTexture2D[1], prop.maxSurface2D[0], (unsigned long)prop.memPitch, prop.maxBlocksPerMultiProcessor, prop.accessPolicyMaxWindowSize, prop.persistingL2CacheMaxSize);
  for (int i = 0; i < n; i++) h[i] = i;
  float coef[32]; for (int i = 0; i < 32; i++) coef[i] = 1;
  cudaMalloc((void **)&d, n * sizeof(float)); cudaMalloc((void **)&o, n * sizeof(float));
  cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(c_coef, coef, sizeof(coef), 0, cudaMemcpyHostToDevice);
  copy_kernel<<<1, 1>>>(o, d);
  float copied[4]; cudaMemcpy(copied, o, sizeof(copied), cudaMemcpyDeviceToHost);
  if (copied[3] != 3) return 1;
  unsigned milliwatts = 0;
  if (nvmlInit() == NVML_SUCCESS || nvmlDeviceGetPowerUsage(NULL, &milliwatts) == NVML_SUCCESS) return 1;
  cudaBindTexture(0, tex_x, d, n * sizeof(float));
  cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1);
  cudaThreadSetCacheConfig(cudaFuncCachePreferShared);
  cudaEvent_t start, stop; cudaEventCreate(&start); cudaEventCreateWithFlags(&stop, cudaEventDefault);
  cudaEventRecord(start, 0);
  dim3 grid(n / 256, 1), block(256, 1, 1);
  kernel<< <grid, block, 256 * sizeof(float)>> >(o, n);
  cudaThreadSynchronize();
  checkCUDAError("kernel");
  cudaEventRecord(stop, 0); cudaEventSynchronize(stop);
  float ms; cudaEventElapsedTime(&ms, start, stop);
  reduce6<float, 128, true><<<4, 128, 64 * sizeof(float) + 128 * sizeof(float)>>>(o, d, n);
  checkCUDAError("reduce");
  float total; cudaMemcpyFromSymbol(&total, d_total, sizeof(float));
  cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);
  float sum = h[0] + h[1] + h[2] + h[3];
  int *iv; cudaMalloc(&iv, 128); cudaMemset(iv, 0, 128); old_warp<<<1, 32>>>(iv);
  nvtxRangePushA("x"); nvtxRangePop(); cudaProfilerStart(); cudaProfilerStop();
  cudaUnbindTexture(tex_x);
  cudaFree(d); cudaFree(o); free(h); cudaEventDestroy(start);
  size_t f, t; cudaMemGetInfo(&f, &t); cuMemGetInfo(&f, &t);
  if (cudaMemcpyToSymbol("c_coef", coef, sizeof(coef)) != cudaSuccess) return puts("a symbol is not found by its name"), 1;
  cudaGetLastError();
  cudaThreadExit();
  const int passed = sum == n * (n - 1) / 2 + 6 * n && total == n;
  printf("%s %g %g\n", passed ? "PASSED" : "FAILED", sum, total);
  return !passed;
}
