// The functions of __half and __nv_bfloat16 at every one of their 65536 arguments, against 113-bit references.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "accuracy.hpp"

namespace accuracy {

template <class T>
struct Narrow;
template <>
struct Narrow<__half> {
  static constexpr int digits = 11, least_exponent = -14;
  static constexpr double largest = 65504;
};
template <>
struct Narrow<__nv_bfloat16> {
  static constexpr int digits = 8, least_exponent = -126;
  static constexpr double largest = 0x1.fep127;
};

// The value of T nearest to `exact`, ties to even.
template <class T>
float nearest_narrow(Quad exact) {
  using N = Narrow<T>;
  if (exact == 0 || exact != exact || fabsq(exact) == infinity()) return static_cast<float>(exact);
  const int exponent = std::max(static_cast<int>(logbq(exact)), N::least_exponent) - (N::digits - 1);
  const Quad rounded = ldexpq(rintq(ldexpq(exact, -exponent)), exponent);
  if (fabsq(rounded) > N::largest) return static_cast<float>(copysignq(infinity(), exact));
  return static_cast<float>(rounded);
}

template <class T>
double narrow_difference(T result, T rounded) {
  const float r = result, e = rounded;
  if (r != r || e != e) return (r != r) == (e != e) ? 0 : INFINITY;
  const auto order = [](T value) {
    const int bits = __builtin_bit_cast(short, value);
    return bits < 0 ? -32768 - bits : bits;
  };
  return std::abs(order(result) - order(rounded));
}

#define EW_NARROW_FUNCTIONS(F) \
  F(hsqrt, sqrtq(x))           \
  F(hrsqrt, 1 / sqrtq(x))      \
  F(hrcp, 1 / x)               \
  F(hsin, sinq(x))             \
  F(hcos, cosq(x))             \
  F(htanh, tanhq(x))           \
  F(hexp, expq(x))             \
  F(hexp2, exp2q(x))           \
  F(hexp10, powq(10, x))       \
  F(hlog, logq(x))             \
  F(hlog2, log2q(x))           \
  F(hlog10, log10q(x))         \
  F(hceil, ceilq(x))           \
  F(hfloor, floorq(x))         \
  F(htrunc, truncq(x))         \
  F(hrint, rintq(x))

#define EW_NARROW_CALL(name, exact)             \
  struct call_##name {                          \
    template <class T>                          \
    __device__ T operator()(T x) const {        \
      return ::name(x);                         \
    }                                           \
    static Quad value(Quad x) { return exact; } \
    static constexpr const char* text = #name;  \
  };
EW_NARROW_FUNCTIONS(EW_NARROW_CALL)
#undef EW_NARROW_CALL

struct NarrowRow {
  const char* name;
  double half, bfloat16;  // largest difference in ulp
  unsigned misses;        // results that are not the nearest value
  unsigned first;         // the first argument of a miss, in bits
};

// `evaluate` runs call(x) for all 65536 patterns x of T.
template <class Call, class T, class Evaluate>
double measure_narrow(Evaluate& evaluate, NarrowRow& row) {
  std::vector<T> results(65536);
  evaluate(Call{}, results);
  double worst = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float x = __builtin_bit_cast(T, static_cast<unsigned short>(bits));
    const double d = narrow_difference(results[bits], T(nearest_narrow<T>(Call::value(x))));
    if (d > 0 && row.misses++ == 0) row.first = bits;
    worst = std::max(worst, d);
  }
  return worst;
}

template <class Evaluate, class Report>
void measure_narrow_functions(Evaluate& evaluate, Report report) {
#define EW_NARROW_ROW(name, exact)                                            \
  {                                                                           \
    NarrowRow row{#name, 0, 0, 0, 0};                                         \
    row.half = measure_narrow<call_##name, __half>(evaluate, row);            \
    row.bfloat16 = measure_narrow<call_##name, __nv_bfloat16>(evaluate, row); \
    report(row);                                                              \
  }
  EW_NARROW_FUNCTIONS(EW_NARROW_ROW)
#undef EW_NARROW_ROW
}

}  // namespace accuracy
