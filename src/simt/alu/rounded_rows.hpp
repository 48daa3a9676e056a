// Arithmetic of whole rows in any rounding. To nearest, the compiler's own loops. Directed, where the clone is compiled
// for processors with AVX and FMA: the processor's rounding mode, set once an instruction. The instructions that depend
// on it are volatile assembly, since a compiler moves arithmetic across changes of the mode. Elsewhere: rounding.hpp,
// lane by lane, with the same results.
#pragma once

#if defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
#endif

#include "simt/alu/rounding.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {

#if defined(__AVX__) && defined(__FMA__)
inline constexpr bool processor_rounds = true;
template <class V>
using Packed [[gnu::vector_size(32)]] = V;

/// The thread's rounding mode while it lives.
class RoundingMode {
 public:
  explicit RoundingMode(Rounding mode) : before_(_mm_getcsr()) {
    const u32 control = mode == Rounding::rm ? 0x2000 : mode == Rounding::rp ? 0x4000 : 0x6000;
    _mm_setcsr((before_ & ~0x6000u) | control);
  }
  ~RoundingMode() { _mm_setcsr(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  const u32 before_;
};

#define EW_PACKED_2(name, instruction)                                        \
  inline Packed<float> name(Packed<float> a, Packed<float> b) {               \
    asm volatile("v" instruction "ps %2, %1, %0" : "=x"(a) : "x"(a), "x"(b)); \
    return a;                                                                 \
  }                                                                           \
  inline Packed<double> name(Packed<double> a, Packed<double> b) {            \
    asm volatile("v" instruction "pd %2, %1, %0" : "=x"(a) : "x"(a), "x"(b)); \
    return a;                                                                 \
  }
EW_PACKED_2(packed_sum, "add")
EW_PACKED_2(packed_product, "mul")
EW_PACKED_2(packed_quotient, "div")
#undef EW_PACKED_2

inline Packed<float> packed_fma(Packed<float> a, Packed<float> b, Packed<float> c) {
  asm volatile("vfmadd213ps %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
  return a;
}
inline Packed<double> packed_fma(Packed<double> a, Packed<double> b, Packed<double> c) {
  asm volatile("vfmadd213pd %2, %1, %0" : "+x"(a) : "x"(b), "x"(c));
  return a;
}
inline Packed<float> packed_root(Packed<float> a) {
  asm volatile("vsqrtps %1, %0" : "=x"(a) : "x"(a));
  return a;
}
inline Packed<double> packed_root(Packed<double> a) {
  asm volatile("vsqrtpd %1, %0" : "=x"(a) : "x"(a));
  return a;
}
#else
inline constexpr bool processor_rounds = false;
#endif

// The operations: `one` lane in a given mode, and several lanes in the mode that the processor has.

#if defined(__AVX__) && defined(__FMA__)
#define EW_MANY(parameters, expression) \
  template <class P>                    \
  static P many parameters {            \
    return expression;                  \
  }
#else
#define EW_MANY(parameters, expression)
#endif

struct Sum {
  template <Rounding mode, class V>
  static V one(V a, V b) {
    return rounded_sum<mode>(a, b);
  }
  EW_MANY((P a, P b), packed_sum(a, b))
};
struct Difference {
  template <Rounding mode, class V>
  static V one(V a, V b) {
    return rounded_sum<mode>(a, -b);
  }
  EW_MANY((P a, P b), packed_sum(a, -b))
};
struct Product {
  template <Rounding mode, class V>
  static V one(V a, V b) {
    return rounded_product<mode>(a, b);
  }
  EW_MANY((P a, P b), packed_product(a, b))
};
struct MultiplyAdd {
  template <Rounding mode, class V>
  static V one(V a, V b, V c) {
    return rounded_fma<mode>(a, b, c);
  }
  EW_MANY((P a, P b, P c), packed_fma(a, b, c))
};
struct Quotient {
  template <Rounding mode, class V>
  static V one(V a, V b) {
    return rounded_quotient<mode>(a, b);
  }
  EW_MANY((P a, P b), packed_quotient(a, b))
};
struct Reciprocal {
  template <Rounding mode, class V>
  static V one(V a) {
    return rounded_quotient<mode>(V{1}, a);
  }
  EW_MANY((P a), packed_quotient(P{} + 1, a))
};
struct Root {
  template <Rounding mode, class V>
  static V one(V a) {
    return rounded_root<mode>(a);
  }
  EW_MANY((P a), packed_root(a))
};
#undef EW_MANY

/// A row of results. `Format::in` is what happens to each source first, `Format::out(result, sources...)` what happens
/// to the result; S: Format::V, once a source.
template <class Operation, Rounding mode, class Format, class... S, std::size_t... I>
[[gnu::always_inline]] inline void rounded_row(const Instr& instr, const Lanes& lanes, std::index_sequence<I...>) {
  using V = typename Format::V;
  if constexpr (mode == Rounding::rn || !processor_rounds) {
    for_lanes<V, S...>(instr, lanes, [](S... sources) -> V {
      return Format::out(Operation::template one<mode>(Format::in(sources)...), sources...);
    });
  } else {
#if defined(__AVX__) && defined(__FMA__)
    constexpr u32 together = sizeof(Packed<V>) / sizeof(V);
    const Cell<V>* const from[] = {source<S>(lanes, operand_row(instr, I))...};
    alignas(64) V sources[sizeof...(S)][warp_lanes], results[warp_lanes];
    for (u32 s = 0; s < sizeof...(S); ++s)
      for (u32 i = 0; i < warp_lanes; ++i) sources[s][i] = Format::in(from_cell<V>(from[s][i]));
    const auto packed = [&](u32 s, u32 i) {
      return *static_cast<const Packed<V>*>(static_cast<const void*>(&sources[s][i]));
    };
    {
      const RoundingMode inside(mode);
      for (u32 i = 0; i < warp_lanes; i += together) {
        const Packed<V> result = Operation::many(packed(I, i)...);
        std::memcpy(&results[i], &result, sizeof result);
      }
    }
    alignas(64) Cell<V> cells[warp_lanes];
    for (u32 i = 0; i < warp_lanes; ++i) cells[i] = to_cell<V>(Format::out(results[i], from_cell<V>(from[I][i])...));
    store(lanes, destination<V>(lanes, instr.dst), cells);
#endif
  }
}

template <class Operation, Rounding mode, class Format, u32 arity>
void rounded_rows(const Instr& instr, const Lanes& lanes) {
  using V = typename Format::V;
  if constexpr (arity == 1)
    rounded_row<Operation, mode, Format, V>(instr, lanes, std::make_index_sequence<1>{});
  else if constexpr (arity == 2)
    rounded_row<Operation, mode, Format, V, V>(instr, lanes, std::make_index_sequence<2>{});
  else
    rounded_row<Operation, mode, Format, V, V, V>(instr, lanes, std::make_index_sequence<3>{});
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
