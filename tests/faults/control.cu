// Kernels that stop where they may not, or never stop. A line that ends in "// @name" is one that a report must name.
#include <cooperative_groups.h>

#include <cassert>

#include "outcome.h"

namespace cg = cooperative_groups;

__device__ float sampled;

namespace {

__device__ int sink;
__device__ volatile int opaque_zero;

__device__ __noinline__ int descend(int depth) {
  volatile int frame[32];
  frame[depth & 31] = depth;
  if (depth < 0) return frame[0];
  return descend(depth + 1) + frame[depth & 31];  // @descend
}
__global__ void recurse() {
  sink = descend(opaque_zero);  // @recurse
}

__global__ void trap_at(int block) {
  if (blockIdx.x == block) __trap();  // @trap
}

__global__ void asserts(int limit) {
  assert(threadIdx.x < limit && "a small thread");  // @assert
}

__global__ void half_arrives(int threads) {
  if (threadIdx.x < threads) asm volatile("bar.sync 0, 128;");  // @half_arrives
}

__global__ void two_barriers() {
  if (threadIdx.x < 32) {
    asm volatile("bar.sync 1, 64;");  // @barrier_one
  } else {
    asm volatile("bar.sync 2, 64;");  // @barrier_two
  }
}

__device__ __noinline__ void wait_inside() {
  asm volatile("bar.sync 3, 96;");  // @wait_inside
}
__global__ void waits_in_a_call() {
  if (threadIdx.y >= 2) wait_inside();  // @call_wait
}

__global__ void warp_waits() {
  if (threadIdx.x % 2 == 0) {
    __syncwarp(0x0000ffff);  // @even_lanes
  } else {
    asm volatile("bar.sync 1, 64;");  // @odd_lanes
  }
}

__global__ void odd_count() {
  asm volatile("bar.sync 0, 33;");  // @odd_count
}

__global__ void barrier_number(int number) {
  asm volatile("bar.sync %0;" ::"r"(number));  // @barrier_number
}

__global__ void grid_without_one() {
  if (blockIdx.x == 2) return;
  cg::this_grid().sync();  // @grid_without_one
}

__global__ void grid_and_block() {
  if (blockIdx.x == 1 && threadIdx.x < 32) asm volatile("bar.sync 5, 64;");  // @grid_and_block
  cg::this_grid().sync();                                                    // @grid_after_block
}

__global__ void grid_with_a_late_block() {
  if (blockIdx.x == 2)
    for (int i = 0; i < 200000; ++i) sampled = sampled * 0.5f + i;
  cg::this_grid().sync();
}

__global__ void endless(volatile int* flag) {
  while (*flag == 0) sink = sink + 1;  // @endless
}

typedef int (*Function)(int);
__device__ __noinline__ int twice(int x) {
  return 2 * x;
}
__device__ Function table[2] = {twice, nullptr};
__global__ void call_indirectly(long shift) {
  const Function f = reinterpret_cast<Function>(reinterpret_cast<long>(table[opaque_zero]) + shift);
  sink = f(3);  // @call_indirectly
}
__global__ void call_null() {
  sink = table[1 + opaque_zero](3);  // @call_null
}

__global__ void fetch(cudaTextureObject_t texture) {
  sampled = tex2D<float>(texture, 0.5f, 0.5f);  // @fetch
}
__global__ void write_surface(cudaSurfaceObject_t surface, int x) {
  surf2Dwrite(1.0f, surface, x * 4, 0);  // @write_surface
}

void stack() {
  recurse<<<1, 2>>>();
}
void large_stack() {
  cudaDeviceSetLimit(cudaLimitStackSize, 65536);
  recurse<<<1, 1>>>();
}
void trap() {
  trap_at<<<4, 32>>>(3);
}
void failed_assert() {
  asserts<<<2, 4>>>(2);
}
void wrong_count() {
  half_arrives<<<2, 96>>>(64);
}
void crossed_barriers() {
  two_barriers<<<1, 64>>>();
}
void barrier_in_a_call() {
  waits_in_a_call<<<dim3(1, 2), dim3(16, 4)>>>();
}
void warp_against_barrier() {
  warp_waits<<<1, 64>>>();
}
void odd_barrier_count() {
  odd_count<<<1, 64>>>();
}
void no_such_barrier() {
  barrier_number<<<1, 32>>>(16);
}
void cooperative(const void* kernel, int blocks) {
  cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(64), nullptr, 0, nullptr);
}
void grid_barrier() {
  cooperative(reinterpret_cast<void*>(grid_without_one), 4);
}
void grid_barrier_and_block() {
  cooperative(reinterpret_cast<void*>(grid_and_block), 3);
}
void grid_barrier_plain_launch() {
  grid_without_one<<<2, 32>>>();
}
void grid_barrier_late() {
  cooperative(reinterpret_cast<void*>(grid_with_a_late_block), 4);
}
void never_ends() {
  endless<<<1, 32>>>(device(1));
}  // under EVERWARP_MAX_INSTRUCTIONS
void bad_call() {
  call_indirectly<<<1, 32>>>(4);
}
void null_call() {
  call_null<<<1, 1>>>();
}

void no_texture() {
  fetch<<<1, 1>>>(12345);
}
void destroyed_texture() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 8, 8);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaDestroyTextureObject(texture);
  fetch<<<1, 1>>>(texture);
}
void freed_array() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 8, 8);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaFreeArray(array);
  fetch<<<1, 1>>>(texture);
}
void outside_surface() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  write_surface<<<1, 1>>>(surface, 8);
}

}  // namespace

#define CASE(name) \
  Fault {          \
#name, name    \
  }
FAULTS(CASE(stack), CASE(large_stack), CASE(trap), CASE(failed_assert), CASE(wrong_count), CASE(crossed_barriers),
       CASE(barrier_in_a_call), CASE(warp_against_barrier), CASE(odd_barrier_count), CASE(no_such_barrier),
       CASE(grid_barrier), CASE(grid_barrier_and_block), CASE(grid_barrier_plain_launch), CASE(grid_barrier_late),
       CASE(never_ends), CASE(bad_call), CASE(null_call), CASE(no_texture), CASE(destroyed_texture), CASE(freed_array),
       CASE(outside_surface))
