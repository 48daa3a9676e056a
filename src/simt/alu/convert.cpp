// Conversions: PTX ISA 8.3, cvt and cvt.pack. Rounding, .sat, .ftz and .relu are attributes of the instruction.
#include "ptx/opcodes.hpp"
#include "simt/alu/rounding.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

constexpr Rounding rounding_of(u32 attributes) {
  return static_cast<Rounding>(attributes & 7);
}
constexpr bool saturates(u32 attributes) {
  return attributes & 1u << 3;
}
constexpr bool flushes(u32 attributes) {
  return attributes & 1u << 4;
}
constexpr bool clamps_below(u32 attributes) {
  return attributes & 1u << 5;
}

template <class F>
void with_rounding(u32 attributes, F f) {
  switch (rounding_of(attributes)) {
    case Rounding::rn:
      return f.template operator()<Rounding::rn>();
    case Rounding::rz:
      return f.template operator()<Rounding::rz>();
    case Rounding::rm:
      return f.template operator()<Rounding::rm>();
    default:
      return f.template operator()<Rounding::rp>();
  }
}

// Integer operands of cvt may be registers wider than the type: the source is truncated, the result extended by its
// sign.

template <class A>
void read_wide(const Instr& instr, const Lanes& lanes, A* values) {
  const bool is_pair = sizeof(A) < 8 && attributes(instr) & ptx::wide_source_bit;
  for (u32 i = 0; i < warp_lanes; ++i)
    values[i] = is_pair ? static_cast<A>(source<u64>(lanes, instr.a)[i]) : from_cell<A>(source<A>(lanes, instr.a)[i]);
}
template <class D>
void write_wide(const Instr& instr, const Lanes& lanes, const D* values) {
  const auto write = [&]<class R>(R) {
    alignas(64) Cell<R> cells[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) cells[i] = to_cell<R>(static_cast<R>(values[i]));
    store(lanes, destination<R>(lanes, instr.dst), static_cast<const Cell<R>*>(cells));
  };
  constexpr bool is_signed = std::is_signed_v<D>;
  switch (attributes(instr) >> ptx::wide_destination_shift & 3) {
    case 0:
      return write(D{});
    case 1:
      return write(std::conditional_t<is_signed, i32, u32>{});
    default:
      return write(std::conditional_t<is_signed, i64, u64>{});
  }
}
constexpr u32 wide_bits_mask = ptx::wide_source_bit | 3u << ptx::wide_destination_shift;

/// f on integer operands of any register width.
template <class D, class A, class F>
void convert_lanes(const Instr& instr, const Lanes& lanes, F f) {
  if (!(attributes(instr) & wide_bits_mask)) return for_lanes<D, A>(instr, lanes, f);
  A from[warp_lanes];
  read_wide(instr, lanes, from);
  if constexpr (std::is_integral_v<D>) {
    D to[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = f(from[i]);
    write_wide(instr, lanes, to);
  } else {
    alignas(64) Cell<D> cells[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) cells[i] = to_cell<D>(f(from[i]));
    store(lanes, destination<D>(lanes, instr.dst), static_cast<const Cell<D>*>(cells));
  }
}

template <class D, class A>
D clamped(A value) {
  using W = __int128;
  constexpr W least = static_cast<W>(std::is_signed_v<D> ? static_cast<D>(D{1} << (sizeof(D) * 8 - 1)) : D{0});
  constexpr W most = std::is_signed_v<D> ? -(least + 1) : (W{1} << sizeof(D) * 8) - 1;
  return static_cast<D>(W{value} < least ? least : W{value} > most ? most : W{value});
}

template <Type d, Type a>
void convert_integer(const Instr& instr, const Lanes& lanes) {
  using D = Value<d>;
  using A = Value<a>;
  if (saturates(attributes(instr))) return convert_lanes<D, A>(instr, lanes, [](A value) { return clamped<D>(value); });
  convert_lanes<D, A>(instr, lanes, [](A value) { return static_cast<D>(value); });
}

// Results that are floating point: saturation to [0, 1] (NaN: 0), .relu, the canonical NaN.

template <class D>
D fraction(D value) {
  const auto wide = widened(value);
  return wide > 0 ? (wide < 1 ? value : Narrow<D>::nearest(1.0f)) : Narrow<D>::nearest(0.0f);
}
template <>
double fraction(double value) {
  return value > 0 ? (value < 1 ? value : 1.0) : 0.0;
}
template <class D>
D canonical(D value) {
  if (widened(value) == widened(value)) return value;
  if constexpr (sizeof(D) == 8)
    return value;
  else
    return std::bit_cast<D>(
        static_cast<decltype(bits_of(value))>(sizeof(D) == 4 ? canonical_nan_f32 : canonical_nan_half));
}
template <class D>
D finished(D value, u32 attributes) {
  if (saturates(attributes)) return fraction(value);
  if (clamps_below(attributes) && widened(value) <= 0) return Narrow<D>::nearest(0.0f);
  return canonical(value);
}
template <>
double finished(double value, u32 attributes) {
  return saturates(attributes) ? fraction(value) : value;
}
float flushed_if(float value, bool flush) {
  return flush ? flushed<true>(value) : value;
}
template <class V>
V flushed_if(V value, bool) {
  return value;
}

/// An integer as a double, odd when it does not fit: comparing with or rounding to anything narrower stays right.
template <class A>
double odd_double(A value) {
  const auto nearest = static_cast<double>(value);
  if constexpr (sizeof(A) < 8) return nearest;
  const auto miss = static_cast<__int128>(value) - static_cast<__int128>(nearest);
  return rounded_to_odd(nearest, miss > 0 ? 1.0 : miss < 0 ? -1.0 : 0.0);
}

template <Rounding mode, class D, class A>
D float_from_integer(A value) {
  if constexpr (sizeof(D) >= 4) {
    const auto nearest = static_cast<D>(value);
    if constexpr (mode == Rounding::rn || sizeof(A) < sizeof(D)) return nearest;
    const auto miss = static_cast<__int128>(value) - static_cast<__int128>(nearest);
    return directed<mode>(nearest, miss > 0 ? 1 : miss < 0 ? -1 : 0);
  } else {
    const double exact = odd_double(value);
    const D nearest = Narrow<D>::nearest(exact);
    return directed<mode>(nearest, exact - static_cast<double>(widened(nearest)));
  }
}
template <Type d, Type a>
void convert_to_float(const Instr& instr, const Lanes& lanes) {
  using D = Value<d>;
  using A = Value<a>;
  const u32 how = attributes(instr);
  with_rounding(how, [&]<Rounding mode>() {
    if (saturates(how))
      return convert_lanes<D, A>(instr, lanes,
                                 [](A value) -> D { return fraction(float_from_integer<mode, D>(value)); });
    convert_lanes<D, A>(instr, lanes, [](A value) -> D { return float_from_integer<mode, D>(value); });
  });
}

// Floating point to integer: always clamped to the range of the integer. NaN gives 0, or, with an f64 source or a
// 64-bit result, the integer whose top bit alone is set.

template <Rounding mode, class V>
V integral(V value) {
  switch (mode) {
    case Rounding::rn:
      return std::nearbyint(value);
    case Rounding::rz:
      return std::trunc(value);
    case Rounding::rm:
      return std::floor(value);
    default:
      return std::ceil(value);
  }
}
template <class D, bool from_f64, class V>
D integer_from(V value) {
  constexpr bool is_signed = std::is_signed_v<D>;
  constexpr u32 bits_in_range = sizeof(D) * 8 - is_signed;
  constexpr D least = is_signed ? static_cast<D>(D{1} << (sizeof(D) * 8 - 1)) : D{0}, most = static_cast<D>(~least);
  constexpr double limit = 2.0 * static_cast<double>(u64{1} << (bits_in_range - 1));
  constexpr D of_nan =
      from_f64 || sizeof(D) == 8 ? static_cast<D>(std::make_unsigned_t<D>{1} << (sizeof(D) * 8 - 1)) : D{0};
  if (value != value) return of_nan;
  if (static_cast<double>(value) >= limit) return most;
  if (static_cast<double>(value) < static_cast<double>(least)) return least;
  if constexpr (sizeof(D) < 4)
    return static_cast<D>(static_cast<i32>(value));
  else if constexpr (sizeof(D) == 4)
    return static_cast<D>(static_cast<i64>(value));
  else
    return static_cast<D>(value);
}
template <Type d, Type a>
void convert_to_integer(const Instr& instr, const Lanes& lanes) {
  using D = Value<d>;
  using A = Value<a>;
  const bool flush = flushes(attributes(instr));
  with_rounding(attributes(instr), [&]<Rounding mode>() {
    convert_lanes<D, A>(instr, lanes, [flush](A value) {
      return integer_from<D, a == Type::f64>(integral<mode>(widened(flushed_if(value, flush))));
    });
  });
}

template <class V>
void round_to_integral(const Instr& instr, const Lanes& lanes) {
  const u32 how = attributes(instr);
  with_rounding(how, [&]<Rounding mode>() {
    for_lanes<V, V>(instr, lanes, [how](V value) {
      return finished(Narrow<V>::nearest(integral<mode>(widened(flushed_if(value, flushes(how))))), how);
    });
  });
}
template <>
void round_to_integral<double>(const Instr& instr, const Lanes& lanes) {
  const u32 how = attributes(instr);
  with_rounding(how, [&]<Rounding mode>() {
    for_lanes<double, double>(instr, lanes, [how](double value) { return finished(integral<mode>(value), how); });
  });
}
constexpr AluBody round_to_integral_f32 = round_to_integral<float>, round_to_integral_f64 = round_to_integral<double>;
constexpr AluBody round_to_integral_f16 = round_to_integral<Half>, round_to_integral_bf16 = round_to_integral<Brain>;

// Floating point to floating point.

template <Rounding mode, class D, class A>
D float_from(A value) {
  if constexpr (sizeof(D) == 8)
    return static_cast<double>(widened(value));
  else {
    const D nearest = Narrow<D>::nearest(widened(value));
    return directed<mode>(nearest, static_cast<double>(widened(value)) - static_cast<double>(widened(nearest)));
  }
}
template <class D, class A, u32 how>
void convert_float_as(const Instr& instr, const Lanes& lanes) {
  constexpr bool flush = flushes(how);
  for_lanes<D, A>(instr, lanes, [](A value) -> D {
    return finished(flushed_if(float_from<rounding_of(how), D>(flushed_if(value, flush)), flush), how);
  });
}
template <Type d, Type a>
void convert_float(const Instr& instr, const Lanes& lanes) {
  using D = Value<d>;
  using A = Value<a>;
  const u32 how = attributes(instr);
  if (how == 0) return convert_float_as<D, A, 0>(instr, lanes);
  if (how == 1u << 4) return convert_float_as<D, A, 1u << 4>(instr, lanes);
  with_rounding(how, [&]<Rounding mode>() {
    for_lanes<D, A>(instr, lanes, [how](A value) {
      return finished(flushed_if(float_from<mode, D>(flushed_if(value, flushes(how))), flushes(how)), how);
    });
  });
}
constexpr AluBody convert_f32_from_f32 = convert_float<Type::f32, Type::f32>,
                  convert_f64_from_f32 = convert_float<Type::f64, Type::f32>;
constexpr AluBody convert_f64_from_f64 = convert_float<Type::f64, Type::f64>,
                  convert_f32_from_f64 = convert_float<Type::f32, Type::f64>;
constexpr AluBody convert_f32_from_f16 = convert_float<Type::f32, Type::f16>,
                  convert_f64_from_f16 = convert_float<Type::f64, Type::f16>;
constexpr AluBody convert_f16_from_f32 = convert_float<Type::f16, Type::f32>,
                  convert_f16_from_f64 = convert_float<Type::f16, Type::f64>;
constexpr AluBody convert_f16_from_f16 = convert_float<Type::f16, Type::f16>,
                  convert_bf16_from_f32 = convert_float<Type::bf16, Type::f32>;
constexpr AluBody convert_bf16_from_f64 = convert_float<Type::bf16, Type::f64>,
                  convert_bf16_from_f16 = convert_float<Type::bf16, Type::f16>;
constexpr AluBody convert_f32_from_bf16 = convert_float<Type::f32, Type::bf16>,
                  convert_f64_from_bf16 = convert_float<Type::f64, Type::bf16>;
constexpr AluBody convert_f16_from_bf16 = convert_float<Type::f16, Type::bf16>;
constexpr AluBody convert_bf16_from_bf16 = convert_float<Type::bf16, Type::bf16>;

/// Two floats to a pair: a is the upper half, b the lower.
template <Type e>
void convert_pair(const Instr& instr, const Lanes& lanes) {
  using E = Value<e>;
  const u32 how = attributes(instr);
  with_rounding(how, [&]<Rounding mode>() {
    for_lanes<u32, float, float>(instr, lanes, [how](float a, float b) {
      const auto half = [how](float x) { return u32{bits_of(finished(float_from<mode, E>(x), how))}; };
      return half(a) << 16 | half(b);
    });
  });
}

/// tf32: 10 bits of significand in the upper 19 bits of a word. .rna: ties away from zero.
constexpr AluBody convert_tf32_away = each_lane<[](u32 a) -> u32 {
  const bool is_finite = (a & 0x7f800000) != 0x7f800000, is_infinite = (a & 0x7fffffff) == 0x7f800000;
  return is_finite ? (a + 0x1000) & 0xffffe000 : is_infinite ? a : canonical_nan_f32;
}>;
void convert_tf32(const Instr& instr, const Lanes& lanes) {
  const u32 how = attributes(instr);
  const bool truncates = rounding_of(how) == Rounding::rz, clamps = clamps_below(how);
  for_lanes<u32, u32>(instr, lanes, [=](u32 a) -> u32 {
    if ((a & 0x7fffffff) > 0x7f800000) return canonical_nan_f32;
    if (clamps && a >> 31) return 0;
    return (a + (truncates || a << 1 == 0xff000000 ? 0 : 0xfff + (a >> 13 & 1))) & 0xffffe000;
  });
}

/// cvt.pack: a and b saturated to `width` bits, b lowest; c's low bits fill the rest.
template <u32 width, bool is_signed>
u32 packed(i32 a, i32 b, u32 c) {
  constexpr i32 most = (1 << (width - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
  constexpr u32 mask = (1u << width) - 1;
  const u32 low = static_cast<u32>(std::clamp(b, least, most)) & mask,
            high = static_cast<u32>(std::clamp(a, least, most)) & mask;
  return (width == 16 ? 0 : c << (2 * width & 31)) | high << width | low;
}
constexpr AluBody convert_pack16_unsigned = each_lane<[](i32 a, i32 b) { return packed<16, false>(a, b, 0); }>;
constexpr AluBody convert_pack16_signed = each_lane<[](i32 a, i32 b) { return packed<16, true>(a, b, 0); }>;
constexpr AluBody convert_pack8_unsigned = each_lane<packed<8, false>>,
                  convert_pack8_signed = each_lane<packed<8, true>>;
constexpr AluBody convert_pack4_unsigned = each_lane<packed<4, false>>,
                  convert_pack4_signed = each_lane<packed<4, true>>;
constexpr AluBody convert_pack2_unsigned = each_lane<packed<2, false>>,
                  convert_pack2_signed = each_lane<packed<2, true>>;

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/convert.def"
);

}  // namespace

std::span<const AluBody> convert_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
