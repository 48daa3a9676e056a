// Registers of a device, as a program has them: a page registered with cudaHostRegisterIoMemory. Doorbells come behind
// what was fenced before them, accesses of a thread are seen in its order, and no lane's is combined with another's.
// Nobody stands behind the page but memory. Run under every coherence protocol and consistency model.
#include <cstdlib>

#include "expect.h"

namespace {

constexpr int rounds = 40, words = 64;

__device__ void put(unsigned* to, unsigned value) {
  asm volatile("st.mmio.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ unsigned get(const unsigned* from) {
  unsigned value;
  asm volatile("ld.mmio.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

/// Block 0 fills data and rings; block 1 answers when it has seen all of it.
__global__ void doorbells(unsigned* data, unsigned* registers, unsigned* wrong) {
  unsigned *ring = registers, *answer = registers + 256;
  for (unsigned round = 1; round <= rounds; ++round) {
    if (blockIdx.x == 0) {
      for (int i = 0; i < words; ++i) data[i] = round * 1000 + i;
      __threadfence_system();
      put(ring, round);
      while (get(answer) != round) continue;
    } else {
      while (get(ring) != round) continue;
      __threadfence_system();
      for (int i = 0; i < words; ++i)
        if (data[i] != round * 1000 + i) ++*wrong;
      put(answer, round);
    }
  }
}

/// Two registers in different slices, written one after the other by plain stores, read in the opposite order.
__global__ void in_order(unsigned* registers, unsigned* wrong) {
  volatile unsigned *first = registers, *second = registers + 512;
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= 4 * rounds; ++i) *first = i, *second = i;
  } else {
    unsigned later = 0;
    do {
      later = *second;
      if (*first < later) ++*wrong;
    } while (later != 4 * rounds);
  }
}

/// Every lane its own word, then all of them one, then an atomic.
__global__ void lanes(unsigned* registers) {
  put(registers + threadIdx.x, 100 + threadIdx.x);
  put(registers + 600, get(registers + threadIdx.x) - 100);
  atomicAdd(registers + 700, 1);
}

/// .mmio accesses of device memory see the thread's weak stores and are seen by its weak loads.
__global__ void of_memory(unsigned* memory, unsigned* wrong) {
  unsigned* const mine = memory + blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 1; i <= rounds; ++i) {
    *reinterpret_cast<volatile unsigned*>(mine) = 2 * i;
    if (get(mine) != 2 * i) ++*wrong;
    put(mine, 2 * i + 1);
    if (*mine != 2 * i + 1) ++*wrong;
    *mine = i;
    if (get(mine) != i) ++*wrong;
  }
}

/// One instruction whose lanes write to the host's memory and to the GPU's: each as its memory wants it.
__global__ void two_memories(unsigned* host, unsigned* device, unsigned* wrong) {
  for (unsigned i = 1; i <= rounds; ++i) {
    unsigned before = device[threadIdx.x];
    device[threadIdx.x] = before + 1;
    unsigned* const to = (threadIdx.x & 1 ? device : host) + threadIdx.x;
    *to = 1000 * i + threadIdx.x;
    __syncwarp();
    if (device[threadIdx.x] != (threadIdx.x & 1 ? 1000 * i + threadIdx.x : before + 1)) ++*wrong;
    if (*to != 1000 * i + threadIdx.x) ++*wrong;
  }
}

}  // namespace

int main() {
  unsigned *device = nullptr, *mapped = nullptr, *wrong = nullptr;
  auto* const registers = static_cast<unsigned*>(std::aligned_alloc(4096, 4096));
  for (int i = 0; i < 1024; ++i) registers[i] = 0;
  CUDA(cudaHostRegister(registers, 4096, cudaHostRegisterIoMemory));
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, registers));
  SAME(cudaMemoryTypeHost, attributes.type);
  unsigned* seen = nullptr;
  CUDA(cudaHostGetDevicePointer(reinterpret_cast<void**>(&seen), registers, 0));
  CUDA(cudaMalloc(&device, 4096));
  CUDA(cudaMemset(device, 0, 4096));
  CUDA(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped));
  CUDA(cudaMallocManaged(&wrong, 4));
  *wrong = 0;

  doorbells<<<2, 1>>>(device, seen, wrong);
  CUDA(cudaDeviceSynchronize());
  SAME(0, *wrong);
  SAME(rounds, registers[0]);

  in_order<<<2, 1>>>(seen, wrong);
  CUDA(cudaDeviceSynchronize());
  SAME(0, *wrong);

  lanes<<<1, 32>>>(seen);
  lanes<<<1, 32>>>(seen);
  CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 32; ++i) SAME(100 + i, registers[i]);
  SAME(31, registers[600]);
  SAME(64, registers[700]);

  of_memory<<<2, 64>>>(device, wrong);
  CUDA(cudaDeviceSynchronize());
  SAME(0, *wrong);
  two_memories<<<1, 32>>>(mapped, device, wrong);
  CUDA(cudaDeviceSynchronize());
  SAME(0, *wrong);

  CUDA(cudaHostUnregister(registers));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(registers));
  return PASS("rounds=%d", rounds);
}
