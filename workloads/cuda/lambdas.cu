// Kernels that take device lambdas, captured values and generic functors; a small parallel `transform` and `fold`.
// Exercises: extended __device__ lambdas, capture by value of pointers and structs, variadic templates, constexpr if,
// auto.
//
// build: --extended-lambda
// deterministic: yes
#include "check.h"

namespace {

template <class Body>
__global__ void run(int n, Body body) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) body(i);
}

template <class Body>
void for_each_index(int n, Body body) {
  run<<<3, 64>>>(n, body);
  FINISH_KERNEL();
}

template <class First, class... Rest>
__device__ auto least(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    const auto other = least(rest...);
    return first < other ? first : other;
  }
}

template <int kPower>
struct Power {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    if constexpr (kPower == 0)
      return T(1);
    else
      return x * Power<kPower - 1>()(x);
  }
};

template <class Outer, class Inner>
struct Composed {
  Outer outer;
  Inner inner;
  template <class T>
  __host__ __device__ auto operator()(T x) const {
    return outer(inner(x));
  }
};

struct Line {
  int slope, offset;
};

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1000, 1, 1 << 24);
  DeviceArray<int> a(n), b(n);
  int *pa = a, *pb = b;
  const Line line = {3, -7};
  for_each_index(n, [=] __device__(int i) { pa[i] = line.slope * i + line.offset; });
  const Composed<Power<3>, Power<2>> sixth = {};
  for_each_index(n, [=] __device__(int i) {
    const auto remainder = [&](auto divisor) { return pa[i] % divisor; };  // a generic lambda inside device code
    pb[i] = static_cast<int>(sixth(static_cast<unsigned>(remainder(11))) % 9973u) + least(pa[i], 1000, remainder(100));
  });
  long long bias = 5;
  DeviceArray<long long> total(1, 0);
  auto* sum = reinterpret_cast<unsigned long long*>(total.get());
  for_each_index(n, [=] __device__(int i) mutable {
    bias += pb[i];
    atomicAdd(sum, static_cast<unsigned long long>(bias));
    bias = 5;
  });

  std::vector<int> want(n);
  long long want_total = 0;
  for (int i = 0; i < n; ++i) {
    const int x = line.slope * i + line.offset;
    want[i] = static_cast<int>(sixth(static_cast<unsigned>(x % 11)) % 9973u) + std::min({x, 1000, x % 100});
    want_total += 5 + want[i];
  }
  EXPECT_SAME(want, b.download(), "cell");
  EXPECT(total.download()[0] == want_total, "the total should be %lld, is %lld", want_total, total.download()[0]);
  return PASS("n=%d total=%lld", n, want_total);
}
