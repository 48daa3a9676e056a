// Code that all programs of cuda_source share: the operations, which both sides compile; a thread's state; the
// comparison.
#pragma once
#pragma clang diagnostic ignored "-Wtautological-compare"
#pragma clang diagnostic ignored "-Wunused-function"
#include <cuda.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define BOTH __host__ __device__ static
#define NOINLINE __host__ __device__ static __attribute__((noinline))
#define INLINE __host__ __device__ static inline __attribute__((always_inline))
#define PLAIN __host__ __device__ static
constexpr unsigned input_words = 256, cell_words = 24, own_words = 8;

__device__ unsigned device_input[input_words], device_cells[cell_words];
static unsigned host_input[input_words], host_cells[cell_words];

#ifdef __CUDA_ARCH__
#define input device_input
#define cells device_cells
#define EW_ADD(p, v) atomicAdd(p, v)
#define EW_XOR(p, v) atomicXor(p, v)
#define EW_OR(p, v) atomicOr(p, v)
#define EW_AND(p, v) atomicAnd(p, v)
#define EW_MIN(p, v) atomicMin(p, v)
#define EW_MAX(p, v) atomicMax(p, v)
#define EW_SIDE(device, host) return device
#else
#define input host_input
#define cells host_cells
#define EW_ADD(p, v) (*(p) += (v))
#define EW_XOR(p, v) (*(p) ^= (v))
#define EW_OR(p, v) (*(p) |= (v))
#define EW_AND(p, v) (*(p) &= (v))
#define EW_MIN(p, v) ew_keep(p, v, false)
#define EW_MAX(p, v) ew_keep(p, v, true)
#define EW_SIDE(device, host) return host
#endif

// The lanes of this thread's warp in a block of so many threads.
static __device__ unsigned ew_members(unsigned threads) {
  const unsigned left = threads - (threadIdx.x & ~31u);
  return left < 32 ? (1u << left) - 1 : ~0u;
}
static inline void ew_keep(unsigned* p, unsigned v, bool most) {
  if (most ? v > *p : v < *p) *p = v;
}
static inline unsigned host_reverse(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1u) << (31 - i);
  return r;
}
static inline unsigned host_permute(unsigned a, unsigned b, unsigned s) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= (unsigned)(both >> 8 * (s >> 4 * i & 7u) & 255u) << 8 * i;
  return r;
}
static inline int host_to_int(float x) {
  if (x != x) return 0;
  return x >= 2147483648.f ? 0x7fffffff : x <= -2147483648.f ? (int)0x80000000 : (int)x;
}
BOTH unsigned ew_high(unsigned a, unsigned b) {
  EW_SIDE(__umulhi(a, b), (unsigned)((unsigned long long)a * b >> 32));
}
BOTH unsigned ew_signed_high(unsigned a, unsigned b) {
  EW_SIDE((unsigned)__mulhi((int)a, (int)b), (unsigned)((long long)(int)a * (int)b >> 32));
}
BOTH unsigned ew_least(unsigned a, unsigned b) {
  return a < b ? a : b;
}
BOTH unsigned ew_most(unsigned a, unsigned b) {
  return (int)a > (int)b ? a : b;
}
BOTH unsigned ew_count(unsigned a) {
  EW_SIDE(__popc(a), __builtin_popcount(a));
}
BOTH unsigned ew_leading(unsigned a) {
  EW_SIDE(__clz(a), a ? __builtin_clz(a) : 32);
}
BOTH unsigned ew_reverse(unsigned a) {
  EW_SIDE(__brev(a), host_reverse(a));
}
BOTH unsigned ew_permute(unsigned a, unsigned b, unsigned s) {
  EW_SIDE(__byte_perm(a, b, s), host_permute(a, b, s));
}
BOTH unsigned ew_funnel(unsigned a, unsigned b, unsigned s) {
  EW_SIDE(__funnelshift_l(a, b, s), (unsigned)(((unsigned long long)b << 32 | a) << (s & 31u) >> 32));
}
BOTH unsigned ew_to_int(float x) {
  EW_SIDE((unsigned)__float2int_rz(x), (unsigned)host_to_int(x));
}
BOTH unsigned ew_bits(float x) {
  unsigned u;
  memcpy(&u, &x, 4);
  return x != x ? 5u : u;
}
BOTH unsigned ew_bits_double(double x) {
  unsigned long long u;
  memcpy(&u, &x, 8);
  return x != x ? 5u : (unsigned)(u ^ u >> 32);
}
BOTH float ew_add(float a, float b) {
  EW_SIDE(__fadd_rn(a, b), a + b);
}
BOTH float ew_multiply(float a, float b) {
  EW_SIDE(__fmul_rn(a, b), a * b);
}
BOTH float ew_divide(float a, float b) {
  EW_SIDE(__fdiv_rn(a, b), a / b);
}
BOTH float ew_fma(float a, float b, float c) {
  EW_SIDE(__fmaf_rn(a, b, c), std::fma(a, b, c));
}
BOTH float ew_root(float a) {
  EW_SIDE(__fsqrt_rn(a), std::sqrt(a));
}
BOTH double ew_add_double(double a, double b) {
  EW_SIDE(__dadd_rn(a, b), a + b);
}
BOTH double ew_multiply_double(double a, double b) {
  EW_SIDE(__dmul_rn(a, b), a * b);
}

struct State {
  unsigned tid, block, depth;
  unsigned w[4];
  unsigned long long l[2];
  float f[2];
  double d[1];
  unsigned a[8];
  __host__ __device__ void begin(unsigned t, unsigned b) {
    tid = t, block = b, depth = 3;
    for (unsigned i = 0; i < 4; ++i) w[i] = t * (3 + 7 * i) + b;
    for (unsigned i = 0; i < 2; ++i) l[i] = (t + 1ull) * (0x123456789ull + i), f[i] = (float)(t * (5 + i));
    d[0] = t * 3.0;
    for (unsigned i = 0; i < 8; ++i) a[i] = t * 3 + i;
  }
  __host__ __device__ unsigned fold() const {
    unsigned sum = 17;
    for (const unsigned x : w) sum = sum * 31 + x;
    for (const unsigned long long x : l) sum = sum * 31 + (unsigned)(x ^ x >> 32);
    for (const float x : f) sum = sum * 31 + ew_bits(x);
    for (const unsigned x : a) sum = sum * 31 + x;
    return sum * 31 + ew_bits_double(d[0]);
  }
};

template <class Body>
static void each_warp(std::vector<State>& all, Body body) {
  for (unsigned first = 0; first < all.size(); first += 32) {
    const unsigned left = (unsigned)all.size() - first;
    body(&all[first], left < 32 ? left : 32);
  }
}

struct Entry {
  unsigned long long seed;
  unsigned blocks, threads;
  void (*kernel)(unsigned*);
  void (*emulation)(unsigned*);
  Entry(unsigned long long n, unsigned b, unsigned t, void (*k)(unsigned*), void (*e)(unsigned*));
};
static std::vector<Entry>& entries() {
  static std::vector<Entry> list;
  return list;
}
inline Entry::Entry(unsigned long long n, unsigned b, unsigned t, void (*k)(unsigned*), void (*e)(unsigned*))
    : seed(n), blocks(b), threads(t), kernel(k), emulation(e) {
  entries().push_back(*this);
}

static void fill(std::vector<unsigned>& memory, unsigned* first_cells) {
  for (unsigned i = 0; i < memory.size(); ++i) memory[i] = i * 2654435761u;
  for (unsigned i = 0; i < cell_words; ++i) first_cells[i] = i / 4 == 3 || i / 4 == 4 ? ~0u : 0u;
}

// Kernels and variables of another compiler's module, or of this program.
struct Module {
  CUmodule module = nullptr;

  void load(const char* path) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (cuModuleLoadData(&module, text.c_str()) == CUDA_SUCCESS) return;
    printf("FAIL %s is no module\n", path);
    exit(1);
  }
  void* variable(const char* name, const void* own) const {
    void* address = nullptr;
    CUdeviceptr at = 0;
    size_t size;
    if (!module) cudaGetSymbolAddress(&address, own);
    if (module && cuModuleGetGlobal(&at, &size, module, name) == CUDA_SUCCESS) address = (void*)at;
    return address;
  }
  void launch(const Entry& entry, unsigned* memory) const {
    if (!module) return entry.kernel<<<entry.blocks, entry.threads>>>(memory);
    const std::string plain = "k" + std::to_string(entry.seed);
    const std::string mangled = "_Z" + std::to_string(plain.size()) + plain + "Pj";
    CUfunction kernel;
    void* arguments[] = {&memory};
    if (cuModuleGetFunction(&kernel, module, mangled.c_str()) == CUDA_SUCCESS &&
        cuLaunchKernel(kernel, entry.blocks, 1, 1, entry.threads, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS)
      return;
    printf("FAIL %s cannot be launched\n", mangled.c_str());
    exit(1);
  }
};

static unsigned run_one(const Entry& entry, const Module& module) {
  std::vector<unsigned> expected(entry.blocks * entry.threads * own_words), found(expected.size());
  fill(expected, host_cells);
  unsigned found_cells[cell_words], *device;
  cudaMalloc(&device, expected.size() * 4);
  cudaMemcpy(device, expected.data(), expected.size() * 4, cudaMemcpyHostToDevice);
  void* const cells_at = module.variable("device_cells", &device_cells);
  cudaMemcpy(cells_at, host_cells, sizeof host_cells, cudaMemcpyHostToDevice);
  entry.emulation(expected.data());
  module.launch(entry, device);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    printf("MISMATCH seed %llu kernel k%llu: %s\n", entry.seed, entry.seed, cudaGetErrorString(error));
    exit(1);
  }
  cudaMemcpy(found.data(), device, found.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(found_cells, cells_at, sizeof found_cells, cudaMemcpyDeviceToHost);
  cudaFree(device);
  unsigned differ = 0;
  for (unsigned i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i] || differ++) continue;
    const unsigned thread = i / own_words % entry.threads;
    printf("MISMATCH seed %llu kernel k%llu: block %u, thread %u (lane %u), word %u: expected %08x, found %08x\n",
           entry.seed, entry.seed, i / own_words / entry.threads, thread, thread % 32, i % own_words, expected[i],
           found[i]);
  }
  for (unsigned i = 0; i < cell_words; ++i) {
    if (found_cells[i] == host_cells[i] || differ++) continue;
    printf("MISMATCH seed %llu kernel k%llu: cell %u: expected %08x, found %08x\n", entry.seed, entry.seed, i,
           host_cells[i], found_cells[i]);
  }
  return differ != 0;
}

static int run_all(int count, char** words) {
  unsigned long long state = 12345;
  for (unsigned i = 0; i < input_words; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    host_input[i] = i % 7 == 0    ? 0x7f800000u
                    : i % 11 == 0 ? 0x3f800000u + i
                                  : (unsigned)(state >> 33) * (i % 2 ? 2u : 1u);
  }
  cudaDeviceSetLimit(cudaLimitStackSize, 65536);
  Module module;
  if (count > 2) module.load(words[2]);
  cudaMemcpy(module.variable("device_input", &device_input), host_input, sizeof host_input, cudaMemcpyHostToDevice);
  unsigned run = 0, failed = 0;
  for (const Entry& entry : entries()) {
    const unsigned long long alone = count > 1 ? strtoull(words[1], nullptr, 10) : 0;
    if (alone && entry.seed != alone) continue;
    ++run;
    failed += run_one(entry, module);
  }
  printf("%u kernels of CUDA: %u mismatches\n", run, failed);
  return run == 0 || failed != 0;
}
