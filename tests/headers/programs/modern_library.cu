// A program of today: page cache with cuda::atomic, Thrust and CUB on streams, device lambdas, cuRAND, host threads, occupancy.
#include <cstdio>
#include <cstdint>
#include <iostream>
#include <vector>
#include <memory>
#include <algorithm>
#include <numeric>
#include <chrono>
#include <random>
#include <string>
#include <map>
#include <unordered_map>
#include <functional>
#include <thread>
#include <atomic>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cuda/std/type_traits>
#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/iterator/transform_iterator.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <curand_kernel.h>
#include <cuComplex.h>
#define CHECK(x) do { auto e = (x); if (e != cudaSuccess) throw std::runtime_error(std::string(#x) + cudaGetErrorString(e)); } while (0)
template <typename T> using simt_atomic = cuda::atomic<T, cuda::thread_scope_device>;
enum class State : uint32_t { Invalid, Valid, Busy };
struct alignas(32) CacheLine { simt_atomic<uint32_t> state; simt_atomic<uint64_t> tag; uint8_t pad[12]; };
template <typename T, int N> struct PageCache {
  CacheLine lines[N]; T* data; uint64_t n;
  __forceinline__ __device__ T& get(uint64_t i) {
    CacheLine& l = lines[i % N];
    uint32_t expected = (uint32_t)State::Invalid;
    while (true) {
      expected = l.state.load(cuda::memory_order_acquire);
      if (expected == (uint32_t)State::Valid) break;
      if (expected == (uint32_t)State::Invalid && l.state.compare_exchange_strong(expected, (uint32_t)State::Busy, cuda::memory_order_acq_rel)) {
        l.tag.store(i, cuda::memory_order_relaxed); l.state.store((uint32_t)State::Valid, cuda::memory_order_release); break;
      }
      __nanosleep(100);
    }
    return data[i];
  }
};
namespace simt { using namespace cuda; }
template <typename T> __global__ __launch_bounds__(128, 2) void touch(PageCache<T, 64>* c, uint64_t n) {
  const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
  const uint32_t lane = threadIdx.x & 31, mask = __match_any_sync(__activemask(), i / 8), leader = __ffs(mask) - 1;
  if (i < n) { uint64_t v = 0; if (lane == leader) v = c->get(i / 8 * 8); v = __shfl_sync(mask, v, leader); atomicAdd((unsigned long long*)&c->get(i), (unsigned long long)v + 1); }
}
template <typename F, typename... A> __global__ void apply(F f, A... a) { f(a...); }
__device__ uint64_t ld_volatile(const uint64_t* p) { uint64_t v; asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory"); return v; }
__device__ void st_release(uint32_t* p, uint32_t v) { asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory"); }
__device__ uint32_t smid() { uint32_t r; asm volatile("mov.u32 %0, %smid;" : "=r"(r)); return r; }
struct Functor { int k; __host__ __device__ int operator()(int x) const { return x * k; } };
__global__ void rng(float* out, unsigned long long seed) {
  curandStatePhilox4_32_10_t s; curand_init(seed, threadIdx.x, 0, &s); float4 u = curand_uniform4(&s); float2 nrm = curand_normal2(&s);
  curandState t; curand_init(seed, threadIdx.x, 0, &t); out[threadIdx.x] = u.x + nrm.y * 0 + curand_uniform(&t) * 0 + curand_poisson(&t, 3.0) * 0;
}
template <int D> __global__ void complexes(cuDoubleComplex* z) { z[threadIdx.x] = cuCmul(z[threadIdx.x], make_cuDoubleComplex(0, D)); }
int main() try {
  int dev; CHECK(cudaGetDevice(&dev));
  const int n = 1000;
  PageCache<uint64_t, 64>* c; CHECK(cudaMallocManaged(&c, sizeof *c)); memset((void*)c, 0, sizeof *c);
  CHECK(cudaMalloc(&c->data, n * 8)); CHECK(cudaMemset(c->data, 0, n * 8));
  touch<<<8, 128>>>(c, n); CHECK(cudaDeviceSynchronize());
  int* flag; CHECK(cudaHostAlloc((void**)&flag, 4, cudaHostAllocMapped | cudaHostAllocPortable)); *flag = 0;
  apply<<<1, 32>>>([=] __device__(int a, float b) { if (threadIdx.x == 0) { *flag = a + (int)b; __threadfence_system(); } }, 3, 4.5f);
  CHECK(cudaDeviceSynchronize());
  thrust::device_vector<int> v(n); thrust::sequence(thrust::device, v.begin(), v.end());
  cudaStream_t s; CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  thrust::sort(thrust::cuda::par.on(s), v.begin(), v.end(), thrust::greater<int>());
  int sum = thrust::transform_reduce(thrust::cuda::par.on(s), v.begin(), v.end(), Functor{2}, 0, thrust::plus<int>());
  auto odd = [] __host__ __device__(int x) { return x & 1; };
  auto lam = thrust::reduce(thrust::make_transform_iterator(v.begin(), odd), thrust::make_transform_iterator(v.end(), odd));
  void* tmp = nullptr; size_t bytes = 0; int* out; CHECK(cudaMalloc(&out, 4));
  cub::DeviceReduce::Sum(tmp, bytes, thrust::raw_pointer_cast(v.data()), out, n, s); CHECK(cudaMallocAsync(&tmp, bytes, s)); cub::DeviceReduce::Sum(tmp, bytes, thrust::raw_pointer_cast(v.data()), out, n, s);
  int r; CHECK(cudaMemcpyAsync(&r, out, 4, cudaMemcpyDefault, s)); CHECK(cudaStreamSynchronize(s)); CHECK(cudaFreeAsync(tmp, s));
  float* f; CHECK(cudaMallocManaged(&f, 128)); rng<<<1, 32>>>(f, 1234ULL); CHECK(cudaDeviceSynchronize());
  auto deleter = [](void* p) { cudaFree(p); }; std::unique_ptr<void, decltype(deleter)> guard(f, deleter);
  std::vector<std::thread> threads; std::atomic<int> ok{0};
  for (int t = 0; t < 2; ++t) threads.emplace_back([&] { cudaSetDevice(dev); int* p; if (cudaMalloc(&p, 100) == cudaSuccess && cudaFree(p) == cudaSuccess) ++ok; });
  for (auto& t : threads) t.join();
  CHECK(cudaMemPrefetchAsync(c, sizeof *c, dev, s)); cudaMemAdvise(c, sizeof *c, cudaMemAdviseSetReadMostly, dev);
  int occ; CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, touch<uint64_t>, 128, 0)); int g, b; CHECK(cudaOccupancyMaxPotentialBlockSize(&g, &b, touch<uint64_t>, 0, 0));
  cudaFuncAttributes at; CHECK(cudaFuncGetAttributes(&at, touch<uint64_t>)); CHECK(cudaFuncSetAttribute(touch<uint64_t>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  const bool passed = *flag == 7 && sum == n * (n - 1) && lam == n / 2 && r == n * (n - 1) / 2 && ok == 2;
  std::cout << (passed ? "PASS" : "FAIL") << " " << sum << " " << lam << " " << r << " " << occ << " " << at.numRegs << "\n";
  return !passed;
} catch (const std::exception& e) { std::cerr << e.what() << "\n"; return 1; }
