// Asynchronous copies and mbarriers through CUDA's primitives, cooperative groups and libcu++.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

// -> cp.async.cg.shared.global
// -> cp.async.commit_group
// -> cp.async.wait_group 0
__global__ void pipeline_primitives(float4 *p) {
  __shared__ float4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &p[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  p[threadIdx.x] = tile[31 - threadIdx.x];
}
// -> mbarrier.init.shared.b64
// -> mbarrier.arrive.shared.b64
// -> mbarrier.test_wait.shared.b64
__global__ void barrier_primitives(int *p) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  *p = 1;
}
// -> cp.async.ca.shared.global
__global__ void group_copy(int4 *p) {
  __shared__ int4 tile[64];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, p, sizeof tile);
  cooperative_groups::wait(block);
  p[threadIdx.x] = tile[63 - threadIdx.x];
}
// -> mbarrier.init.shared.b64
// -> mbarrier.arrive.shared.b64
__global__ void library_barrier(int *p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  barrier.arrive_and_wait();
  *p = 1;
}
// -> atom.add.relaxed.gpu.u32
__global__ void atomic_relaxed(cuda::atomic<unsigned, cuda::thread_scope_device> *a) {
  a->fetch_add(1, cuda::memory_order_relaxed);
}
// -> ld.acquire.sys.b32
__global__ void atomic_acquire(cuda::atomic<int, cuda::thread_scope_system> *a, int *p) {
  *p = a->load(cuda::memory_order_acquire);
}
// -> st.release.cta.b32
__global__ void atomic_release(cuda::atomic<int, cuda::thread_scope_block> *a) {
  a->store(1, cuda::memory_order_release);
}
// -> fence.sc.gpu
__global__ void fence_sc(int *p) {
  p[0] = 1;
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  p[1] = 1;
}
