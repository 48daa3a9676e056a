// Asynchronous copies from global to shared memory, double-buffered: by the pipeline primitives, by raw cp.async with
// groups and with fewer bytes than the slot (zero fill), and by cooperative_groups::memcpy_async. Exercises: cp.async.
//
// build: -arch=sm_80
// deterministic: yes
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline_primitives.h>

#include "check.h"

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = 64;

// out[i] = in[i] * 2 + block, tile after tile; the next tile is on its way while this one is used.
__global__ void by_primitives(const float4* in, float4* out, int tiles) {
  __shared__ float4 buffer[2][kThreads];
  const int t = threadIdx.x, base = blockIdx.x * tiles * kThreads;
  const auto fetch = [&](int tile) {
    __pipeline_memcpy_async(&buffer[tile % 2][t], &in[base + tile * kThreads + t], sizeof(float4));
    __pipeline_commit();
  };
  fetch(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      fetch(tile + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    const float4 v = buffer[tile % 2][kThreads - 1 - t];  // another thread's copy
    out[base + tile * kThreads + kThreads - 1 - t] = make_float4(v.x * 2 + blockIdx.x, v.y * 2, v.z * 2, v.w * 2);
    __syncthreads();
  }
}

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Slots of 16 bytes that receive 0, 4, 8, 12 or 16 of them; the rest must become zero.
__global__ void by_ptx(const char* in, int* out) {
  alignas(16) __shared__ int slots[kThreads][4];
  const int t = threadIdx.x, bytes = t % 5 * 4;
  for (int& word : slots[t]) word = -1;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(slots[t])), "l"(in + 16 * t),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  for (int k = 0; k < 4; ++k) out[4 * t + k] = slots[t][k];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&slots[t][2])), "l"(in + 4 * t)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[4 * kThreads + t] = slots[(t + 1) % kThreads][2];
}

__global__ void by_group(const int* in, int* out, int n) {
  extern __shared__ int cells[];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, cells, in + blockIdx.x * n, sizeof(int) * n);
  cg::wait(block);
  for (int i = threadIdx.x; i < n; i += kThreads) out[blockIdx.x * n + i] = cells[n - 1 - i];
}

}  // namespace

int main(int argc, char** argv) {
  const int tiles = size_argument(argc, argv, 1, 6, 1, 1000);
  constexpr int kBlocks = 3;
  const int n = kBlocks * tiles * kThreads * 4;
  Random random(60);
  std::vector<float> in(n), want(n), got(n);
  for (auto& x : in) x = random.uniform();
  for (int i = 0; i < n; ++i) want[i] = in[i] * 2 + (i % 4 == 0 ? i / (tiles * kThreads * 4) : 0);
  DeviceArray<float> device_in(in), out(n);
  by_primitives<<<kBlocks, kThreads>>>(reinterpret_cast<float4*>(device_in.get()), reinterpret_cast<float4*>(out.get()),
                                       tiles);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "cell by primitives");

  std::vector<int> words(4 * kThreads), want_words(5 * kThreads);
  for (auto& x : words) x = static_cast<int>(random.below(1 << 30));
  for (int t = 0; t < kThreads; ++t) {
    for (int k = 0; k < 4; ++k) want_words[4 * t + k] = k < t % 5 ? words[4 * t + k] : 0;
    want_words[4 * kThreads + t] = words[(t + 1) % kThreads];
  }
  DeviceArray<int> device_words(words), out_words(want_words.size());
  by_ptx<<<1, kThreads>>>(reinterpret_cast<const char*>(device_words.get()), out_words);
  FINISH_KERNEL();
  EXPECT_SAME(want_words, out_words.download(), "word by cp.async");

  constexpr int kEach = 100;
  std::vector<int> cells(kBlocks * kEach), want_cells(cells.size());
  for (auto& x : cells) x = static_cast<int>(random.below(1000));
  for (int i = 0; i < kBlocks * kEach; ++i) want_cells[i] = cells[i / kEach * kEach + kEach - 1 - i % kEach];
  DeviceArray<int> device_cells(cells), out_cells(cells.size());
  by_group<<<kBlocks, kThreads, kEach * sizeof(int)>>>(device_cells, out_cells, kEach);
  FINISH_KERNEL();
  EXPECT_SAME(want_cells, out_cells.download(), "cell by memcpy_async");
  return PASS("tiles=%d", tiles);
}
