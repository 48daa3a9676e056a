// The functions of CUDA 12 for dynamic programming (DPX), for host and device. They are minima and maxima of two or three
// numbers, or of a sum and a number; with `relu` not below 0. They work on 32-bit integers and on the two halves of a
// word. Sums wrap around, as CUDA's do.
#pragma once

#include "device_function.cuh"

namespace everwarp_dpx {
template <class T>
EW_BOTH_SIDES T greater(T a, T b) {
  return a > b ? a : b;
}
template <class T>
EW_BOTH_SIDES T smaller(T a, T b) {
  return a < b ? a : b;
}
template <class T>
EW_BOTH_SIDES T sum(T a, T b) {
  return (T)((unsigned int)a + (unsigned int)b);
}
template <class T>
EW_BOTH_SIDES T upper(unsigned int word) {
  return (T)(word >> 16);
}
EW_BOTH_SIDES unsigned int pair(unsigned int high, unsigned int low) { return high << 16 | (low & 0xffff); }
}  // namespace everwarp_dpx

// A function of three (the last one 0 where it takes two), and its twin on the halves of a word.
#define EW_DPX_WORD(name, type, expression)                  \
  EW_BOTH_SIDES type name(type a, type b, type c) {          \
    using namespace everwarp_dpx;                            \
    return expression;                                       \
  }
#define EW_DPX_HALVES(name, type, of_words)                                                                  \
  EW_BOTH_SIDES unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                          \
    using namespace everwarp_dpx;                                                                            \
    return pair((unsigned int)of_words<type>(upper<type>(a), upper<type>(b), upper<type>(c)),                \
                (unsigned int)of_words<type>((type)a, (type)b, (type)c));                                    \
  }
#define EW_DPX_SHAPE(shape, expression)                      \
  namespace everwarp_dpx {                                   \
  template <class T>                                         \
  EW_BOTH_SIDES T shape(T a, T b, T c) {                     \
    return (T)(expression);                                  \
  }                                                          \
  }
EW_DPX_SHAPE(max3, greater(greater(a, b), c))
EW_DPX_SHAPE(min3, smaller(smaller(a, b), c))
EW_DPX_SHAPE(sum_max, greater(sum(a, b), c))
EW_DPX_SHAPE(sum_min, smaller(sum(a, b), c))
EW_DPX_SHAPE(max3_relu, greater(max3(a, b, c), (T)0))
EW_DPX_SHAPE(min3_relu, greater(min3(a, b, c), (T)0))
EW_DPX_SHAPE(sum_max_relu, greater(sum_max(a, b, c), (T)0))
EW_DPX_SHAPE(sum_min_relu, greater(sum_min(a, b, c), (T)0))
#undef EW_DPX_SHAPE

#define EW_DPX(name, shape)                                        \
  EW_DPX_WORD(name##_s32, int, shape(a, b, c))                     \
  EW_DPX_WORD(name##_u32, unsigned int, shape(a, b, c))            \
  EW_DPX_HALVES(name##_s16x2, short, shape)                        \
  EW_DPX_HALVES(name##_u16x2, unsigned short, shape)               \
  EW_DPX_WORD(name##_s32_relu, int, shape##_relu(a, b, c))         \
  EW_DPX_HALVES(name##_s16x2_relu, short, shape##_relu)
EW_DPX(__vimax3, max3)
EW_DPX(__vimin3, min3)
EW_DPX(__viaddmax, sum_max)
EW_DPX(__viaddmin, sum_min)
#undef EW_DPX
#undef EW_DPX_HALVES
#undef EW_DPX_WORD

EW_BOTH_SIDES int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
EW_BOTH_SIDES int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
EW_BOTH_SIDES unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vimax3_s16x2(a, b, 0); }
EW_BOTH_SIDES unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) { return __vimin3_s16x2_relu(a, b, b); }

// These also say whether `a` was chosen. If both are equal, it was.
#define EW_CHOSEN(suffix, type)                                                                           \
  EW_BOTH_SIDES type __vibmax_##suffix(type a, type b, bool* chosen) { return (*chosen = a >= b) ? a : b; } \
  EW_BOTH_SIDES type __vibmin_##suffix(type a, type b, bool* chosen) { return (*chosen = a <= b) ? a : b; }
EW_CHOSEN(s32, int)
EW_CHOSEN(u32, unsigned int)
#undef EW_CHOSEN
#define EW_CHOSEN_HALVES(name, of, type)                                                                       \
  EW_BOTH_SIDES unsigned int name(unsigned int a, unsigned int b, bool* high_chosen, bool* low_chosen) {       \
    const unsigned int high = (unsigned int)of((type)(a >> 16), (type)(b >> 16), high_chosen);                 \
    return everwarp_dpx::pair(high, (unsigned int)of((type)a, (type)b, low_chosen));                           \
  }
EW_CHOSEN_HALVES(__vibmax_s16x2, __vibmax_s32, short)
EW_CHOSEN_HALVES(__vibmin_s16x2, __vibmin_s32, short)
EW_CHOSEN_HALVES(__vibmax_u16x2, __vibmax_u32, unsigned short)
EW_CHOSEN_HALVES(__vibmin_u16x2, __vibmin_u32, unsigned short)
#undef EW_CHOSEN_HALVES
