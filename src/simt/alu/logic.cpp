// Logic, shifts, permutes, moves and selections: PTX ISA 8.3, sections 9.7.5 to 9.7.8.
#include "simt/alu/lanes.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

template <class V>
constexpr u32 width = sizeof(V) * 8;

template <Type t, class V = Value<t>>
constexpr AluBody bitwise_and = each_lane<[](V a, V b) -> V { return a & b; }>;
template <Type t, class V = Value<t>>
constexpr AluBody bitwise_or = each_lane<[](V a, V b) -> V { return a | b; }>;
template <Type t, class V = Value<t>>
constexpr AluBody bitwise_xor = each_lane<[](V a, V b) -> V { return a ^ b; }>;
template <Type t, class V = Value<t>>
constexpr AluBody bitwise_not = each_lane<[](V a) -> V { return static_cast<V>(~a); }>;
template <Type t, class V = Value<t>>
constexpr AluBody logical_not = each_lane<[](V a) -> V { return a == 0; }>;

template <class F>
void on_predicates(const Instr& instr, const Lanes& lanes, F f) {
  write_predicate(lanes, instr.dst, f(read_predicate(lanes, instr.a), read_predicate(lanes, instr.b)));
}
void predicate_and(const Instr& i, const Lanes& l) {
  on_predicates(i, l, [](u32 a, u32 b) { return a & b; });
}
void predicate_or(const Instr& i, const Lanes& l) {
  on_predicates(i, l, [](u32 a, u32 b) { return a | b; });
}
void predicate_xor(const Instr& i, const Lanes& l) {
  on_predicates(i, l, [](u32 a, u32 b) { return a ^ b; });
}
void predicate_not(const Instr& i, const Lanes& l) {
  write_predicate(l, i.dst, ~read_predicate(l, i.a));
}
void predicate_move(const Instr& i, const Lanes& l) {
  write_predicate(l, i.dst, read_predicate(l, i.a));
}

/// Bit n of the table is the result where the bits of a, b, c make the number n.
u32 looked_up(u32 table, u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (u32 n = 0; n < 8; ++n) {
    const u32 minterm = (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    result |= table >> n & 1 ? minterm : 0;
  }
  return result;
}

using LogicBody = void (*)(const Instr&, const Lanes&);
template <u32 table>
constexpr LogicBody lookup_body = each_lane<[](u32 a, u32 b, u32 c) -> u32 { return looked_up(table, a, b, c); }>;
constexpr auto lookup_bodies = []<std::size_t... tables>(std::index_sequence<tables...>) {
  return std::array<LogicBody, 256>{lookup_body<tables>...};
}
(std::make_index_sequence<256>{});

void lookup3(const Instr& instr, const Lanes& lanes) {
  lookup_bodies[attributes(instr)](instr, lanes);
}

/// lop3.BoolOp d|p, a, b, c, table, q: p = (d != 0) BoolOp q. The list holds combine and table, p, q.
template <Combine combine>
void lookup3_predicate(const Instr& instr, const Lanes& lanes) {
  const u16* const list = lanes.kernel->operands.data() + instr.imm;
  const u32 table = list[0] & 0xff;
  const u32 with = read_predicate(lanes, list[2]);
  const u32 *a = source<u32>(lanes, instr.a), *b = source<u32>(lanes, instr.b), *c = source<u32>(lanes, instr.c);
  alignas(64) u32 result[warp_lanes];
  u32 nonzero = 0;
  for (u32 i = 0; i < warp_lanes; ++i) {
    result[i] = looked_up(table, a[i], b[i], c[i]);
    nonzero |= result[i] ? lane_bit[i] : 0;
  }
  if (instr.dst != ptx::no_row) store(lanes, destination<u32>(lanes, instr.dst), result);
  write_predicate(lanes, list[1], combined(combine, nonzero, with));
}

// Shifts by the width or more give 0, or copies of the sign.

template <class V>
V shifted_left(V a, u32 b) {
  return b >= width<V> ? V{0} : static_cast<V>(static_cast<Cell<V>>(a) << b);
}
template <Type t>
constexpr AluBody shift_left = each_lane<shifted_left<Value<t>>>;
template <class V>
V shifted_right(V a, u32 b) {
  const u32 by = std::min(b, width<V> - 1);
  return !std::is_signed_v<V> && b >= width<V> ? V{0} : static_cast<V>(a >> by);
}
template <Type t>
constexpr AluBody shift_right = each_lane<shifted_right<Value<t>>>;

template <bool clamps>
u32 funnel_shift(u32 c) {
  return clamps ? std::min(c, 32u) : c & 31;
}
/// 32 bits of b:a from bit `from`, 0 to 32.
u32 funneled(u32 a, u32 b, u32 from) {
  return static_cast<u32>((u64{b} << 32 | a) >> from);
}
template <bool clamps>
constexpr AluBody funnel_left =
    each_lane<[](u32 a, u32 b, u32 c) -> u32 { return funneled(a, b, 32 - funnel_shift<clamps>(c)); }>;
template <bool clamps>
constexpr AluBody funnel_right =
    each_lane<[](u32 a, u32 b, u32 c) -> u32 { return funneled(a, b, funnel_shift<clamps>(c)); }>;

/// The four selectors of a prmt mode, a nibble each (PTX ISA, table of prmt modes), by the low two bits of c.
constexpr u32 permute_selectors(PermuteMode mode, u32 c) {
  constexpr u16 f4e[] = {0x3210, 0x4321, 0x5432, 0x6543}, b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr u16 rc8[] = {0x0000, 0x1111, 0x2222, 0x3333}, ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
  constexpr u16 ecr[] = {0x0000, 0x1110, 0x2210, 0x3210}, rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (mode) {
    case PermuteMode::generic:
      return c;
    case PermuteMode::f4e:
      return f4e[c & 3];
    case PermuteMode::b4e:
      return b4e[c & 3];
    case PermuteMode::rc8:
      return rc8[c & 3];
    case PermuteMode::ecl:
      return ecl[c & 3];
    case PermuteMode::ecr:
      return ecr[c & 3];
    case PermuteMode::rc16:
      return rc16[c & 3];
  }
  return c;
}
/// Bit 3 of a selector replicates the byte's sign; only the generic mode can set it.
template <PermuteMode mode>
u32 permuted(u32 a, u32 b, u32 c) {
  const u64 bytes = u64{b} << 32 | a;
  const u32 selectors = permute_selectors(mode, c);
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u32 selector = selectors >> 4 * i & 0xf;
    const auto byte = static_cast<u32>(bytes >> 8 * (selector & 7)) & 0xff;
    result |= (selector & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
  }
  return result;
}
template <PermuteMode mode>
constexpr AluBody permute_bytes = each_lane<permuted<mode>>;

template <Type t, class V = Value<t>>
constexpr AluBody move = each_lane<[](V a) -> V { return a; }>;

void move128(const Instr& instr, const Lanes& lanes) {
  for (u32 half = 0; half < 4; half += 2)
    store(lanes, destination<u64>(lanes, static_cast<Row>(instr.dst + half)),
          source<u64>(lanes, static_cast<Row>(instr.a + half)));
}

// Packing and unpacking: the first element is the least significant. A '_' destination has no row.

template <class Whole, class Part, u32 count>
void pack(const Instr& instr, const Lanes& lanes) {
  std::array<const Cell<Part>*, count> parts;
  for (u32 n = 0; n < count; ++n) parts[n] = source<Part>(lanes, operand_row(instr, n));
  alignas(64) Cell<Whole> result[warp_lanes];
  for (u32 i = 0; i < warp_lanes; ++i) {
    Cell<Whole> whole = 0;
    for (u32 n = 0; n < count; ++n) whole |= Cell<Whole>{from_cell<Part>(parts[n][i])} << n * width<Part>;
    result[i] = whole;
  }
  store(lanes, destination<Whole>(lanes, instr.dst), result);
}

template <class Whole, class Part, u32 count>
void unpack(const Instr& instr, const Lanes& lanes) {
  const std::array<Row, 4> to{instr.dst, instr.a, instr.b, instr.c};
  const Row from = count == 2 ? instr.b : static_cast<Row>(instr.imm >> 16);
  alignas(64) Cell<Whole> whole[warp_lanes];
  std::copy_n(source<Whole>(lanes, from), warp_lanes, whole);
  for (u32 n = 0; n < count; ++n) {
    if (to[n] == ptx::no_row) continue;
    alignas(64) Cell<Part> part[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) part[i] = static_cast<Part>(whole[i] >> n * width<Part>);
    store(lanes, destination<Part>(lanes, to[n]), part);
  }
}

constexpr AluBody pack_2x8 = pack<u16, u8, 2>, unpack_2x8 = unpack<u16, u8, 2>;
constexpr AluBody pack_2x16 = pack<u32, u16, 2>, unpack_2x16 = unpack<u32, u16, 2>;
constexpr AluBody pack_4x8 = pack<u32, u8, 4>, unpack_4x8 = unpack<u32, u8, 4>;
constexpr AluBody pack_2x32 = pack<u64, u32, 2>, unpack_2x32 = unpack<u64, u32, 2>;
constexpr AluBody pack_4x16 = pack<u64, u16, 4>, unpack_4x16 = unpack<u64, u16, 4>;

void pack_2x64(const Instr& instr, const Lanes& lanes) {
  alignas(64) u64 halves[2][warp_lanes];
  std::copy_n(source<u64>(lanes, instr.a), warp_lanes, halves[0]);
  std::copy_n(source<u64>(lanes, instr.b), warp_lanes, halves[1]);
  for (u32 n = 0; n < 2; ++n) store(lanes, destination<u64>(lanes, static_cast<Row>(instr.dst + 2 * n)), halves[n]);
}
void unpack_2x64(const Instr& instr, const Lanes& lanes) {
  alignas(64) u64 halves[2][warp_lanes];
  for (u32 n = 0; n < 2; ++n) std::copy_n(source<u64>(lanes, static_cast<Row>(instr.b + 2 * n)), warp_lanes, halves[n]);
  if (instr.dst != ptx::no_row) store(lanes, destination<u64>(lanes, instr.dst), halves[0]);
  if (instr.a != ptx::no_row) store(lanes, destination<u64>(lanes, instr.a), halves[1]);
}

// Selections.

template <class C>
void choose(const Instr& instr, const Lanes& lanes, u32 first) {
  const C *a = source<C>(lanes, instr.a), *b = source<C>(lanes, instr.b);
  C* const d = destination<C>(lanes, instr.dst);
  alignas(64) C result[warp_lanes];
  for (u32 i = 0; i < warp_lanes; ++i) result[i] = first & lane_bit[i] ? a[i] : b[i];
  store(lanes, d, result);
}

template <Type t>
void select(const Instr& instr, const Lanes& lanes) {
  choose<Cell<Value<t>>>(instr, lanes, read_predicate(lanes, instr.c));
}

template <Type t>
void select_by_sign(const Instr& instr, const Lanes& lanes) {
  const u32* const c = source<u32>(lanes, instr.c);
  u32 first = 0;
  for (u32 i = 0; i < warp_lanes; ++i) first |= static_cast<i32>(c[i]) >= 0 ? lane_bit[i] : 0;
  choose<Cell<Value<t>>>(instr, lanes, first);
}

/// NaN selects b; a flushed negative subnormal is zero and selects a, as -0 does.
template <bool flushes, Type t>
void select_by_float(const Instr& instr, const Lanes& lanes) {
  const u32* const c = source<u32>(lanes, instr.c);
  u32 first = 0;
  for (u32 i = 0; i < warp_lanes; ++i) {
    const bool flushed = flushes && (c[i] & 0x7f800000) == 0;
    first |= flushed || std::bit_cast<float>(c[i]) >= 0 ? lane_bit[i] : 0;
  }
  choose<Cell<Value<t>>>(instr, lanes, first);
}

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/logic.def"
);

}  // namespace

std::span<const AluBody> logic_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
