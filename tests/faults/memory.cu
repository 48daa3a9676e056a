// Accesses that a kernel may not make. A line that ends in "// @name" is one that a report must name.
#include <cstdint>

#include "outcome.h"

__constant__ int table[16] = {1, 2, 3};

namespace {

__device__ int counters[8];
__device__ volatile int opaque_zero;  // hides an index from the compiler

__device__ __noinline__ void put(int* cells, long i, int value) {
  cells[i] = value;  // @put
}

__global__ void store(int* cells, long i) {
  cells[i + threadIdx.x] = 7;  // @store
}

__global__ void store_through_call(int* cells, long i) {
  put(cells, i, 3);  // @call
}

__global__ void load(const int* cells, long i, int* out) {
  *out = cells[i + blockIdx.x];  // @load
}

__global__ void count(int* cells, long i) {
  atomicAdd(&cells[i], 1);  // @count
}

template <class T>
__global__ void store_as(char* bytes, long i) {
  *reinterpret_cast<T*>(bytes + i) = T{};  // @store_as
}

struct Node {
  int value;
  Node* next;
};
__global__ void walk(const Node* node, int* sum) {
  for (int i = 0; i < 3; ++i, node = node->next) *sum += node->value;  // @walk
}

__global__ void shared_static(int i) {
  __shared__ int cells[64];
  cells[threadIdx.x] = 1;
  __syncthreads();
  cells[threadIdx.x + i] = 2;  // @shared_static
  __syncthreads();
  counters[0] = cells[0];
}

__global__ void shared_dynamic(int i) {
  extern __shared__ int dynamic[];
  dynamic[i] = 1;  // @shared_dynamic
  __syncthreads();
  counters[0] = dynamic[0];
}

__global__ void local(long i) {
  int cells[16];
  for (int k = 0; k < 16; ++k) cells[(k + opaque_zero) & 15] = k;
  cells[i + opaque_zero] = 5;  // @local
  counters[0] = cells[opaque_zero];
}

__global__ void read_constant(long i) {
  counters[0] = table[i + threadIdx.x];  // @read_constant
}

__global__ void write_constant(const int* cells, int i) {
  const_cast<volatile int*>(cells)[i] = 5;  // @write_constant
}

__device__ char* volatile kept;

__global__ void free_kept_twice() {
  kept = static_cast<char*>(malloc(64));
  free(kept);
  free(kept);  // @free_kept_twice
}

__global__ void free_inside() {
  kept = static_cast<char*>(malloc(64));
  free(kept + 16);  // @free_inside
}

__global__ void print_from(const char* text) {
  printf("%d %s\n", 1, text);
  printf(const_cast<const char* volatile&>(text));  // @print_from
}

__global__ void sum_vectors(const float4* from, float4* to) {
  to[threadIdx.x] = from[threadIdx.x];  // @sum_vectors
}

void past_end() {
  store<<<2, 64>>>(device(100), 64);
}
void before_begin() {
  store<<<1, 1>>>(device(100), -3);
}
void far_away() {
  store<<<1, 1>>>(device(100), 1L << 40);
}
void straddles_end() {
  store_as<long long><<<1, 1>>>(reinterpret_cast<char*>(device<char>(12)), 8);
}
void in_a_call() {
  store_through_call<<<1, 32>>>(device(100), 100);
}
void read_past_end() {
  load<<<4, 1>>>(device(3), 0, device(1));
}
void atomic_past_end() {
  count<<<1, 96>>>(device(4), 5);
}
void past_a_variable() {
  void* address = nullptr;
  cudaGetSymbolAddress(&address, counters);
  store<<<1, 1>>>(static_cast<int*>(address), 9);
}
void misaligned() {
  store_as<double><<<1, 1>>>(device<char>(64), 4);
}
void misaligned_vector() {
  sum_vectors<<<1, 4>>>(reinterpret_cast<float4*>(device(32) + 1), reinterpret_cast<float4*>(device(32)));
}
void null() {
  store<<<1, 1>>>(nullptr, 0);
}
void null_member() {
  walk<<<1, 1>>>(device<Node>(1), device(1));
}
void freed() {
  int* cells = device(100);
  cudaFree(cells);
  store<<<1, 1>>>(cells, 4);
}
void freed_managed() {
  int* cells = nullptr;
  cudaMallocManaged(&cells, 400);
  cudaFree(cells);
  load<<<1, 1>>>(cells, 2, device(1));
}
void freed_async() {
  int* cells = nullptr;
  cudaMallocAsync(&cells, 400, nullptr);
  store<<<1, 1>>>(cells, 0);
  cudaFreeAsync(cells, nullptr);
  store<<<1, 1>>>(cells, 1);
}
void heap_twice() {
  free_kept_twice<<<1, 1>>>();
}
void heap_interior() {
  free_inside<<<1, 1>>>();
}
int* host_cells = nullptr;  // kept: no leak
void host_malloc() {
  host_cells = static_cast<int*>(malloc(400));
  store<<<1, 1>>>(host_cells, 3);
}
void host_stack() {
  int on_the_stack[4] = {};
  store<<<1, 1>>>(on_the_stack, 1);
}
int host_variable = 3;
void host_global() {
  load<<<1, 1>>>(&host_variable, 0, device(1));
}
void shared_past_end() {
  shared_static<<<2, 64>>>(40);
}
void shared_far() {
  shared_static<<<1, 64>>>(1 << 20);
}
void shared_dynamic_past_end() {
  shared_dynamic<<<1, 1, 64>>>(16);
}
void shared_dynamic_forgotten() {
  shared_dynamic<<<1, 1>>>(0);
}
void local_past_end() {
  local<<<1, 33>>>(1000);
}
void constant_past_end() {
  read_constant<<<1, 32>>>(1L << 20);
}
void constant_write() {
  void* address = nullptr;
  cudaGetSymbolAddress(&address, table);
  write_constant<<<1, 1>>>(static_cast<int*>(address), 3);
}
void parameter_pointer() {
  store<<<1, 1>>>(reinterpret_cast<int*>(0x1234567890ull), 0);
}
void print_bad_string() {
  print_from<<<1, 1>>>(reinterpret_cast<const char*>(0x10));
}
void other_block() {
  store<<<dim3(2, 3, 2), dim3(4, 2, 2)>>>(device(10), 7);
}

void free_twice() {
  int* cells = device(4);
  cudaFree(cells);
  printf("second cudaFree %s\n", cudaGetErrorName(cudaFree(cells)));
}
void free_interior() {
  printf("cudaFree of cells + 1 %s\n", cudaGetErrorName(cudaFree(device(4) + 1)));
}
void free_host_memory() {
  printf("cudaFree of a host pointer %s\n", cudaGetErrorName(cudaFree(&host_variable)));
}
void free_host_twice() {
  void* cells = nullptr;
  cudaMallocHost(&cells, 100);
  cudaFreeHost(cells);
  printf("second cudaFreeHost %s\n", cudaGetErrorName(cudaFreeHost(cells)));
}
void copy_past_end() {
  int* cells = device(4);
  static int host[1 << 16];
  printf("copy in %s\n", cudaGetErrorName(cudaMemcpy(cells, host, sizeof host, cudaMemcpyHostToDevice)));
  printf("copy out %s\n", cudaGetErrorName(cudaMemcpy(host, cells, 17, cudaMemcpyDeviceToHost)));
  printf("copy from null %s\n", cudaGetErrorName(cudaMemcpy(cells, nullptr, 16, cudaMemcpyHostToDevice)));
  printf("memset %s\n", cudaGetErrorName(cudaMemset(cells, 0, 17)));
  cudaFree(cells);
  printf("copy to freed %s\n", cudaGetErrorName(cudaMemcpy(cells, host, 16, cudaMemcpyHostToDevice)));
}

}  // namespace

#define CASE(name) \
  Fault {          \
#name, name    \
  }
FAULTS(CASE(past_end), CASE(before_begin), CASE(far_away), CASE(straddles_end), CASE(in_a_call), CASE(read_past_end),
       CASE(atomic_past_end), CASE(past_a_variable), CASE(misaligned), CASE(misaligned_vector), CASE(null),
       CASE(null_member), CASE(freed), CASE(freed_managed), CASE(freed_async), CASE(heap_twice), CASE(heap_interior),
       CASE(host_malloc), CASE(host_stack), CASE(host_global), CASE(shared_past_end), CASE(shared_far),
       CASE(shared_dynamic_past_end), CASE(shared_dynamic_forgotten), CASE(local_past_end), CASE(constant_past_end),
       CASE(constant_write), CASE(parameter_pointer), CASE(print_bad_string), CASE(other_block), CASE(free_twice),
       CASE(free_interior), CASE(free_host_memory), CASE(free_host_twice), CASE(copy_past_end))
