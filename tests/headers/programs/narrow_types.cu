// __half and __nv_bfloat16: every operator and intrinsic of pairs of values against exact arithmetic rounded once, conversions
// of every pattern with every rounding, the two-at-a-time forms against the single ones, and the same code on the host.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "test.h"

namespace {

template <class T>
struct Format;
template <>
struct Format<__half> {
  static constexpr int digits = 11, least = -14, greatest = 15;
  using Pair = __half2;
};
template <>
struct Format<__nv_bfloat16> {
  static constexpr int digits = 8, least = -126, greatest = 127;
  using Pair = __nv_bfloat162;
};

template <class T>
__host__ __device__ uint16_t bits(T v) {
  uint16_t b;
  memcpy(&b, &v, 2);
  return b;
}
template <class T>
__host__ __device__ T from(uint16_t b) {
  T v;
  memcpy(&v, &b, 2);
  return v;
}
// Equal in bits, or both not numbers.
template <class T>
__host__ __device__ bool same(T a, T b) {
  const float x = a, y = b;
  return bits(a) == bits(b) || (x != x && y != y);
}

// An exact sum hi + lo rounded once to T; lo only decides ties and stickiness. Host only.
template <class T>
T rounded(double hi, double lo = 0) {
  using F = Format<T>;
  if (hi != hi || std::isinf(hi)) return T(static_cast<float>(hi));
  if (hi == 0) return T(static_cast<float>(hi));
  const int exponent = std::max(std::ilogb(hi), F::least) - (F::digits - 1);
  const double scaled = std::ldexp(std::fabs(hi), -exponent), low = std::floor(scaled), rest = scaled - low;
  const double sticky = hi > 0 ? lo : -lo;
  double up = 0;
  if (rest > 0.5 || (rest == 0.5 && (sticky > 0 || (sticky == 0 && std::fmod(low, 2) == 1)))) up = 1;
  const double result = std::ldexp(low + up, exponent);
  const float limit = std::ldexp(2 - std::ldexp(1.0, 1 - F::digits), F::greatest);
  return T(static_cast<float>(std::copysign(result > limit ? INFINITY : result, hi)));
}
template <class T>
T fused(double a, double b, double c) {
  const double p = a * b, s = p + c, t = s - p;
  return rounded<T>(s, std::isfinite(s) ? (p - (s - t)) + (c - t) : 0);
}

template <class T>
struct Results {
  T sum, difference, product, quotient, fma, least, most, least_nan, sat, relu;
  unsigned order, unordered;
};

template <class T>
__host__ __device__ Results<T> calculate(T a, T b, T c) {
  Results<T> r;
  r.sum = a + b, r.difference = a - b, r.product = a * b, r.quotient = a / b, r.fma = __hfma(a, b, c);
  r.least = __hmin(a, b), r.most = __hmax(a, b), r.least_nan = __hmin_nan(a, b);
  r.sat = __hadd_sat(a, b), r.relu = __hfma_relu(a, b, c);
  r.order = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
  r.unordered = __hltu(a, b) | __hleu(a, b) << 1 | __hgtu(a, b) << 2 | __hgeu(a, b) << 3 | __hequ(a, b) << 4 | __hneu(a, b) << 5 | __hne(a, b) << 6;
  return r;
}

template <class T>
__global__ void pairs(const uint16_t* values, int n, Results<T>* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n) return;
  using P = typename Format<T>::Pair;
  const T a = from<T>(values[i / n]), b = from<T>(values[i % n]), c = from<T>(values[(i * 7 + i / n) % n]);
  const Results<T> r = out[i] = calculate(a, b, c);
  const P x(a, b), y(b, a), z(c, a);
  const P sum = x + y, product = x * y, fma = __hfma2(x, y, z), less = __hlt2(x, y), greatest = __hmax2(x, y);
  EXPECT(same(sum.x, r.sum) && same(product.x, r.product) && same(fma.x, r.fma) && same((x - y).x, r.difference) && same((x / y).x, r.quotient));
  EXPECT(float(less.x) == float(a < b) && float(less.y) == float(b < a) && __hbeq2(x, x) == (a == a && b == b) && same(greatest.x, r.most));
  EXPECT(same((-x).y, -b) && same(__habs2(x).x, __habs(a)) && __hgt2_mask(x, y) == ((a > b ? 0xffffu : 0) | (b > a ? 0xffff0000u : 0)));
  T d = a;
  d += b;
  EXPECT(same(d, r.sum) && __hisnan(a) == (float(a) != float(a)) && !__hisinf(a) == (fabsf(float(a)) != INFINITY));
}

template <class T>
void check_pairs(const Results<T>& r, T ta, T tb, T tc) {
  const double a = float(ta), b = float(tb), c = float(tc);
  const bool nan = a != a || b != b;
  EXPECT(same(r.sum, rounded<T>(a + b)) && same(r.difference, rounded<T>(a - b)) && same(r.product, rounded<T>(a * b)));
  EXPECT(same(r.quotient, rounded<T>(a / b)));
  EXPECT(same(r.fma, fused<T>(a, b, c)));
  if (!nan && a != b) EXPECT(same(r.least, a < b ? ta : tb) && same(r.most, a > b ? ta : tb));
  if (a != a && b == b) EXPECT(same(r.least, tb) && same(r.most, tb));
  if (nan) EXPECT(float(r.least_nan) != float(r.least_nan));
  const double total = float(r.sum);
  EXPECT(float(r.sat) == (total > 0 ? std::fmin(total, 1) : 0));
  EXPECT(float(r.relu) != float(r.relu) ? float(r.fma) != float(r.fma) : float(r.relu) == std::fmax(float(r.fma), 0.f));
  EXPECT(r.order == unsigned((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5));
  EXPECT(r.unordered == unsigned((nan || a < b) | (nan || a <= b) << 1 | (nan || a > b) << 2 | (nan || a >= b) << 3 | (nan || a == b) << 4 |
                                 (a != b) << 5 | (!nan && a != b) << 6));
}

template <class T>
void every_pair(uint16_t infinity, uint16_t one) {
  std::vector<uint16_t> values = {0, 0x8000, 1, 0x8001, one, uint16_t(one | 0x8000), infinity, uint16_t(infinity | 0x8000), 0x7fff, uint16_t(infinity - 1), uint16_t(one + 1), uint16_t(one - 1), 0x0400, 0x03ff, 0x0080};
  uint32_t state = 5;
  while (values.size() < 96) {
    state = state * 1664525u + 1013904223u;
    values.push_back(values.size() % 2 ? uint16_t(state >> 16) : uint16_t(one + int(state >> 24) * 8 - 1000));
  }
  const int n = values.size();
  uint16_t* in;
  Results<T>* out;
  CUDA(cudaMallocManaged(&in, n * sizeof *in));
  CUDA(cudaMallocManaged(&out, n * n * sizeof *out));
  memcpy(in, values.data(), n * sizeof *in);
  pairs<T><<<(n * n + 127) / 128, 128>>>(in, n, out);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n * n; ++i) {
    const T a = from<T>(values[i / n]), b = from<T>(values[i % n]), c = from<T>(values[(i * 7 + i / n) % n]);
    check_pairs<T>(out[i], a, b, c);
    check_pairs<T>(calculate(a, b, c), a, b, c);
  }
  CUDA(cudaFree(in));
  CUDA(cudaFree(out));
}

__device__ long long clamped(float v, long long low, long long high) {
  return v != v ? 0 : v <= float(low) ? low : v >= float(high) ? high : (long long)v;
}

// Each pattern of half.
__global__ void conversions() {
  const uint16_t b = blockIdx.x * blockDim.x + threadIdx.x;
  const __half h = __ushort_as_half(b);
  const float f = __half2float(h);
  EXPECT(same(__float2half(f), h) && __half_as_ushort(__short_as_half(__half_as_short(h))) == b);
  EXPECT(__half2int_rn(h) == clamped(rintf(f), INT32_MIN, INT32_MAX) && __half2int_rz(h) == clamped(truncf(f), INT32_MIN, INT32_MAX));
  EXPECT(__half2int_ru(h) == clamped(ceilf(f), INT32_MIN, INT32_MAX) && __half2int_rd(h) == clamped(floorf(f), INT32_MIN, INT32_MAX));
  EXPECT(__half2short_rn(h) == clamped(rintf(f), -32768, 32767) && __half2short_rz(h) == clamped(truncf(f), -32768, 32767));
  EXPECT(__half2ushort_rz(h) == clamped(truncf(f), 0, 65535) && __half2uint_rd(h) == clamped(floorf(f), 0, UINT32_MAX));
  if (fabsf(f) < INFINITY) EXPECT(__half2ll_rz(h) == (long long)truncf(f) && (f < 0 || __half2ull_rn(h) == (unsigned long long)rintf(f)));
  EXPECT(__half2char_rz(h) == clamped(truncf(f), -128, 127) && __half2uchar_rz(h) == clamped(truncf(f), 0, 255));
  const int i = int(b) * 2 - 65536 + int(b % 2);
  const float up = __int2half_ru(i), down = __int2half_rd(i), near = __int2half_rn(i), zero = __int2half_rz(i);
  EXPECT(down <= i && i <= up && (zero == down || zero == up) && fabsf(zero) <= abs(i) && (near == up || near == down));
  if (abs(i) <= 65504) EXPECT(up == down ? near == i : fabsf(near - i) <= fminf(up - i, i - down));
  const __nv_bfloat16 n = from<__nv_bfloat16>(b);
  EXPECT(same(__float2bfloat16(__bfloat162float(n)), n) && __bfloat16_as_ushort(n) == b);
  const float g = __bfloat162float(n);
  EXPECT(__bfloat162int_rz(n) == clamped(truncf(g), INT32_MIN, INT32_MAX) || fabsf(g) >= 0x1p31f);
  const __half2 two = __floats2half2_rn(f, 1.0f);
  EXPECT(same(__low2half(two), h) && __high2float(two) == 1 && same(__low2half2(two).y, h) && same(__lowhigh2highlow(two).y, h));
}

__global__ void atomics(__half* h, __half2* h2, __nv_bfloat16* b, __nv_bfloat162* b2) {
  atomicAdd(h, __half(1.0f)), atomicAdd(h2, __floats2half2_rn(1, 2)), atomicAdd(b, __nv_bfloat16(1.0f));
  atomicAdd(b2, __floats2bfloat162_rn(1, 2));
  const __half lane = __int2half_rn(threadIdx.x);
  EXPECT(float(__shfl_sync(~0u, lane, 3)) == 3 && float(__shfl_xor_sync(~0u, __half2half2(lane), 1).y) == (threadIdx.x ^ 1));
}

}  // namespace

int main() {
  every_pair<__half>(0x7c00, 0x3c00);
  every_pair<__nv_bfloat16>(0x7f80, 0x3f80);
  conversions<<<256, 256>>>();
  unsigned* memory;
  CUDA(cudaMallocManaged(&memory, 64));
  memset(memory, 0, 64);
  atomics<<<2, 32>>>(reinterpret_cast<__half*>(memory) + 1, reinterpret_cast<__half2*>(memory + 1), reinterpret_cast<__nv_bfloat16*>(memory + 2),
                     reinterpret_cast<__nv_bfloat162*>(memory + 3));
  CUDA(cudaDeviceSynchronize());
  EXPECT(float(reinterpret_cast<__half*>(memory)[1]) == 64 && memory[0] << 16 == 0 && float(reinterpret_cast<__half2*>(memory + 1)->y) == 128);
  EXPECT(float(*reinterpret_cast<__nv_bfloat16*>(memory + 2)) == 64 && float(reinterpret_cast<__nv_bfloat162*>(memory + 3)->y) == 128);
  return finish();
}
