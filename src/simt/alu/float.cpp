// f32 and f64 arithmetic: PTX ISA 8.3, section 9.7.3.
#include "simt/alu/approximations.hpp"
#include "simt/alu/rounded_rows.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

/// What every f32 result goes through: the canonical NaN, .ftz, .sat (NaN becomes 0).
template <bool flushes, bool saturates>
float finished(float value) {
  if constexpr (saturates) return value > 0 ? (value < 1 ? flushed<flushes>(value) : 1.0f) : 0.0f;
  return value == value ? flushed<flushes>(value) : float_of(canonical_nan_f32);
}

/// f64 keeps a NaN operand's payload, quieted, the first operand's first; an invalid operation gives the NaN with the
/// sign set.
constexpr u64 quiet_bit = u64{1} << 51, default_nan_f64 = 0xfff8000000000000;
template <class... Sources>
double finished_f64(double value, Sources... sources) {
  if (value == value) return value;
  u64 nan = default_nan_f64;
  bool found = false;
  ((nan = !found && sources != sources ? bits_of(sources) | quiet_bit : nan, found = found || sources != sources), ...);
  return double_of(nan);
}

/// How rounded_rows() sees its values.
template <bool flushes, bool saturates>
struct F32 {
  using V = float;
  static float in(float a) { return flushed<flushes>(a); }
  template <class... Sources>
  static float out(float result, Sources...) {
    return finished<flushes, saturates>(result);
  }
};
struct F64 {
  using V = double;
  static double in(double a) { return a; }
  template <class... Sources>
  static double out(double result, Sources... sources) {
    return finished_f64(result, sources...);
  }
};

template <Rounding mode, bool flushes, bool saturates>
constexpr AluBody add_f32 = rounded_rows<Sum, mode, F32<flushes, saturates>, 2>;
template <Rounding mode, bool flushes, bool saturates>
constexpr AluBody subtract_f32 = rounded_rows<Difference, mode, F32<flushes, saturates>, 2>;
template <Rounding mode, bool flushes, bool saturates>
constexpr AluBody multiply_f32 = rounded_rows<Product, mode, F32<flushes, saturates>, 2>;
template <Rounding mode, bool flushes, bool saturates>
constexpr AluBody fma_f32 = rounded_rows<MultiplyAdd, mode, F32<flushes, saturates>, 3>;
template <Rounding mode, bool flushes>
constexpr AluBody divide_f32 = rounded_rows<Quotient, mode, F32<flushes, false>, 2>;
template <Rounding mode, bool flushes>
constexpr AluBody reciprocal_f32 = rounded_rows<Reciprocal, mode, F32<flushes, false>, 1>;
template <Rounding mode, bool flushes>
constexpr AluBody square_root_f32 = rounded_rows<Root, mode, F32<flushes, false>, 1>;

// Approximate forms. Quotients, reciprocals and roots are correctly rounded here: error 0.5 ulp where PTX allows 1
// or 2. div.approx keeps the one documented trait that programs can see: a divisor beyond 2^126 gives 0 (infinite
// dividend: NaN).

float quotient_or_zero(float x, float y) {
  const bool is_huge = std::fabs(y) > 0x1p126f && is_finite(y);
  return is_huge ? x * std::copysign(0.0f, y) : x / y;
}
template <bool flushes>
constexpr AluBody divide_approximate_f32 = each_lane<[](float a, float b) -> float {
  return finished<flushes, false>(quotient_or_zero(flushed<flushes>(a), flushed<flushes>(b)));
}>;
template <bool flushes>
constexpr AluBody divide_full_f32 = divide_f32<Rounding::rn, flushes>;
template <bool flushes>
constexpr AluBody reciprocal_approximate_f32 = reciprocal_f32<Rounding::rn, flushes>;
template <bool flushes>
constexpr AluBody square_root_approximate_f32 = square_root_f32<Rounding::rn, flushes>;
template <bool flushes>
constexpr AluBody reciprocal_root_f32 = each_lane<[](float a) -> float {
  return finished<flushes, false>(static_cast<float>(1.0 / std::sqrt(static_cast<double>(flushed<flushes>(a)))));
}>;
template <bool flushes>
constexpr AluBody sine =
    each_lane<[](float a) -> float { return finished<flushes, false>(approximate_sine(flushed<flushes>(a))); }>;
template <bool flushes>
constexpr AluBody cosine =
    each_lane<[](float a) -> float { return finished<flushes, false>(approximate_cosine(flushed<flushes>(a))); }>;
template <bool flushes>
constexpr AluBody logarithm2 =
    each_lane<[](float a) -> float { return finished<flushes, false>(approximate_log2(flushed<flushes>(a))); }>;
template <bool flushes>
constexpr AluBody exponential2 =
    each_lane<[](float a) -> float { return finished<flushes, false>(approximate_exp2(flushed<flushes>(a))); }>;
constexpr AluBody hyperbolic_tangent =
    each_lane<[](float a) -> float { return finished<false, false>(approximate_tanh(a)); }>;

// Signs.

template <bool flushes>
constexpr AluBody absolute_f32 = each_lane<[](float a) -> float { return std::fabs(flushed<flushes>(a)); }>;
template <bool flushes>
constexpr AluBody negate_f32 = each_lane<[](float a) -> float { return -flushed<flushes>(a); }>;
constexpr AluBody absolute_f64 = each_lane<[](double a) -> double { return std::fabs(a); }>;
constexpr AluBody negate_f64 = each_lane<[](double a) -> double { return -a; }>;
/// copysign d, a, b: the magnitude of b with the sign of a.
template <Type t, class V = Value<t>>
constexpr AluBody copy_sign = each_lane<[](V a, V b) -> V { return std::copysign(b, a); }>;

// Minimum and maximum: -0 is below +0; one NaN gives the other operand, or (propagate_nan) the canonical NaN.

template <bool maximum, class V>
V extreme(V a, V b) {
  const bool takes_a = maximum ? a > b || (a == b && !std::signbit(a)) : a < b || (a == b && std::signbit(a));
  return a != a ? b : b != b ? a : takes_a ? a : b;
}
template <bool maximum, bool flushes, bool propagates>
float extreme_f32(float a, float b) {
  const float x = flushed<flushes>(a), y = flushed<flushes>(b);
  const float result = extreme<maximum>(x, y);
  const bool is_nan = propagates ? x != x || y != y : result != result;
  return is_nan ? float_of(canonical_nan_f32) : result;
}
template <bool maximum, bool flushes, bool propagates>
float extreme_xorsign(float a, float b) {
  const u32 sign = (bits_of(a) ^ bits_of(b)) & 0x80000000;
  const float result = extreme_f32<maximum, flushes, propagates>(std::fabs(a), std::fabs(b));
  return result == result ? float_of(bits_of(result) | sign) : result;
}
template <bool flushes, bool propagates>
constexpr AluBody minimum_f32 = each_lane<extreme_f32<false, flushes, propagates>>;
template <bool flushes, bool propagates>
constexpr AluBody maximum_f32 = each_lane<extreme_f32<true, flushes, propagates>>;
template <bool flushes, bool propagates>
constexpr AluBody minimum_xorsign_f32 = each_lane<extreme_xorsign<false, flushes, propagates>>;
template <bool flushes, bool propagates>
constexpr AluBody maximum_xorsign_f32 = each_lane<extreme_xorsign<true, flushes, propagates>>;

template <bool maximum, bool flushes, bool propagates, bool magnitudes>
float extreme3(float a, float b, float c) {
  const auto prepared = [](float x) { return magnitudes ? std::fabs(x) : x; };
  const float first = extreme_f32<maximum, flushes, propagates>(prepared(a), prepared(b));
  return extreme_f32<maximum, flushes, propagates>(first, prepared(c));
}
template <bool flushes, bool propagates>
constexpr AluBody minimum3_f32 = each_lane<extreme3<false, flushes, propagates, false>>;
template <bool flushes, bool propagates>
constexpr AluBody maximum3_f32 = each_lane<extreme3<true, flushes, propagates, false>>;
template <bool flushes, bool propagates>
constexpr AluBody minimum3_abs_f32 = each_lane<extreme3<false, flushes, propagates, true>>;
template <bool flushes, bool propagates>
constexpr AluBody maximum3_abs_f32 = each_lane<extreme3<true, flushes, propagates, true>>;
constexpr AluBody minimum_f64 =
    each_lane<[](double a, double b) -> double { return finished_f64(extreme<false>(a, b), a, b); }>;
constexpr AluBody maximum_f64 =
    each_lane<[](double a, double b) -> double { return finished_f64(extreme<true>(a, b), a, b); }>;

// testp.

template <NumberClass kind, class Bits>
bool is_kind(Bits bits, u32 significand_bits) {
  const Bits magnitude = bits & static_cast<Bits>(~Bits{0} >> 1);
  const Bits infinity = static_cast<Bits>(~Bits{0} >> 1) >> significand_bits << significand_bits;
  const Bits least_normal = Bits{1} << significand_bits;
  switch (kind) {
    case NumberClass::finite:
      return magnitude < infinity;
    case NumberClass::infinite:
      return magnitude == infinity;
    case NumberClass::number:
      return magnitude <= infinity;
    case NumberClass::notanumber:
      return magnitude > infinity;
    case NumberClass::normal:
      return magnitude < infinity && (magnitude >= least_normal || magnitude == 0);  // zero counts
    case NumberClass::subnormal:
      return magnitude < least_normal && magnitude != 0;
  }
}
template <NumberClass kind>
void test_f32(const Instr& instr, const Lanes& lanes) {
  write_predicate(lanes, instr.dst, test_lanes<u32>(instr, lanes, [](u32 a) { return is_kind<kind>(a, 23); }));
}
template <NumberClass kind>
void test_f64(const Instr& instr, const Lanes& lanes) {
  write_predicate(lanes, instr.dst, test_lanes<u64>(instr, lanes, [](u64 a) { return is_kind<kind>(a, 52); }));
}

// f64.

template <Rounding mode>
constexpr AluBody add_f64 = rounded_rows<Sum, mode, F64, 2>;
template <Rounding mode>
constexpr AluBody subtract_f64 = rounded_rows<Difference, mode, F64, 2>;
template <Rounding mode>
constexpr AluBody multiply_f64 = rounded_rows<Product, mode, F64, 2>;
template <Rounding mode>
constexpr AluBody fma_f64 = rounded_rows<MultiplyAdd, mode, F64, 3>;
template <Rounding mode>
constexpr AluBody divide_f64 = rounded_rows<Quotient, mode, F64, 2>;
template <Rounding mode>
constexpr AluBody reciprocal_f64 = rounded_rows<Reciprocal, mode, F64, 1>;
template <Rounding mode>
constexpr AluBody square_root_f64 = rounded_rows<Root, mode, F64, 1>;

/// The approximate f64 forms flush, and clear the low word of the result.
double with_high_word(double value) {
  return double_of(bits_of(value) & 0xffffffff00000000);
}
double flushed_f64(double a) {
  return (bits_of(a) >> 52 & 0x7ff) == 0 ? std::copysign(0.0, a) : a;
}
constexpr AluBody reciprocal_approximate_f64 =
    each_lane<[](double a) -> double { return flushed_f64(with_high_word(finished_f64(1.0 / flushed_f64(a), a))); }>;
template <bool flushes>
constexpr AluBody reciprocal_root_f64 = each_lane<[](double a) -> double {
  return with_high_word(finished_f64(1.0 / std::sqrt(flushes ? flushed_f64(a) : a), a));
}>;

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/float.def"
);

}  // namespace

std::span<const AluBody> float_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
