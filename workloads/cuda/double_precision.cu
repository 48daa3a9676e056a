// Double precision done carefully: compensated summation, error-free transformations with fma, rounding-mode
// intrinsics, and basic operations bit for bit against the host. Exercises: f64 add/mul/fma/div/sqrt with rn, rz, ru,
// rd; conversions.
//
// deterministic: yes
#include <cfenv>

#include "check.h"

namespace {

constexpr int kResults = 18;

// Two-sum and two-product: value plus error is exact. Intrinsics keep the compiler from contracting.
__global__ void dot_compensated(const double* a, const double* b, int n, double* plain, double* compensated) {
  double sum = 0, error = 0, naive = 0;
  for (int i = threadIdx.x; i < n; i += 32) {
    const double product = __dmul_rn(a[i], b[i]), lost = fma(a[i], b[i], -product);
    const double next = __dadd_rn(sum, product), back = __dadd_rn(next, -sum);
    error += __dadd_rn(__dadd_rn(sum, -__dadd_rn(next, -back)), __dadd_rn(product, -back)) + lost;
    sum = next;
    naive = __dadd_rn(naive, product);
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_down_sync(~0u, sum, step);
    const double next = __dadd_rn(sum, other), back = __dadd_rn(next, -sum);
    error += __shfl_down_sync(~0u, error, step);  // the other's, before the error of this step joins it
    error += __dadd_rn(__dadd_rn(sum, -__dadd_rn(next, -back)), __dadd_rn(other, -back));
    naive += __shfl_down_sync(~0u, naive, step);
    sum = next;
  }
  if (threadIdx.x == 0) *plain = naive, *compensated = sum + error;
}

__global__ void operations(const double* a, const double* b, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = a[i], y = b[i];
  const double results[kResults] = {__dadd_rn(x, y),
                                    __dadd_rz(x, y),
                                    __dadd_ru(x, y),
                                    __dadd_rd(x, y),
                                    __dmul_rn(x, y),
                                    __dmul_rz(x, y),
                                    __dmul_ru(x, y),
                                    __dmul_rd(x, y),
                                    __ddiv_rn(x, y),
                                    __ddiv_rz(x, y),
                                    __ddiv_ru(x, y),
                                    __ddiv_rd(x, y),
                                    __dsqrt_rn(fabs(x)),
                                    __dsqrt_ru(fabs(x)),
                                    __fma_rn(x, y, 1.0),
                                    __fma_rd(x, y, -x),
                                    static_cast<double>(__double2float_rz(x)),
                                    static_cast<double>(__double2float_ru(y))};
  for (int k = 0; k < kResults; ++k) out[i * kResults + k] = results[k];
}

template <class Operation>
double rounded(int mode, Operation operation) {
  fesetround(mode);
  volatile const double result = operation();  // volatile: stays between the two calls
  fesetround(FE_TONEAREST);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 300, 2, 1 << 20);
  Random random(62);
  std::vector<double> a(n), b(n), want;
  for (int i = 0; i < n; ++i) {
    a[i] = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(60)) - 30) + random.uniform() * 1e-9;
    b[i] = std::ldexp(random.uniform() + 0.1, static_cast<int>(random.below(60)) - 30);
    volatile double x = a[i], y = b[i];
    const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    for (int mode : modes) want.push_back(rounded(mode, [&] { return x + y; }));
    for (int mode : modes) want.push_back(rounded(mode, [&] { return x * y; }));
    for (int mode : modes) want.push_back(rounded(mode, [&] { return x / y; }));
    for (int mode : {FE_TONEAREST, FE_UPWARD})
      want.push_back(rounded(mode, [&] {
        volatile double magnitude = x < 0 ? -x : x;
        return std::sqrt(magnitude);
      }));
    want.push_back(rounded(FE_TONEAREST, [&] { return std::fma(x, y, 1.0); }));
    want.push_back(rounded(FE_DOWNWARD, [&] { return std::fma(x, y, -x); }));
    want.push_back(rounded(FE_TOWARDZERO, [&] { return static_cast<double>(static_cast<float>(x)); }));
    want.push_back(rounded(FE_UPWARD, [&] { return static_cast<double>(static_cast<float>(y)); }));
  }
  DeviceArray<double> device_a(a), device_b(b), out(want.size()), sums(2);
  operations<<<(n + 63) / 64, 64>>>(device_a, device_b, out, n);
  FINISH_KERNEL();
  EXPECT_SAME(want, out.download(), "operation");

  // Large products that cancel in pairs, small ones that remain: the plain sum loses them, the compensated one does
  // not.
  const auto whole = [&](double bound) { return std::floor((random.uniform() - 0.5) * bound); };
  double exact = 0, plain = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 3 == 2 ? whole(1000) : i % 3 == 1 ? a[i - 1] : whole(0x1p33);
    b[i] = i % 3 == 2 ? whole(1000) : i % 3 == 1 ? -b[i - 1] : i + 1 < n ? whole(0x1p33) : 0;
    if (i % 3 == 2) exact += a[i] * b[i];
  }
  for (int i = n - 1; i > 0; --i) {
    const int other = static_cast<int>(random.below(i + 1));
    std::swap(a[i], a[other]), std::swap(b[i], b[other]);
  }
  device_a.upload(a);
  device_b.upload(b);
  dot_compensated<<<1, 32>>>(device_a, device_b, n, sums, sums + 1);
  FINISH_KERNEL();
  plain = sums.download()[0];
  const double compensated = sums.download()[1];
  EXPECT(check::close_to(exact, compensated, 1e-12, 0.01), "the dot product should be %.3f, is %.3f (plain sum: %.3f)",
         exact, compensated, plain);
  return PASS("n=%d dot=%.0f plain sum off by %.0f", n, exact, plain - exact);
}
