// What every program of this folder does: runs the fault that its first argument names, then says on standard output
// which codes the program received, whether they stick, and that the program goes on after cudaDeviceReset.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Fault {
  const char* name;
  void (*provoke)();
};

static __global__ void add_one(int* cell) {
  atomicAdd(cell, 1);
}

/// A kernel and three copies: does the device work?
inline const char* try_the_device() {
  int* cell = nullptr;
  int value = 41;
  cudaError_t error = cudaMalloc(&cell, sizeof value);
  if (!error) error = cudaMemcpy(cell, &value, sizeof value, cudaMemcpyHostToDevice);
  if (!error) add_one<<<1, 1>>>(cell);
  if (!error) error = cudaGetLastError();
  if (!error) error = cudaMemcpy(&value, cell, sizeof value, cudaMemcpyDeviceToHost);
  if (!error) error = cudaFree(cell);
  if (error) return cudaGetErrorName(error);
  return value == 42 ? "works" : "is wrong";
}

template <class T = int>
T* device(size_t count) {
  T* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) abort();
  cudaMemset(memory, 0, count * sizeof(T));
  return memory;
}

inline int run_fault(int argc, char** argv, const Fault* faults, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (argc < 2 || strcmp(argv[1], faults[i].name) != 0) continue;
    faults[i].provoke();
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t waited = cudaDeviceSynchronize();
    printf("launch %s, wait %s\n", cudaGetErrorName(launched), cudaGetErrorName(waited));
    cudaGetLastError();
    printf("then the device %s", try_the_device());
    const cudaError_t reset = cudaDeviceReset();
    cudaGetLastError();
    printf("; reset %s, the device %s\n", cudaGetErrorName(reset), try_the_device());
    return 0;
  }
  for (size_t i = 0; i < count; ++i) printf("%s\n", faults[i].name);
  return argc < 2 ? 0 : 2;
}

#define FAULTS(...)                                                          \
  int main(int argc, char** argv) {                                          \
    const Fault faults[] = {__VA_ARGS__};                                    \
    return run_fault(argc, argv, faults, sizeof faults / sizeof(faults[0])); \
  }
