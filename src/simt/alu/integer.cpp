// Integer arithmetic: PTX ISA 8.3, sections 9.7.1 and 9.7.2.
#include "simt/alu/lanes.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

/// Arithmetic that wraps is done in the unsigned cell.
template <class V>
Cell<V> u(V value) {
  return static_cast<Cell<V>>(value);
}
template <class V>
constexpr u32 width = sizeof(V) * 8;
template <class V>
using Unsigned = std::make_unsigned_t<V>;
template <class V>
constexpr V highest = static_cast<V>(std::is_signed_v<V> ? Unsigned<V>(~Unsigned<V>{0}) >> 1 : ~Unsigned<V>{0});
template <class V>
constexpr V lowest = static_cast<V>(~highest<V>);

template <class V>
struct TwiceOf;
template <>
struct TwiceOf<u16> {
  using type = u32;
};
template <>
struct TwiceOf<i16> {
  using type = i32;
};
template <>
struct TwiceOf<u32> {
  using type = u64;
};
template <>
struct TwiceOf<i32> {
  using type = i64;
};
template <>
struct TwiceOf<u64> {
  using type = unsigned __int128;
};
template <>
struct TwiceOf<i64> {
  using type = __int128;
};
template <class V>
using Twice = typename TwiceOf<V>::type;

template <class V>
V low(V a, V b) {
  return static_cast<V>(u(a) * u(b));
}
template <class V>
V high(V a, V b) {
  return static_cast<V>((static_cast<Twice<V>>(a) * static_cast<Twice<V>>(b)) >> width<V>);
}
template <bool is_high, class V>
V product(V a, V b) {
  return is_high ? high(a, b) : low(a, b);
}
i32 saturated(i64 value) {
  return static_cast<i32>(std::clamp<i64>(value, lowest<i32>, highest<i32>));
}

template <Type t, class V = Value<t>>
constexpr AluBody add = each_lane<[](V a, V b) -> V { return static_cast<V>(u(a) + u(b)); }>;
template <Type t, class V = Value<t>>
constexpr AluBody subtract = each_lane<[](V a, V b) -> V { return static_cast<V>(u(a) - u(b)); }>;
constexpr AluBody add_saturating = each_lane<[](i32 a, i32 b) -> i32 { return saturated(i64{a} + b); }>;
constexpr AluBody subtract_saturating = each_lane<[](i32 a, i32 b) -> i32 { return saturated(i64{a} - b); }>;
constexpr AluBody add_pairs =
    each_lane<[](u32 a, u32 b) -> u32 { return ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000)); }>;

template <bool is_high, Type t, class V = Value<t>>
constexpr AluBody multiply = each_lane<[](V a, V b) -> V { return product<is_high>(a, b); }>;
template <Type t, class V = Value<t>>
constexpr AluBody multiply_wide =
    each_lane<[](V a, V b) -> Twice<V> { return static_cast<Twice<V>>(a) * static_cast<Twice<V>>(b); }>;
template <bool is_high, Type t, class V = Value<t>>
constexpr AluBody multiply_add =
    each_lane<[](V a, V b, V c) -> V { return static_cast<V>(u(product<is_high>(a, b)) + u(c)); }>;
template <Type t, class V = Value<t>>
constexpr AluBody multiply_add_wide = each_lane<[](V a, V b, Twice<V> c) -> Twice<V> {
  return static_cast<Twice<V>>(u(static_cast<Twice<V>>(static_cast<Twice<V>>(a) * static_cast<Twice<V>>(b))) + u(c));
}>;
constexpr AluBody multiply_add_high_saturating =
    each_lane<[](i32 a, i32 b, i32 c) -> i32 { return saturated(i64{high(a, b)} + c); }>;

// The carry flag is a predicate. Sums and differences with it, on rows of V.

enum class Carry : u8 { out = 1, in = 2, both = 3 };

/// d = first + second + carry: `subtracts` complements second, and the flag is then a borrow (1: there was one).
template <class V, Carry carry, bool subtracts, class F>
void carry_chain(const Instr& instr, const Lanes& lanes, ptx::Predicate flag, Row addend, F first) {
  using C = Cell<V>;
  const bool reads = carry != Carry::out, writes = carry != Carry::in;
  const u32 flags = reads ? read_predicate(lanes, flag) : 0;
  const C* const second = source<V>(lanes, addend);
  alignas(64) C result[warp_lanes];
  u32 out = 0;
  for (u32 i = 0; i < warp_lanes; ++i) {
    const C a = first(i), b = second[i], in = flags >> i & 1;
    const C partial = subtracts ? a - b : a + b;
    result[i] = subtracts ? partial - in : partial + in;
    const bool overflow = subtracts ? a < b || partial < in : partial < a || result[i] < partial;
    out |= overflow ? lane_bit[i] : 0;
  }
  store(lanes, destination<V>(lanes, instr.dst), result);
  if (writes) write_predicate(lanes, flag, out);
}

template <Type t, Carry carry, bool subtracts>
void carried_sum(const Instr& instr, const Lanes& lanes) {
  const auto* const a = source<Value<t>>(lanes, instr.a);
  carry_chain<Value<t>, carry, subtracts>(instr, lanes, instr.c, instr.b, [a](u32 i) { return a[i]; });
}
template <Type t>
constexpr AluBody add_carry_out = carried_sum<t, Carry::out, false>;
template <Type t>
constexpr AluBody add_carry_in = carried_sum<t, Carry::in, false>;
template <Type t>
constexpr AluBody add_carry_in_out = carried_sum<t, Carry::both, false>;
template <Type t>
constexpr AluBody subtract_borrow_out = carried_sum<t, Carry::out, true>;
template <Type t>
constexpr AluBody subtract_borrow_in = carried_sum<t, Carry::in, true>;
template <Type t>
constexpr AluBody subtract_borrow_in_out = carried_sum<t, Carry::both, true>;

template <bool is_high, Type t, Carry carry>
void carried_product(const Instr& instr, const Lanes& lanes) {
  using V = Value<t>;
  const auto* const a = source<V>(lanes, instr.a);
  const auto* const b = source<V>(lanes, instr.b);
  const auto first = [=](u32 i) { return u(product<is_high>(from_cell<V>(a[i]), from_cell<V>(b[i]))); };
  carry_chain<V, carry, false>(instr, lanes, static_cast<u16>(instr.imm >> 16), instr.c, first);
}
template <bool is_high, Type t>
constexpr AluBody multiply_add_carry_out = carried_product<is_high, t, Carry::out>;
template <bool is_high, Type t>
constexpr AluBody multiply_add_carry_in = carried_product<is_high, t, Carry::in>;
template <bool is_high, Type t>
constexpr AluBody multiply_add_carry_in_out = carried_product<is_high, t, Carry::both>;

// 24-bit products: the low 24 bits of each source, sign-extended for s32; lo: bits 0..31, hi: bits 16..47 of the
// product.

template <class V>
i64 low24(V value) {
  return std::is_signed_v<V> ? i64{static_cast<i32>(u(value) << 8) >> 8} : i64{u(value) & 0xffffff};
}
template <bool is_high, class V>
V product24(V a, V b) {
  return static_cast<V>(low24(a) * low24(b) >> (is_high ? 16 : 0));
}
template <bool is_high, Type t, class V = Value<t>>
constexpr AluBody multiply24 = each_lane<[](V a, V b) -> V { return product24<is_high>(a, b); }>;
template <bool is_high, Type t, class V = Value<t>>
constexpr AluBody multiply_add24 =
    each_lane<[](V a, V b, V c) -> V { return static_cast<V>(u(product24<is_high>(a, b)) + u(c)); }>;
constexpr AluBody multiply_add24_saturating =
    each_lane<[](i32 a, i32 b, i32 c) -> i32 { return saturated(i64{product24<true>(a, b)} + c); }>;

template <Type t, class V = Value<t>>
constexpr AluBody sum_of_difference =
    each_lane<[](V a, V b, V c) -> V { return static_cast<V>(u(c) + (a < b ? u(b) - u(a) : u(a) - u(b))); }>;

/// Division by zero gives all ones and its remainder the dividend, as GPUs do; the one signed overflow wraps. (PTX:
/// unspecified.)
template <Type t, class V = Value<t>>
constexpr AluBody divide = each_lane<[](V a, V b) -> V {
  if (b == 0) return static_cast<V>(~V{0});
  if (std::is_signed_v<V> && b == static_cast<V>(-1)) return static_cast<V>(0 - u(a));
  return static_cast<V>(a / b);
}>;
template <Type t, class V = Value<t>>
constexpr AluBody remainder_of = each_lane<[](V a, V b) -> V {
  if (b == 0) return a;
  if (std::is_signed_v<V> && b == static_cast<V>(-1)) return 0;
  return static_cast<V>(a % b);
}>;

template <Type t, class V = Value<t>>
constexpr AluBody negate = each_lane<[](V a) -> V { return static_cast<V>(0 - u(a)); }>;
template <Type t, class V = Value<t>>
constexpr AluBody absolute = each_lane<[](V a) -> V { return a < 0 ? static_cast<V>(0 - u(a)) : a; }>;
template <Type t, class V = Value<t>>
constexpr AluBody minimum = each_lane<[](V a, V b) -> V { return b < a ? b : a; }>;
template <Type t, class V = Value<t>>
constexpr AluBody maximum = each_lane<[](V a, V b) -> V { return a < b ? b : a; }>;
constexpr AluBody minimum_relu = each_lane<[](i32 a, i32 b) -> i32 { return std::max(std::min(a, b), 0); }>;
constexpr AluBody maximum_relu = each_lane<[](i32 a, i32 b) -> i32 { return std::max({a, b, 0}); }>;

template <class V, class F>
u32 by_halves(u32 a, u32 b, F f) {
  const auto low_half = static_cast<u16>(f(static_cast<V>(a), static_cast<V>(b)));
  const auto high_half = static_cast<u16>(f(static_cast<V>(a >> 16), static_cast<V>(b >> 16)));
  return low_half | u32{high_half} << 16;
}
constexpr AluBody minimum_unsigned_pairs =
    each_lane<[](u32 a, u32 b) { return by_halves<u16>(a, b, [](u16 x, u16 y) { return std::min(x, y); }); }>;
constexpr AluBody maximum_unsigned_pairs =
    each_lane<[](u32 a, u32 b) { return by_halves<u16>(a, b, [](u16 x, u16 y) { return std::max(x, y); }); }>;
template <bool clamps>
constexpr AluBody minimum_signed_pairs = each_lane<[](u32 a, u32 b) {
  return by_halves<i16>(a, b, [](i16 x, i16 y) { return std::max(std::min(x, y), clamps ? i16{0} : lowest<i16>); });
}>;
template <bool clamps>
constexpr AluBody maximum_signed_pairs = each_lane<[](u32 a, u32 b) {
  return by_halves<i16>(a, b, [](i16 x, i16 y) { return std::max(std::max(x, y), clamps ? i16{0} : lowest<i16>); });
}>;

// Bits.

template <Type t, class V = Value<t>>
constexpr AluBody population = each_lane<[](V a) -> u32 { return static_cast<u32>(std::popcount(a)); }>;
template <Type t, class V = Value<t>>
constexpr AluBody leading_zeros = each_lane<[](V a) -> u32 { return static_cast<u32>(std::countl_zero(a)); }>;

/// Position of the highest bit that differs from the sign (unsigned: from 0), or ~0.
template <class V>
u32 highest_bit(V a) {
  const Cell<V> folded = u(std::is_signed_v<V> && a < 0 ? static_cast<V>(~a) : a);
  return folded == 0 ? ~0u : width<V> - 1 - static_cast<u32>(std::countl_zero(folded));
}
template <Type t, class V = Value<t>>
constexpr AluBody find_leading = each_lane<[](V a) -> u32 { return highest_bit(a); }>;
template <Type t, class V = Value<t>>
constexpr AluBody find_leading_shift = each_lane<[](V a) -> u32 {
  const u32 at = highest_bit(a);
  return at == ~0u ? at : width<V> - 1 - at;
}>;

/// fns: from bit `base`, the |offset|-th set bit upwards (offset > 0) or downwards; offset 0: base itself if it is set.
u32 nth_set(u32 mask, u32 base, i32 offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  const i32 step = offset > 0 ? 1 : -1;
  i64 left = offset > 0 ? i64{offset} : -i64{offset};
  for (i32 at = static_cast<i32>(base); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return static_cast<u32>(at);
  return ~0u;
}
constexpr AluBody find_nth_set =
    each_lane<[](u32 mask, u32 base, i32 offset) -> u32 { return nth_set(mask, base, offset); }>;

u32 reversed(u32 a) {
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(a);
}
u64 reversed(u64 a) {
  return u64{reversed(static_cast<u32>(a))} << 32 | reversed(static_cast<u32>(a >> 32));
}
template <Type t, class V = Value<t>>
constexpr AluBody reverse_bits = each_lane<[](V a) -> V { return reversed(a); }>;

/// bfe: position and length are their low 8 bits; bits beyond the top are the sign (unsigned: 0).
template <class V>
V field(V a, u32 position, u32 length) {
  position &= 0xff, length &= 0xff;
  if (length == 0) return 0;
  const u32 last = std::min(position + length - 1, width<V> - 1);
  const bool sign = std::is_signed_v<V> && (u(a) >> last & 1);
  const Cell<V> fill = sign ? ~Cell<V>{0} : 0;
  const Cell<V> moved = position < width<V> ? u(a) >> position : 0;
  const u32 kept = position < width<V> ? std::min(length, width<V> - position) : 0;
  const Cell<V> mask = kept == 0 ? 0 : kept >= width<V> ? ~Cell<V>{0} : (Cell<V>{1} << kept) - 1;
  return static_cast<V>((moved & mask) | (fill & ~mask));
}
template <Type t, class V = Value<t>>
constexpr AluBody extract_field =
    each_lane<[](V a, u32 position, u32 length) -> V { return field(a, position, length); }>;

template <class V>
V mask_of(u32 position, u32 length) {  // both at most 255
  if (position >= width<V> || length == 0) return 0;
  const V ones = length >= width<V> ? static_cast<V>(~V{0}) : static_cast<V>((V{1} << length) - 1);
  return static_cast<V>(ones << position);
}
template <Type t, class V = Value<t>>
constexpr AluBody insert_field = each_lane<[](V a, V b, u32 position, u32 length) -> V {
  position &= 0xff, length &= 0xff;
  const V mask = mask_of<V>(position, length);
  return (position < width<V> ? a << position & mask : 0) | (b & ~mask);
}>;
template <bool clamps>
constexpr AluBody field_mask = each_lane<[](u32 position, u32 length) -> u32 {
  return clamps ? mask_of<u32>(std::min(position, 32u), std::min(length, 32u))
                : mask_of<u32>(position & 31, length & 31);
}>;
template <bool clamps, Type t, class V = Value<t>>
constexpr AluBody extend_from = each_lane<[](V a, u32 bits_kept) -> V {
  const u32 n = clamps ? std::min(bits_kept, 32u) : bits_kept & 31;
  if (n == 0) return 0;
  return static_cast<V>(static_cast<V>(u(a) << (32 - n)) >> (32 - n));
}>;

// Dot products of bytes: dp4a has four, dp2a two 16-bit values of a with two bytes of b (lo: bytes 0 and 1, hi: 2 and
// 3).

template <class A, class B>
u32 dot4(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 4; ++i)
    c += static_cast<u32>(static_cast<i32>(static_cast<A>(a >> 8 * i)) * static_cast<i32>(static_cast<B>(b >> 8 * i)));
  return c;
}
constexpr AluBody dot_product4_uu = each_lane<[](u32 a, u32 b, u32 c) { return dot4<u8, u8>(a, b, c); }>;
constexpr AluBody dot_product4_us = each_lane<[](u32 a, u32 b, u32 c) { return dot4<u8, i8>(a, b, c); }>;
constexpr AluBody dot_product4_su = each_lane<[](u32 a, u32 b, u32 c) { return dot4<i8, u8>(a, b, c); }>;
constexpr AluBody dot_product4_ss = each_lane<[](u32 a, u32 b, u32 c) { return dot4<i8, i8>(a, b, c); }>;

template <class A, class B, bool is_high>
u32 dot2(u32 a, u32 b, u32 c) {
  for (u32 i = 0; i < 2; ++i)
    c += static_cast<u32>(static_cast<i32>(static_cast<A>(a >> 16 * i)) *
                          static_cast<i32>(static_cast<B>(b >> (8 * i + (is_high ? 16 : 0)))));
  return c;
}
template <bool is_high>
constexpr AluBody dot_product2_uu = each_lane<[](u32 a, u32 b, u32 c) { return dot2<u16, u8, is_high>(a, b, c); }>;
template <bool is_high>
constexpr AluBody dot_product2_us = each_lane<[](u32 a, u32 b, u32 c) { return dot2<u16, i8, is_high>(a, b, c); }>;
template <bool is_high>
constexpr AluBody dot_product2_su = each_lane<[](u32 a, u32 b, u32 c) { return dot2<i16, u8, is_high>(a, b, c); }>;
template <bool is_high>
constexpr AluBody dot_product2_ss = each_lane<[](u32 a, u32 b, u32 c) { return dot2<i16, i8, is_high>(a, b, c); }>;

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/integer.def"
);

}  // namespace

std::span<const AluBody> integer_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
