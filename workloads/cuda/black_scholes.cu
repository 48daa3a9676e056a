// European options by the Black-Scholes formula in float and in double. Exercises: expf, logf, sqrtf, erfcf and their
// double twins, templates that pick a type; checked against the host's libm.
//
// deterministic: yes
#include "check.h"

namespace {

template <class T>
__host__ __device__ T normal_cdf(T x) {
  return T(0.5) * erfc(-x * T(0.70710678118654752440));
}

template <class T>
__host__ __device__ void price(T spot, T strike, T years, T rate, T volatility, T& call, T& put) {
  const T deviation = volatility * sqrt(years);
  const T d1 = (log(spot / strike) + (rate + T(0.5) * volatility * volatility) * years) / deviation;
  const T discounted = strike * exp(-rate * years);
  call = spot * normal_cdf(d1) - discounted * normal_cdf(d1 - deviation);
  put = discounted * normal_cdf(deviation - d1) - spot * normal_cdf(-d1);
}

template <class T>
__global__ void price_all(const T* spot, const T* strike, const T* years, T rate, T volatility, T* call, T* put,
                          int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    price(spot[i], strike[i], years[i], rate, volatility, call[i], put[i]);
}

template <class T>
double check_type(int n, double tolerance, const char* name) {
  Random random(23);
  std::vector<T> spot(n), strike(n), years(n), want_call(n), want_put(n);
  for (int i = 0; i < n; ++i) {
    spot[i] = random.between(5, 30), strike[i] = random.between(1, 100), years[i] = random.between(0.25f, 10);
    double call = 0, put = 0;
    price<double>(spot[i], strike[i], years[i], T(0.02), T(0.30), call, put);
    want_call[i] = static_cast<T>(call), want_put[i] = static_cast<T>(put);
  }
  DeviceArray<T> device_spot(spot), device_strike(strike), device_years(years), call(n), put(n);
  price_all<T><<<4, 128>>>(device_spot, device_strike, device_years, T(0.02), T(0.30), call, put, n);
  FINISH_KERNEL();
  EXPECT_NEAR(want_call, call.download(), tolerance, tolerance * 100, name);
  EXPECT_NEAR(want_put, put.download(), tolerance, tolerance * 100, name);
  double sum = 0;
  for (T x : want_call) sum += x;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 2000, 1, 1 << 24);
  check_type<float>(n, 5e-6, "price in float");
  const double sum = check_type<double>(n, 1e-13, "price in double");
  return PASS("options=%d sum of calls=%.6f", n, sum);
}
