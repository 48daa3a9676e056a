// Comparisons: PTX ISA 8.3, sections 9.7.5 and 9.7.6. The second destination and the combining predicate see the plain
// comparison.
#include "simt/alu/half_values.hpp"
#include "simt/alu/lanes.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

template <Compare compare, class V>
bool holds(V a, V b) {
  const bool ordered = a == a && b == b;
  switch (compare) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return ordered && a != b;
    case Compare::lt:
      return a < b;
    case Compare::le:
      return a <= b;
    case Compare::gt:
      return a > b;
    case Compare::ge:
      return a >= b;
    case Compare::equ:
      return !(ordered && a != b);
    case Compare::neu:
      return a != b;
    case Compare::ltu:
      return !(a >= b);
    case Compare::leu:
      return !(a > b);
    case Compare::gtu:
      return !(a <= b);
    case Compare::geu:
      return !(a < b);
    case Compare::num:
      return ordered;
    case Compare::nan:
      return !ordered;
  }
}

Combine combine_of(const Instr& instr) {
  return static_cast<Combine>(attributes(instr) & 3);
}

/// setp: dst = test BoolOp c, and the predicate in imm's high half = !test BoolOp c.
void write_test(const Instr& instr, const Lanes& lanes, u32 test) {
  const u32 with = read_predicate(lanes, instr.c);
  const auto how = combine_of(instr);
  write_predicate(lanes, instr.dst, combined(how, test, with));
  write_predicate(lanes, static_cast<u16>(instr.imm >> 16), combined(how, ~test, with));
}

template <Compare compare, Type t>
void set_predicate(const Instr& instr, const Lanes& lanes) {
  using V = Value<t>;
  write_test(instr, lanes, test_lanes<V, V>(instr, lanes, [](V a, V b) { return holds<compare>(a, b); }));
}

template <Compare compare, bool flushes>
u32 test_f32(const Instr& instr, const Lanes& lanes) {
  return test_lanes<float, float>(
      instr, lanes, [](float a, float b) { return holds<compare>(flushed<flushes>(a), flushed<flushes>(b)); });
}
template <Compare compare>
u32 test_f64(const Instr& instr, const Lanes& lanes) {
  return test_lanes<double, double>(instr, lanes, [](double a, double b) { return holds<compare>(a, b); });
}
template <Compare compare, bool flushes, class V>
u32 test_narrow(const Instr& instr, const Lanes& lanes) {
  return test_lanes<V, V>(instr, lanes, [](V a, V b) {
    return holds<compare>(widened(flushed<flushes>(a)), widened(flushed<flushes>(b)));
  });
}
/// The low elements' test and the high elements'.
template <Compare compare, bool flushes, class Pair>
std::pair<u32, u32> test_pairs(const Instr& instr, const Lanes& lanes) {
  const auto half = [](Pair a, Pair b, u32 n) {
    return holds<compare>(widened(flushed<flushes>(element(a, n))), widened(flushed<flushes>(element(b, n))));
  };
  return {test_lanes<Pair, Pair>(instr, lanes, [half](Pair a, Pair b) { return half(a, b, 0); }),
          test_lanes<Pair, Pair>(instr, lanes, [half](Pair a, Pair b) { return half(a, b, 1); })};
}

template <Compare compare, bool flushes>
void set_predicate_f32(const Instr& instr, const Lanes& lanes) {
  write_test(instr, lanes, test_f32<compare, flushes>(instr, lanes));
}
template <Compare compare>
void set_predicate_f64(const Instr& instr, const Lanes& lanes) {
  write_test(instr, lanes, test_f64<compare>(instr, lanes));
}
template <Compare compare, bool flushes>
void set_predicate_f16(const Instr& instr, const Lanes& lanes) {
  write_test(instr, lanes, test_narrow<compare, flushes, Half>(instr, lanes));
}
template <Compare compare>
void set_predicate_bf16(const Instr& instr, const Lanes& lanes) {
  write_test(instr, lanes, test_narrow<compare, false, Brain>(instr, lanes));
}

/// Packed setp: p is the low elements' test, q the high elements', each combined.
template <Compare compare, bool flushes, class Pair>
void set_pair_predicates(const Instr& instr, const Lanes& lanes) {
  const auto [low, high] = test_pairs<compare, flushes, Pair>(instr, lanes);
  const u32 with = read_predicate(lanes, instr.c);
  write_predicate(lanes, instr.dst, combined(combine_of(instr), low, with));
  write_predicate(lanes, static_cast<u16>(instr.imm >> 16), combined(combine_of(instr), high, with));
}
template <Compare compare, bool flushes>
constexpr AluBody set_predicate_f16x2 = set_pair_predicates<compare, flushes, HalfPair>;
template <Compare compare>
constexpr AluBody set_predicate_bf16x2 = set_pair_predicates<compare, false, BrainPair>;

// set: all ones or 1.0 where the combined test holds, else 0.

template <Type t>
constexpr u32 true_word = 0xffffffff;
template <>
constexpr u32 true_word<Type::u16> = 0xffff;
template <>
constexpr u32 true_word<Type::s16> = 0xffff;
template <>
constexpr u32 true_word<Type::f32> = 0x3f800000;
template <>
constexpr u32 true_word<Type::f16> = 0x3c00;
template <>
constexpr u32 true_word<Type::bf16> = 0x3f80;

template <Type result>
void write_words(const Instr& instr, const Lanes& lanes, u32 test) {
  const u32 all = combined(combine_of(instr), test, read_predicate(lanes, instr.c));
  alignas(64) u32 words[warp_lanes];
  for (u32 i = 0; i < warp_lanes; ++i) words[i] = all & lane_bit[i] ? true_word<result> : 0;
  store(lanes, destination<u32>(lanes, instr.dst), static_cast<const u32*>(words));
}

template <Compare compare, Type result, Type t>
void set_word(const Instr& instr, const Lanes& lanes) {
  using V = Value<t>;
  write_words<result>(instr, lanes, test_lanes<V, V>(instr, lanes, [](V a, V b) { return holds<compare>(a, b); }));
}
template <Compare compare, bool flushes, Type result>
void set_word_f32(const Instr& instr, const Lanes& lanes) {
  write_words<result>(instr, lanes, test_f32<compare, flushes>(instr, lanes));
}
template <Compare compare, Type result>
void set_word_f64(const Instr& instr, const Lanes& lanes) {
  write_words<result>(instr, lanes, test_f64<compare>(instr, lanes));
}
template <Compare compare, bool flushes, Type result>
void set_word_f16(const Instr& instr, const Lanes& lanes) {
  write_words<result>(instr, lanes, test_narrow<compare, flushes, Half>(instr, lanes));
}
template <Compare compare, Type result>
void set_word_bf16(const Instr& instr, const Lanes& lanes) {
  write_words<result>(instr, lanes, test_narrow<compare, false, Brain>(instr, lanes));
}

template <Compare compare, bool flushes, class Pair, u32 one>
void set_pairs(const Instr& instr, const Lanes& lanes) {
  const auto [low, high] = test_pairs<compare, flushes, Pair>(instr, lanes);
  const u32 with = read_predicate(lanes, instr.c);
  const u32 low_all = combined(combine_of(instr), low, with), high_all = combined(combine_of(instr), high, with);
  alignas(64) u32 words[warp_lanes];
  for (u32 i = 0; i < warp_lanes; ++i)
    words[i] = (low_all & lane_bit[i] ? one : 0) | (high_all & lane_bit[i] ? one << 16 : 0);
  store(lanes, destination<u32>(lanes, instr.dst), static_cast<const u32*>(words));
}
template <Compare compare, bool flushes>
constexpr AluBody set_pair_f16 = set_pairs<compare, flushes, HalfPair, 0x3c00>;
template <Compare compare>
constexpr AluBody set_pair_bf16 = set_pairs<compare, false, BrainPair, 0x3f80>;

constexpr auto table = joined(std::array<AluBody, 0>{}
#include "ptx/forms/compare.def"
);

}  // namespace

std::span<const AluBody> compare_bodies() {
  return table;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
