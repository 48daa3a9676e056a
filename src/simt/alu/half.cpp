// f16 and bf16 arithmetic, single and in pairs: PTX ISA 8.3, section 9.7.4. Sums and products are formed in float,
// where rounding again to 11 or 8 bits is innocuous; fma in double, rounded to odd where the sum is inexact.
#include "simt/alu/approximations.hpp"
#include "simt/alu/rounding.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

template <class E>
bool is_nan(E value) {
  return widened(value) != widened(value);
}
template <class E>
constexpr E one_of{};
template <>
constexpr Half one_of<Half>{0x3c00};
template <>
constexpr Brain one_of<Brain>{0x3f80};

template <bool flushes, bool saturates, class E>
E finished(E value) {
  if constexpr (saturates) {
    const float wide = widened(value);
    return wide > 0 ? (wide < 1 ? flushed<flushes>(value) : one_of<E>) : E{0};
  }
  return flushed<flushes>(value);
}
template <class E>
E clamped_below(E value) {  // .relu: negative becomes 0, NaN the canonical NaN
  return is_nan(value) ? E{canonical_nan_half} : widened(value) > 0 ? value : E{0};
}

/// One lane of an operation in float on elements of V.
template <class V, bool flushes, bool saturates, class F, class... More>
V in_float(F f, V a, More... more) {
  using E = Element<V>;
  return by_elements(
      [f](auto... x) { return finished<flushes, saturates>(Narrow<E>::nearest(f(widened(flushed<flushes>(x))...))); },
      a, more...);
}

template <bool flushes, bool saturates, Type t, class V = Value<t>>
constexpr AluBody add_half = each_lane<[](V a, V b) -> V {
  return in_float<V, flushes, saturates>([](float x, float y) { return x + y; }, a, b);
}>;
template <bool flushes, bool saturates, Type t, class V = Value<t>>
constexpr AluBody subtract_half = each_lane<[](V a, V b) -> V {
  return in_float<V, flushes, saturates>([](float x, float y) { return x - y; }, a, b);
}>;
template <bool flushes, bool saturates, Type t, class V = Value<t>>
constexpr AluBody multiply_half = each_lane<[](V a, V b) -> V {
  return in_float<V, flushes, saturates>([](float x, float y) { return x * y; }, a, b);
}>;
template <Type t>
constexpr AluBody add_brain = add_half<false, false, t>;
template <Type t>
constexpr AluBody subtract_brain = subtract_half<false, false, t>;
template <Type t>
constexpr AluBody multiply_brain = multiply_half<false, false, t>;

template <class E>
E fused(E a, E b, E c) {
  const double product = static_cast<double>(widened(a)) * static_cast<double>(widened(b)),
               addend = static_cast<double>(widened(c));
  const double sum = product + addend;
  return Narrow<E>::nearest(rounded_to_odd(sum, sum_error(product, addend, sum)));
}
template <bool flushes, bool saturates, Type t, class V = Value<t>>
constexpr AluBody fma_half = each_lane<[](V a, V b, V c) -> V {
  return by_elements(
      [](auto x, auto y, auto z) {
        return finished<flushes, saturates>(fused(flushed<flushes>(x), flushed<flushes>(y), flushed<flushes>(z)));
      },
      a, b, c);
}>;
template <bool flushes, Type t, class V = Value<t>>
constexpr AluBody fma_relu_half = each_lane<[](V a, V b, V c) -> V {
  return by_elements(
      [](auto x, auto y, auto z) {
        return clamped_below(
            finished<flushes, false>(fused(flushed<flushes>(x), flushed<flushes>(y), flushed<flushes>(z))));
      },
      a, b, c);
}>;
template <bool clamps, Type t, class V = Value<t>>
constexpr AluBody fma_brain = each_lane<[](V a, V b, V c) -> V {
  return by_elements([](auto x, auto y, auto z) { return clamps ? clamped_below(fused(x, y, z)) : fused(x, y, z); }, a,
                     b, c);
}>;
/// .oob: the special NaN 0xffff of an out-of-bounds tensor element in any operand gives 0.
template <bool clamps, Type t, class V = Value<t>>
constexpr AluBody fma_out_of_bounds = each_lane<[](V a, V b, V c) -> V {
  return by_elements(
      [](auto x, auto y, auto z) {
        if (x.bits == 0xffff || y.bits == 0xffff) return decltype(x){0};
        return clamps ? clamped_below(fused(x, y, z)) : fused(x, y, z);
      },
      a, b, c);
}>;

template <bool flushes, Type t, class V = Value<t>>
constexpr AluBody negate_half = each_lane<[](V a) -> V {
  return by_elements([](auto x) { return decltype(x){static_cast<u16>(flushed<flushes>(x).bits ^ 0x8000)}; }, a);
}>;
template <bool flushes, Type t, class V = Value<t>>
constexpr AluBody absolute_half = each_lane<[](V a) -> V {
  return by_elements([](auto x) { return decltype(x){static_cast<u16>(flushed<flushes>(x).bits & 0x7fff)}; }, a);
}>;
template <Type t>
constexpr AluBody negate_brain = negate_half<false, t>;
template <Type t>
constexpr AluBody absolute_brain = absolute_half<false, t>;

/// -0 is below +0; one NaN gives the other operand, or (propagates) the canonical NaN.
template <bool maximum, bool flushes, bool propagates, class E>
E extreme(E a, E b) {
  const E x = flushed<flushes>(a), y = flushed<flushes>(b);
  if (is_nan(x) || is_nan(y)) return propagates || (is_nan(x) && is_nan(y)) ? E{canonical_nan_half} : is_nan(x) ? y : x;
  const float p = widened(x), q = widened(y);
  const bool x_is_negative = x.bits & 0x8000;
  return (maximum ? p > q || (p == q && !x_is_negative) : p < q || (p == q && x_is_negative)) ? x : y;
}
template <bool maximum, bool flushes, bool propagates, class E>
E extreme_xorsign(E a, E b) {
  const auto sign = static_cast<u16>((a.bits ^ b.bits) & 0x8000);
  const E result =
      extreme<maximum, flushes, propagates>(E{static_cast<u16>(a.bits & 0x7fff)}, E{static_cast<u16>(b.bits & 0x7fff)});
  return is_nan(result) ? result : E{static_cast<u16>(result.bits | sign)};
}
template <bool maximum, bool flushes, bool propagates, Type t, class V = Value<t>>
constexpr AluBody extreme_body = each_lane<[](V a, V b) -> V {
  return by_elements([](auto x, auto y) { return extreme<maximum, flushes, propagates>(x, y); }, a, b);
}>;
template <bool maximum, bool flushes, bool propagates, Type t, class V = Value<t>>
constexpr AluBody xorsign_body = each_lane<[](V a, V b) -> V {
  return by_elements([](auto x, auto y) { return extreme_xorsign<maximum, flushes, propagates>(x, y); }, a, b);
}>;
template <bool flushes, bool propagates, Type t>
constexpr AluBody minimum_half = extreme_body<false, flushes, propagates, t>;
template <bool flushes, bool propagates, Type t>
constexpr AluBody maximum_half = extreme_body<true, flushes, propagates, t>;
template <bool propagates, Type t>
constexpr AluBody minimum_brain = extreme_body<false, false, propagates, t>;
template <bool propagates, Type t>
constexpr AluBody maximum_brain = extreme_body<true, false, propagates, t>;
template <bool flushes, bool propagates, Type t>
constexpr AluBody minimum_xorsign_half = xorsign_body<false, flushes, propagates, t>;
template <bool flushes, bool propagates, Type t>
constexpr AluBody maximum_xorsign_half = xorsign_body<true, flushes, propagates, t>;
template <bool propagates, Type t>
constexpr AluBody minimum_xorsign_brain = xorsign_body<false, false, propagates, t>;
template <bool propagates, Type t>
constexpr AluBody maximum_xorsign_brain = xorsign_body<true, false, propagates, t>;

template <Type t, class V = Value<t>>
constexpr AluBody tangent_half =
    each_lane<[](V a) -> V { return in_float<V, false, false>([](float x) { return approximate_tanh(x); }, a); }>;
/// The bf16 form always flushes subnormals.
template <Type t, class V = Value<t>>
constexpr AluBody exponential_half = each_lane<[](V a) -> V {
  return in_float<V, std::is_same_v<Element<V>, Brain>, false>([](float x) { return approximate_exp2(x); }, a);
}>;

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/half.def"
);

}  // namespace

std::span<const AluBody> half_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
