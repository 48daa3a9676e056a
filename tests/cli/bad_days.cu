// The program of tests/cli/bad_days: a kernel; or, of a pool, make FILE [BYTES], check FILE, open FILE. Prints bytes
// that are not UTF-8.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <everwarp/gpm.cuh>

__global__ void fill(char* pool, size_t bytes) {
  for (size_t i = threadIdx.x; i < bytes; i += blockDim.x) pool[i] = 1;
  gpm_persist();
}

int main(int argc, char** argv) {
  if (argc < 3) {
    char* memory = nullptr;
    cudaMalloc(&memory, 4096);
    fill<<<1, 32>>>(memory, 4096);
    printf("bad \xff\xfe text\n");
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  const bool make = !strcmp(argv[1], "make");
  const size_t bytes = argc > 3 ? strtoull(argv[3], nullptr, 10) : 4096;
  char* const pool = static_cast<char*>(gpm_map(argv[2], make ? bytes : 0, make));
  printf("bad \xff\xfe text\n");
  if (!pool) return 2;
  if (!strcmp(argv[1], "check")) return pool[0] != pool[1];
  fill<<<1, 32>>>(pool, make ? bytes : gpm_size(argv[2]));
  const cudaError_t error = cudaDeviceSynchronize();
  return error != cudaSuccess || gpm_unmap(argv[2], pool, bytes) != 0;
}
