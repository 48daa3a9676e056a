// How the bodies of ALU forms see registers: typed rows of 32 lanes, loops that vectorise, results blended under the
// lane mask.
//
// Everything here lives in a namespace of the clone that is being compiled (EW_ALU_CLONE), so that the two clones never
// share code. A row holds a value of up to 32 bits zero-extended; 64-bit values take two rows seen as u64[32]. A
// destination may be the very row of a source if all operands are equally wide and it is the only one; else it is apart
// (ptx/accesses.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ptx/qualifiers.hpp"
#include "simt/alu.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {

using ptx::Combine;
using ptx::Compare;
using ptx::Instr;
using ptx::NumberClass;
using ptx::PermuteMode;
using ptx::Rounding;
using ptx::Row;
using ptx::Type;

/// 16-bit floating-point values by their bits.
struct Half {
  u16 bits;
};
struct Brain {
  u16 bits;
};
struct HalfPair {
  u32 bits;
};
struct BrainPair {
  u32 bits;
};

template <Type>
struct ValueOf;
template <>
struct ValueOf<Type::b8> {
  using type = u8;
};
template <>
struct ValueOf<Type::u8> {
  using type = u8;
};
template <>
struct ValueOf<Type::s8> {
  using type = i8;
};
template <>
struct ValueOf<Type::b16> {
  using type = u16;
};
template <>
struct ValueOf<Type::u16> {
  using type = u16;
};
template <>
struct ValueOf<Type::s16> {
  using type = i16;
};
template <>
struct ValueOf<Type::b32> {
  using type = u32;
};
template <>
struct ValueOf<Type::u32> {
  using type = u32;
};
template <>
struct ValueOf<Type::s32> {
  using type = i32;
};
template <>
struct ValueOf<Type::b64> {
  using type = u64;
};
template <>
struct ValueOf<Type::u64> {
  using type = u64;
};
template <>
struct ValueOf<Type::s64> {
  using type = i64;
};
template <>
struct ValueOf<Type::f32> {
  using type = float;
};
template <>
struct ValueOf<Type::f64> {
  using type = double;
};
template <>
struct ValueOf<Type::f16> {
  using type = Half;
};
template <>
struct ValueOf<Type::bf16> {
  using type = Brain;
};
template <>
struct ValueOf<Type::f16x2> {
  using type = HalfPair;
};
template <>
struct ValueOf<Type::bf16x2> {
  using type = BrainPair;
};
template <Type type>
using Value = typename ValueOf<type>::type;

/// The word or pair of words that a value takes in a row.
template <class V>
using Cell = std::conditional_t<sizeof(V) == 8, u64, u32>;

template <class V>
inline V from_cell(Cell<V> cell) {
  if constexpr (std::is_integral_v<V>)
    return static_cast<V>(cell);
  else if constexpr (sizeof(V) == 2)
    return std::bit_cast<V>(static_cast<u16>(cell));
  else
    return std::bit_cast<V>(cell);
}

/// Values of 8 and 16 bits are kept zero-extended; an s8 result is first sign-extended to the 16 bits of its register.
template <class V>
inline Cell<V> to_cell(V value) {
  if constexpr (std::is_same_v<V, i8>)
    return static_cast<u16>(static_cast<i16>(value));
  else if constexpr (std::is_integral_v<V>)
    return static_cast<std::make_unsigned_t<V>>(value);
  else if constexpr (sizeof(V) == 2)
    return std::bit_cast<u16>(value);
  else
    return std::bit_cast<Cell<V>>(value);
}

inline const u32* source_row(const Lanes& lanes, Row row) {
  const u32* const base = row & ptx::constant_row ? lanes.constants : lanes.rows;
  return base + (row & 0x7fffu) * warp_lanes;
}
inline u32* destination_row(const Lanes& lanes, Row row) {
  return lanes.rows + row * warp_lanes;
}

template <class V>
inline const Cell<V>* source(const Lanes& lanes, Row row) {
  return static_cast<const Cell<V>*>(static_cast<const void*>(source_row(lanes, row)));
}
template <class V>
inline Cell<V>* destination(const Lanes& lanes, Row row) {
  return static_cast<Cell<V>*>(static_cast<void*>(destination_row(lanes, row)));
}

inline constexpr LaneMask full_mask = 0xffffffff;

/// Bit i of a mask, as a vector of constants: how loops turn masks into lanes and back.
alignas(64) inline constexpr std::array<u32, warp_lanes> lane_bit = [] {
  std::array<u32, warp_lanes> bits{};
  for (u32 i = 0; i < warp_lanes; ++i) bits[i] = 1u << i;
  return bits;
}();

template <class C>
inline C blended(C fresh, C old, u32 select) {
  const auto wide = static_cast<C>(static_cast<std::make_signed_t<C>>(static_cast<i32>(select)));
  return (fresh & wide) | (old & ~wide);
}

/// Writes a computed row under the mask.
template <class C>
inline void store(const Lanes& lanes, C* to, const C* from) {
  if (lanes.mask == full_mask) {
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = from[i];
  } else {
    for (u32 i = 0; i < warp_lanes; ++i) to[i] = blended(from[i], to[i], lanes.blend[i]);
  }
}

inline Row operand_row(const Instr& instr, u32 n) {
  switch (n) {
    case 0:
      return instr.a;
    case 1:
      return instr.b;
    case 2:
      return instr.c;
    default:
      return static_cast<Row>(instr.imm >> 16);
  }
}

inline u32 attributes(const Instr& instr) {
  return instr.imm & 0xffff;
}

template <class F>
struct Signature;
template <class D, class... S>
struct Signature<D (*)(S...)> {
  static constexpr u32 arity = sizeof...(S);

  template <class F, std::size_t... I>
  [[gnu::always_inline]] static void run(const Instr& instr, const Lanes& lanes, F f, std::index_sequence<I...>) {
    Cell<D>* const d = destination<D>(lanes, instr.dst);
    const auto sources = std::tuple<const Cell<S>*...>(source<S>(lanes, operand_row(instr, I))...);
    if (lanes.mask == full_mask) {
#pragma GCC ivdep  // a destination row is a source's very row or apart from it
      for (u32 i = 0; i < warp_lanes; ++i) d[i] = to_cell<D>(f(from_cell<S>(std::get<I>(sources)[i])...));
      return;
    }
    alignas(64) Cell<D> result[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) result[i] = to_cell<D>(f(from_cell<S>(std::get<I>(sources)[i])...));
    store(lanes, d, result);
  }
};

/// A body from a function of one lane: [](u32 a, u32 b) { return a + b; }. Types of its signature say what the rows
/// hold.
template <auto f>
void each_lane(const Instr& instr, const Lanes& lanes) {
  using S = Signature<decltype(+f)>;
  S::run(instr, lanes, f, std::make_index_sequence<S::arity>{});
}

/// The same for a function object that holds run-time state (attributes of the instruction).
template <class D, class... S, class F>
inline void for_lanes(const Instr& instr, const Lanes& lanes, F f) {
  Signature<D (*)(S...)>::run(instr, lanes, f, std::make_index_sequence<sizeof...(S)>{});
}

// Predicates.

inline u32 read_predicate(const Lanes& lanes, ptx::Predicate p) {
  const u32 number = p & 0x7fffu;
  const u32 value = number == ptx::always ? full_mask : lanes.predicates[number];
  return p & ptx::negated ? ~value : value;
}

inline void write_predicate(const Lanes& lanes, ptx::Predicate p, u32 value) {
  if (p == ptx::always) return;
  u32& word = lanes.predicates[p];
  word = (word & ~lanes.mask) | (value & lanes.mask);
}

/// One bit a lane from a test of one lane.
template <class... S, class F, std::size_t... I>
[[gnu::always_inline]] inline u32 test_rows(const Instr& instr, const Lanes& lanes, F f, std::index_sequence<I...>) {
  const auto sources = std::tuple<const Cell<S>*...>(source<S>(lanes, operand_row(instr, I))...);
  u32 bits = 0;
  for (u32 i = 0; i < warp_lanes; ++i) bits |= f(from_cell<S>(std::get<I>(sources)[i])...) ? lane_bit[i] : 0;
  return bits;
}
template <class... S, class F>
[[gnu::always_inline]] inline u32 test_lanes(const Instr& instr, const Lanes& lanes, F f) {
  return test_rows<S...>(instr, lanes, f, std::make_index_sequence<sizeof...(S)>{});
}

inline u32 combined(Combine how, u32 value, u32 with) {
  switch (how) {
    case Combine::none:
      return value;
    case Combine::bit_and:
      return value & with;
    case Combine::bit_or:
      return value | with;
    case Combine::bit_xor:
      return value ^ with;
  }
  return value;
}

// The table: one array of bodies a FORM line, in the order of the lists that follow the body.

template <std::size_t index, const auto&... lists>
struct Pick;
template <std::size_t index>
struct Pick<index> {
  template <auto... values, class F>
  static constexpr AluBody from(F f) {
    return f.template operator()<values...>();
  }
};
template <std::size_t index, const auto& first, const auto&... rest>
struct Pick<index, first, rest...> {
  static constexpr std::size_t stride = (std::size_t{1} * ... * std::size(rest));
  template <auto... values, class F>
  static constexpr AluBody from(F f) {
    return Pick<index % stride, rest...>::template from<values..., first[index / stride].value>(f);
  }
};

template <const auto&... lists, class F>
constexpr auto form_bodies(F f) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<AluBody, sizeof...(I)>{Pick<I, lists...>::template from<>(f)...};
  }
  (std::make_index_sequence<(std::size_t{1} * ... * std::size(lists))>{});
}

/// The subjects' tables, in the order of ptx/forms/all.def.
std::span<const AluBody> integer_bodies();
std::span<const AluBody> video_bodies();
std::span<const AluBody> logic_bodies();
std::span<const AluBody> compare_bodies();
std::span<const AluBody> float_bodies();
std::span<const AluBody> half_bodies();
std::span<const AluBody> convert_bodies();

template <std::size_t... sizes>
constexpr auto joined(const std::array<AluBody, sizes>&... parts) {
  std::array<AluBody, (sizes + ...)> all{};
  std::size_t at = 0;
  ((std::copy(parts.begin(), parts.end(), all.begin() + at), at += sizes), ...);
  return all;
}

using namespace ptx::slot;

// A FORM line as one argument of joined(); the first argument is an empty array.
#define FORM(pattern, signature, body, ...) \
  , form_bodies<__VA_ARGS__>([]<auto... values>()->AluBody { return body __VA_OPT__(<values...>); })

}  // namespace ew::simt::alu::EW_ALU_CLONE
