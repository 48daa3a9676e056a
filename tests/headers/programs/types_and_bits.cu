// Sizes and alignments of the vector types, bit casts and conversions, address spaces, integer and SIMD intrinsics, caching
// loads and stores, funnel shifts, permutations, clocks: each against plain C++.
#include <cuda_runtime.h>
#include <math_constants.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "test.h"

#define LAYOUT(type, size, alignment) static_assert(sizeof(type) == size && alignof(type) == alignment, #type)
LAYOUT(char1, 1, 1); LAYOUT(char2, 2, 2); LAYOUT(char3, 3, 1); LAYOUT(char4, 4, 4);
LAYOUT(uchar1, 1, 1); LAYOUT(uchar2, 2, 2); LAYOUT(uchar3, 3, 1); LAYOUT(uchar4, 4, 4);
LAYOUT(short1, 2, 2); LAYOUT(short2, 4, 4); LAYOUT(short3, 6, 2); LAYOUT(short4, 8, 8);
LAYOUT(ushort1, 2, 2); LAYOUT(ushort2, 4, 4); LAYOUT(ushort3, 6, 2); LAYOUT(ushort4, 8, 8);
LAYOUT(int1, 4, 4); LAYOUT(int2, 8, 8); LAYOUT(int3, 12, 4); LAYOUT(int4, 16, 16);
LAYOUT(uint1, 4, 4); LAYOUT(uint2, 8, 8); LAYOUT(uint3, 12, 4); LAYOUT(uint4, 16, 16);
LAYOUT(long1, 8, 8); LAYOUT(long2, 16, 16); LAYOUT(long3, 24, 8); LAYOUT(long4, 32, 16);
LAYOUT(ulong1, 8, 8); LAYOUT(ulong2, 16, 16); LAYOUT(ulong3, 24, 8); LAYOUT(ulong4, 32, 16);
LAYOUT(longlong1, 8, 8); LAYOUT(longlong2, 16, 16); LAYOUT(longlong3, 24, 8); LAYOUT(longlong4, 32, 16);
LAYOUT(ulonglong1, 8, 8); LAYOUT(ulonglong2, 16, 16); LAYOUT(ulonglong3, 24, 8); LAYOUT(ulonglong4, 32, 16);
LAYOUT(float1, 4, 4); LAYOUT(float2, 8, 8); LAYOUT(float3, 12, 4); LAYOUT(float4, 16, 16);
LAYOUT(double1, 8, 8); LAYOUT(double2, 16, 16); LAYOUT(double3, 24, 8); LAYOUT(double4, 32, 16);
LAYOUT(dim3, 12, 4);

namespace {

__constant__ int constant_word = 17;
__device__ int global_word = 18;

__host__ __device__ uint32_t next(uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state ^ state >> 15;
}

__global__ void vectors(float4* out) {
  const int i = threadIdx.x;
  float4 v = make_float4(i, i + 1, i + 2, i + 3);
  out[i] = v;
  const float4 back = __ldcg(&out[i]);
  EXPECT(back.x == v.x && back.w == v.w && make_char4(1, 2, 3, -4).w == -4 && make_ulonglong2(1, ~0ull).y == ~0ull);
  EXPECT(make_double3(1, 2, 3).z == 3 && make_ushort3(1, 2, 65535).z == 65535 && dim3(5).y == 1);
}

__global__ void casts() {
  EXPECT(__float_as_int(-0.0f) == INT32_MIN && __int_as_float(0x7f800000) == CUDART_INF_F && isnan(CUDART_NAN));
  EXPECT(__float_as_uint(1.0f) == 0x3f800000u && __uint_as_float(0x40490fdbu) == CUDART_PI_F);
  EXPECT(__double_as_longlong(1.0) == 0x3ff0000000000000ll && __longlong_as_double(0x400921fb54442d18ll) == CUDART_PI);
  EXPECT(__double2hiint(CUDART_PI) == 0x400921fb && __double2loint(CUDART_PI) == 0x54442d18);
  EXPECT(__hiloint2double(0x400921fb, 0x54442d18) == CUDART_PI);
  volatile float big = 3e9f, odd = -2.5f, nan = CUDART_NAN_F;
  EXPECT(__float2int_rn(big) == INT32_MAX && __float2int_rz(nan) == 0 && __float2int_rn(odd) == -2 && __float2int_ru(odd) == -2 &&
         __float2int_rd(odd) == -3 && __float2uint_rz(odd) == 0 && __float2ll_rn(big) == 3000000000ll);
  volatile double huge = 1e300;
  EXPECT(__double2int_rz(huge) == INT32_MAX && __double2ull_rn(huge) == ~0ull && __double2float_rz(huge) == FLT_MAX && __double2float_rn(huge) == CUDART_INF_F);
  volatile int odd_int = 16777217;
  EXPECT(__int2float_rn(odd_int) == 16777216.f && __int2float_ru(odd_int) == 16777218.f && __int2float_rz(-odd_int) == -16777216.f && __int2float_rd(-odd_int) == -16777218.f);
  volatile long long wide = (1ll << 53) + 1;
  EXPECT(__ll2double_rn(wide) == 0x1p53 && __ll2double_ru(wide) == 0x1p53 + 2 && __ll2float_rz(wide) == 0x1p53f);
}

__global__ void spaces(int* heap) {
  __shared__ int shared_word;
  int local_word[3] = {1, 2, int(threadIdx.x)};
  EXPECT(__isShared(&shared_word) && !__isGlobal(&shared_word) && __isGlobal(heap) && __isGlobal(&global_word));
  EXPECT(__isLocal(local_word + local_word[2] % 3) && !__isShared(local_word) && __isConstant(&constant_word));
  shared_word = 5;
  const unsigned window = static_cast<unsigned>(__cvta_generic_to_shared(&shared_word));
  int seen;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(seen) : "r"(window) : "memory");
  EXPECT(seen == 5 && __cvta_shared_to_generic(window) == &shared_word);
  EXPECT(*static_cast<int*>(__cvta_global_to_generic(__cvta_generic_to_global(&global_word))) == 18);
}

__global__ void integers() {
  uint32_t state = 77 + threadIdx.x;
  for (int round = 0; round < 40; ++round) {
    const uint32_t a = next(state), b = next(state), s = next(state) % 70;
    const uint64_t both = uint64_t(a) << 32 | b;
    int bits = 0, leading = 0;
    uint32_t reversed = 0;
    for (int i = 0; i < 32; ++i) bits += a >> i & 1, reversed |= (a >> i & 1) << (31 - i);
    while (leading < 32 && !(a >> (31 - leading) & 1)) ++leading;
    EXPECT(__popc(a) == bits && __brev(a) == reversed && __clz(a) == leading && __clz(0) == 32 && __clzll(0) == 64);
    EXPECT(__ffs(a) == (a ? 32 - __clz(a & -a) : 0) && __ffsll(uint64_t(a) << 32) == (a ? __ffs(a) + 32 : 0) && __popcll(both) == __popc(a) + __popc(b));
    EXPECT(__umulhi(a, b) == uint32_t(uint64_t(a) * b >> 32) && __mulhi(int(a), int(b)) == int(int64_t(int(a)) * int(b) >> 32));
    EXPECT(__umul64hi(both, both) == uint64_t((unsigned __int128)both * both >> 64));
    EXPECT(__mul24(a, b) == int(uint32_t(int(a << 8) >> 8) * uint32_t(int(b << 8) >> 8)) && __umul24(a, b) == (a & 0xffffff) * (b & 0xffffff));
    EXPECT(__sad(int(a), int(b), s) == uint32_t(llabs((long long)int(a) - int(b))) + s && __usad(a, b, s) == (a > b ? a - b : b - a) + s);
    EXPECT(__hadd(int(a), int(b)) == int((int64_t(int(a)) + int(b)) >> 1) && __rhadd(int(a), int(b)) == int((int64_t(int(a)) + int(b) + 1) >> 1));
    EXPECT(__uhadd(a, b) == uint32_t((uint64_t(a) + b) >> 1) && __urhadd(a, b) == uint32_t((uint64_t(a) + b + 1) >> 1));
    EXPECT(__funnelshift_l(b, a, s) == uint32_t(both << s % 32 >> 32) && __funnelshift_r(b, a, s) == uint32_t(both >> s % 32));
    EXPECT(__funnelshift_lc(b, a, s) == (s >= 32 ? b : uint32_t(both << s >> 32)) && __funnelshift_rc(b, a, s) == (s >= 32 ? a : uint32_t(both >> s)));
    uint32_t permuted = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t pick = s * 2654435761u >> 4 * i & 7;
      permuted |= (pick < 4 ? b >> 8 * pick & 255 : a >> 8 * (pick & 3) & 255) << 8 * i;
    }
    EXPECT(__byte_perm(b, a, s * 2654435761u) == permuted);
    int dot = 5;
    unsigned udot = 5;
    for (int i = 0; i < 4; ++i) dot += int8_t(a >> 8 * i) * int8_t(b >> 8 * i), udot += (a >> 8 * i & 255) * (b >> 8 * i & 255);
    EXPECT(__dp4a(int(a), int(b), 5) == dot && __dp4a(a, b, 5u) == udot);
    EXPECT(__dp2a_lo(int(a), int(b), 1) == 1 + int16_t(a) * int8_t(b) + int16_t(a >> 16) * int8_t(b >> 8));
    EXPECT(__dp2a_hi(a, b, 1u) == 1 + (a & 65535) * (b >> 16 & 255) + (a >> 16) * (b >> 24));
    uint32_t sums = 0, saturated = 0, larger = 0, equal = 0, distance = 0;
    for (int i = 0; i < 4; ++i) {
      const int x = a >> 8 * i & 255, y = b >> 8 * i & 255;
      sums |= uint32_t(x + y & 255) << 8 * i, saturated |= uint32_t(min(x + y, 255)) << 8 * i, larger |= uint32_t(max(x, y)) << 8 * i;
      equal |= uint32_t(int8_t(x) > int8_t(y) ? 255 : 0) << 8 * i, distance += abs(x - y);
    }
    EXPECT(__vadd4(a, b) == sums && __vaddus4(a, b) == saturated && __vmaxu4(a, b) == larger && __vcmpgts4(a, b) == equal && __vsadu4(a, b) == distance);
    EXPECT(__vsub2(a, b) == ((a - b & 0xffff) | ((a >> 16) - (b >> 16)) << 16) && __vabsdiffu4(a, b) == __vsub4(__vmaxu4(a, b), __vminu4(a, b)));
    EXPECT(__vavgu4(a, b) == (__vavgu4(b, a)) && __vneg4(__vneg4(a)) == a && __vseteq4(a, a) == 0x01010101u);
  }
  EXPECT(umin(3u, ~0u) == 3 && umax(3u, ~0u) == ~0u && llmin(-1, 1ll << 40) == -1 && llmax(-1, 1ll << 40) == 1ll << 40 && ullmin(~0ull, 2) == 2 && ullmax(~0ull, 2) == ~0ull);
  const uint32_t lanes = __fns(0xf0f0u, 0, 3);
  EXPECT(lanes == 6 && __fns(0xf0f0u, 15, -1) == 15);
}

__global__ void cached(int* data, double2* wide) {
  const int i = threadIdx.x;
  __stcg(&data[i], i), __stcs(&data[i + 32], i + 1), __stwt(&data[i + 64], i + 2), __stwb(&data[i + 96], i + 3);
  __stcs(&wide[i], make_double2(i, -i));
  __syncthreads();
  EXPECT(__ldcg(&data[31 - i]) == 31 - i && __ldcs(&data[63 - i]) == 32 - i && __ldca(&data[95 - i]) == 33 - i && __ldcv(&data[127 - i]) == 34 - i);
  EXPECT(__ldlu(&data[i]) == i && __ldcv(&wide[i]).y == -i && __ldcs(&wide[i]).x == i);
}
__global__ void read_only(const int* data, const float4* v, const char2* c) {
  EXPECT(__ldg(&data[threadIdx.x]) == int(threadIdx.x) && __ldg(v).w == 4 && __ldg(c).y == -2);
}

__global__ void times(long long* seen) {
  const long long a = clock64();
  const clock_t c = clock();
  __nanosleep(200);
  const long long b = clock64();
  unsigned long long t0, t1;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
  __nanosleep(2000);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
  EXPECT(b >= a && clock() >= c && t1 >= t0 + 1000);
  seen[0] = b - a;
}

__global__ void rounded() {
  volatile float one = 1, tiny = 0x1p-30f, third = 3;
  EXPECT(__fadd_rn(one, tiny) == 1 && __fadd_ru(one, tiny) == 1 + 0x1p-23f && __fsub_rd(one, tiny) == 1 - 0x1p-24f && __fsub_rz(one, tiny) == 1 - 0x1p-24f);
  EXPECT(__fdiv_ru(one, third) > __fdiv_rd(one, third) && __frcp_rn(third) == 1.0f / 3 && __fmaf_rn(third, third, -9.0f) == 0);
  EXPECT(__fsqrt_rd(2.0f) < __fsqrt_ru(2.0f) && __dadd_ru(1.0, 0x1p-60) == 1 + 0x1p-52 && __dmul_rz(1 + 0x1p-52, 1 + 0x1p-52) == 1 + 0x1p-51);
  EXPECT(__ddiv_rn(1.0, 3.0) == 1.0 / 3 && __drcp_rn(3.0) == 1.0 / 3 && __dsqrt_rn(2.0) == sqrt(2.0) && __fma_rn(0.1, 10.0, -1.0) == fma(0.1, 10.0, -1.0));
  EXPECT(__saturatef(1.5f) == 1 && __saturatef(-2.f) == 0 && __saturatef(CUDART_NAN_F) == 0 && __fdividef(6.f, 3.f) == 2 && __frsqrt_rn(4.f) == 0.5f);
  volatile float above = 0x1p127f;
  EXPECT(__fdividef(1.0f, above) == 0);
}

// alignas behind a memory space takes a number or a type, also one that depends on a template.
template <class T, int Count>
struct alignas(T) Bytes {
  char byte[Count * sizeof(T)];
};
constexpr int cache_line = 128;
template <class T>
__global__ void aligned() {
  __shared__ char before[3];
  __shared__ alignas(T) char one[sizeof(T)];
  __shared__ alignas(Bytes<T, 2>) char two[sizeof(Bytes<T, 2>)];
  __shared__ alignas(cache_line) char line[5];
  __shared__ alignas(2 * sizeof(T)) char pair[5];
  before[0] = one[0] = two[0] = line[0] = pair[0] = 1;
  const auto is_at = [](const void* p, size_t multiple) { return reinterpret_cast<size_t>(p) % multiple == 0; };
  EXPECT(is_at(one, alignof(T)) && is_at(two, alignof(T)) && is_at(line, 128) && is_at(pair, 2 * sizeof(T)));
  EXPECT(before[0] + one[0] + two[0] + line[0] + pair[0] == 5);
}

}  // namespace

int main() {
  float4* v;
  int* data;
  double2* wide;
  long long* seen;
  CUDA(cudaMallocManaged(&v, 64 * sizeof *v));
  CUDA(cudaMallocManaged(&data, 128 * sizeof *data));
  CUDA(cudaMallocManaged(&wide, 32 * sizeof *wide));
  CUDA(cudaMallocManaged(&seen, 2 * sizeof *seen));
  vectors<<<1, 64>>>(v);
  casts<<<1, 1>>>();
  spaces<<<1, 32>>>(data);
  integers<<<1, 64>>>();
  cached<<<1, 32>>>(data, wide);
  CUDA(cudaDeviceSynchronize());
  v[0] = make_float4(1, 2, 3, 4);
  reinterpret_cast<char2*>(wide)[0] = make_char2(1, -2);
  read_only<<<1, 32>>>(data, v, reinterpret_cast<char2*>(wide));
  times<<<1, 1>>>(seen);
  rounded<<<1, 1>>>();
  aligned<double><<<1, 1>>>();
  aligned<float4><<<1, 1>>>();
  return finish();
}
