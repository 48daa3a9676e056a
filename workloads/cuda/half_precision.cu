// Half precision: conversions in all rounding modes, arithmetic and comparisons on __half and __half2, a dot product
// with float accumulation, and bit-exact checks against a conversion written out on the host. Exercises: cuda_fp16.h.
//
// deterministic: yes
#include <cuda_fp16.h>

#include "check.h"

namespace {

// IEEE binary16 from a double, to nearest even; the reference for everything below.
uint16_t half_bits(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (value >= 65520) return sign | 0x7c00;
  const int exponent = value == 0 ? -14 : std::max(std::ilogb(value), -14);  // below 2^-14: denormal
  const double scaled = std::ldexp(value, 10 - exponent), low = std::floor(scaled), rest = scaled - low;
  const uint32_t rounded = static_cast<uint32_t>(low) + (rest > 0.5 || (rest == 0.5 && std::fmod(low, 2) == 1));
  return static_cast<uint16_t>(sign | (rounded + (static_cast<uint32_t>(exponent + 14) << 10)));
}

float float_of(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                           : exponent == 0 ? fraction * std::pow(2.0, -24)
                                           : (1024 + fraction) * std::pow(2.0, exponent - 25);
  return static_cast<float>(bits & 0x8000 ? -magnitude : magnitude);
}

__global__ void widen(const __half* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = __half2float(in[i]);
}

__global__ void narrow(const float* in, __half* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = __float2half(in[i]);
}

__global__ void calculate(const __half2* a, const __half2* b, __half2* sum, __half2* product, __half2* fused, int* less,
                          int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sum[i] = __hadd2(a[i], b[i]);
  product[i] = a[i] * b[i];
  fused[i] = __hfma2(a[i], b[i], __float2half2_rn(0.5f));
  less[i] = __hlt(__low2half(a[i]), __low2half(b[i])) + 2 * (__high2half(a[i]) >= __high2half(b[i]));
}

__global__ void dot(const __half2* a, const __half2* b, float* result, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const float2 x = __half22float2(a[i]), y = __half22float2(b[i]);
    sum = fmaf(x.x, y.x, fmaf(x.y, y.y, sum));
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x == 0) *result = sum;
}

__global__ void round_all_ways(float x, __half* out) {
  out[0] = __float2half_rn(x), out[1] = __float2half_rz(x), out[2] = __float2half_ru(x), out[3] = __float2half_rd(x);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 600, 1, 1 << 20);
  std::vector<uint16_t> bits, got_bits;
  std::vector<float> inputs;
  Random random(55);
  for (int i = 0; i < 65536; i += 13) {
    if ((i & 0x7c00) == 0x7c00 && (i & 0x3ff) != 0) continue;  // NaNs compare equal to nothing
    bits.push_back(static_cast<uint16_t>(i));
  }
  for (int i = 0; i < 4000; ++i) {  // random exponents, and exact ties
    const float x = std::ldexp(random.between(-1, 1), static_cast<int>(random.below(45)) - 27);
    inputs.push_back(i % 3 ? x : (float_of(half_bits(x)) + float_of(static_cast<uint16_t>(half_bits(x) + 1))) / 2);
    if (!std::isfinite(inputs.back())) inputs.back() = 65520.0f;
  }
  DeviceArray<uint16_t> device_bits(bits), narrowed(inputs.size());
  DeviceArray<float> widened(bits.size()), device_inputs(inputs), result(1);
  widen<<<4, 128>>>(reinterpret_cast<__half*>(device_bits.get()), widened, static_cast<int>(bits.size()));
  narrow<<<4, 128>>>(device_inputs, reinterpret_cast<__half*>(narrowed.get()), static_cast<int>(inputs.size()));
  FINISH_KERNEL();
  std::vector<float> want(bits.size());
  for (size_t i = 0; i < bits.size(); ++i) want[i] = float_of(bits[i]);
  EXPECT_SAME(want, widened.download(), "half to float");
  got_bits = narrowed.download();
  for (size_t i = 0; i < inputs.size(); ++i)
    EXPECT(got_bits[i] == half_bits(inputs[i]), "%.9g should round to half %#06x, is %#06x", inputs[i],
           half_bits(inputs[i]), got_bits[i]);

  std::vector<uint16_t> a(2 * n), b(2 * n), sum(2 * n), product(2 * n), fused(2 * n);
  std::vector<int> less(n);
  double exact = 0;
  for (int i = 0; i < 2 * n; ++i) {
    a[i] = half_bits(random.between(-4, 4)), b[i] = half_bits(random.between(-4, 4));
    const double x = float_of(a[i]), y = float_of(b[i]);
    sum[i] = half_bits(x + y), product[i] = half_bits(x * y);
    fused[i] = half_bits(x * y + 0.5);
    less[i / 2] += i % 2 ? 2 * (x >= y) : x < y;
    exact += x * y;
  }
  DeviceArray<uint16_t> da(a), db(b), ds(2 * n), dp(2 * n), df(2 * n);
  DeviceArray<int> dl(n);
  const auto pairs = [](const DeviceArray<uint16_t>& array) { return reinterpret_cast<__half2*>(array.get()); };
  calculate<<<(n + 63) / 64, 64>>>(pairs(da), pairs(db), pairs(ds), pairs(dp), pairs(df), dl, n);
  dot<<<1, 32>>>(pairs(da), pairs(db), result, n);
  FINISH_KERNEL();
  EXPECT_SAME(sum, ds.download(), "sum");
  EXPECT_SAME(product, dp.download(), "product");
  EXPECT_SAME(fused, df.download(), "fused product");
  EXPECT_SAME(less, dl.download(), "comparison");
  EXPECT(check::close_to(exact, result.download()[0], 1e-5, 1e-3), "the dot product should be %g, is %g", exact,
         result.download()[0]);

  DeviceArray<uint16_t> ways(4);
  round_all_ways<<<1, 1>>>(-1.0006f, reinterpret_cast<__half*>(ways.get()));
  FINISH_KERNEL();
  EXPECT_SAME((std::vector<uint16_t>{0xbc01, 0xbc00, 0xbc00, 0xbc01}), ways.download(), "rounding");
  return PASS("values=%zu dot=%.4f", bits.size() + inputs.size(), exact);
}
