// Sum, minimum and maximum by warp shuffles, for several types and block sizes through templates. Exercises:
// __shfl_down_sync on int, float, double and 64-bit integers, functors as template arguments, grid-stride loops.
//
// deterministic: yes
#include "check.h"

namespace {

struct Add {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct Least {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <int kThreads, class T, class Combine>
__device__ T reduce_block(T value, Combine combine) {
  __shared__ T of_warp[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_down_sync(~0u, value, step));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < kThreads / 32; ++w) value = combine(value, of_warp[w]);
  return value;  // meaningful in thread 0
}

template <int kThreads, class T, class Combine>
__global__ void reduce(const T* in, T* out, int n, Combine combine) {
  T value = in[threadIdx.x % n];  // an element of the input never changes a minimum or maximum
  bool any = false;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    value = any ? combine(value, in[i]) : in[i];
    any = true;
  }
  const T result = reduce_block<kThreads>(value, combine);
  if (threadIdx.x == 0) out[blockIdx.x] = result;
}

// REQUIRES: n is at least blocks * kThreads, so that every thread has an element.
template <int kThreads, class T, class Combine>
T reduce_on_device(const std::vector<T>& in, Combine combine) {
  constexpr int kBlocks = 4;
  DeviceArray<T> device_in(in), partial(kBlocks);
  reduce<kThreads><<<kBlocks, kThreads>>>(device_in.get(), partial.get(), static_cast<int>(in.size()), combine);
  FINISH_KERNEL();
  const std::vector<T> parts = partial.download();
  T result = parts[0];
  for (int b = 1; b < kBlocks; ++b) result = combine(result, parts[b]);
  return result;
}

template <class T, int kThreads>
double check_type(const char* name, int n, double tolerance) {
  Random random(kThreads);
  std::vector<T> in(n);
  for (auto& x : in) x = static_cast<T>(static_cast<int>(random.below(20001)) - 10000) / static_cast<T>(4);
  double sum = 0;
  T least = in[0], greatest = in[0];
  for (T x : in) {
    sum += static_cast<double>(x);
    least = Least()(least, x);
    greatest = Greatest()(greatest, x);
  }
  const double got = static_cast<double>(reduce_on_device<kThreads>(in, Add()));
  EXPECT(check::close_to(sum, got, 0, tolerance), "sum of %s should be %.9g, is %.9g", name, sum, got);
  EXPECT(least == reduce_on_device<kThreads>(in, Least()), "minimum of %s should be %g", name, double(least));
  EXPECT(greatest == reduce_on_device<kThreads>(in, Greatest()), "maximum of %s should be %g", name, double(greatest));
  return got;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 20000, 4096, 1 << 24);
  const double as_int = check_type<int, 64>("int", n, 0);
  check_type<long long, 128>("long long", n, 0);
  check_type<float, 256>("float", n, 1e-7 * 2500.0 * n);
  check_type<double, 1024>("double", n, 1e-9);
  return PASS("n=%d sum of ints=%.0f", n, as_int);
}
