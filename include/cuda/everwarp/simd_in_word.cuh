// CUDA's SIMD-in-a-word intrinsics: two 16-bit or four 8-bit lanes in a 32-bit register, and the fused add/min/max of
// 32-bit integers. Written out lane by lane; the compiler sees plain integer code.
#pragma once

#include "device_function.cuh"

namespace everwarp_simd {

template <int kBits>
struct Lanes {
  static constexpr unsigned kMask = (1u << kBits) - 1;
  static constexpr int kCount = 32 / kBits, kLeast = -(1 << (kBits - 1)), kGreatest = (1 << (kBits - 1)) - 1;
  EW_DEVICE unsigned u(unsigned word, int lane) { return word >> (lane * kBits) & kMask; }
  EW_DEVICE int s(unsigned word, int lane) { return (int)(word << (32 - kBits - lane * kBits)) >> (32 - kBits); }
  EW_DEVICE unsigned put(unsigned value, int lane) { return (value & kMask) << (lane * kBits); }
};

}  // namespace everwarp_simd

// EW_LANEWISE(name, an expression of the lanes: ua and ub unsigned, sa and sb signed)
#define EW_LANEWISE_OF(name, bits, expression)                                                     \
  EW_DEVICE unsigned int name(unsigned int a, unsigned int b) {                                    \
    using L = everwarp_simd::Lanes<bits>;                                                          \
    unsigned int result = 0;                                                                       \
    for (int lane = 0; lane < L::kCount; ++lane) {                                                 \
      const unsigned int ua = L::u(a, lane), ub = L::u(b, lane);                                   \
      const int sa = L::s(a, lane), sb = L::s(b, lane);                                            \
      (void)ua, (void)ub, (void)sa, (void)sb;                                                      \
      result |= L::put((unsigned int)(expression), lane);                                          \
    }                                                                                              \
    return result;                                                                                 \
  }
#define EW_LANEWISE(name, expression)     \
  EW_LANEWISE_OF(name##2, 16, expression) \
  EW_LANEWISE_OF(name##4, 8, expression)
#define EW_LIMITED(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))
#define EW_SIGNED_LIMITED(value) EW_LIMITED(value, L::kLeast, L::kGreatest)

EW_LANEWISE(__vadd, ua + ub)
EW_LANEWISE(__vaddss, EW_SIGNED_LIMITED(sa + sb))
EW_LANEWISE(__vaddus, EW_LIMITED((int)(ua + ub), 0, (int)L::kMask))
EW_LANEWISE(__vsub, ua - ub)
EW_LANEWISE(__vsubss, EW_SIGNED_LIMITED(sa - sb))
EW_LANEWISE(__vsubus, ua > ub ? ua - ub : 0)
EW_LANEWISE(__vavgs, (sa + sb + (sa + sb >= 0)) >> 1)
EW_LANEWISE(__vavgu, (ua + ub + 1) >> 1)
EW_LANEWISE(__vhaddu, (ua + ub) >> 1)
EW_LANEWISE(__vmaxs, sa > sb ? sa : sb)
EW_LANEWISE(__vmaxu, ua > ub ? ua : ub)
EW_LANEWISE(__vmins, sa < sb ? sa : sb)
EW_LANEWISE(__vminu, ua < ub ? ua : ub)
EW_LANEWISE(__vabsdiffs, sa > sb ? sa - sb : sb - sa)
EW_LANEWISE(__vabsdiffu, ua > ub ? ua - ub : ub - ua)
#define EW_COMPARE(suffix, condition)                       \
  EW_LANEWISE(__vcmp##suffix, (condition) ? L::kMask : 0u) \
  EW_LANEWISE(__vset##suffix, (condition) ? 1u : 0u)
EW_COMPARE(eq, ua == ub)
EW_COMPARE(ne, ua != ub)
EW_COMPARE(ges, sa >= sb)
EW_COMPARE(geu, ua >= ub)
EW_COMPARE(gts, sa > sb)
EW_COMPARE(gtu, ua > ub)
EW_COMPARE(les, sa <= sb)
EW_COMPARE(leu, ua <= ub)
EW_COMPARE(lts, sa < sb)
EW_COMPARE(ltu, ua < ub)
#undef EW_COMPARE

#define EW_OF_ONE(name, binary)                                                   \
  EW_DEVICE unsigned int name##2(unsigned int a) { return binary##2(0, a); }      \
  EW_DEVICE unsigned int name##4(unsigned int a) { return binary##4(0, a); }
EW_OF_ONE(__vneg, __vsub)
EW_OF_ONE(__vnegss, __vsubss)
EW_OF_ONE(__vabs, __vabsdiffs)
#undef EW_OF_ONE
EW_DEVICE unsigned int __vabsss2(unsigned int a) { return __vmaxs2(a, __vnegss2(a)); }
EW_DEVICE unsigned int __vabsss4(unsigned int a) { return __vmaxs4(a, __vnegss4(a)); }

#define EW_SUM_OF_LANES(name, bits, differences)                                                        \
  EW_DEVICE unsigned int name(unsigned int a, unsigned int b) {                                         \
    const unsigned int each = differences(a, b);                                                        \
    unsigned int sum = 0;                                                                               \
    for (int lane = 0; lane < 32 / bits; ++lane) sum += everwarp_simd::Lanes<bits>::u(each, lane);      \
    return sum;                                                                                         \
  }
EW_SUM_OF_LANES(__vsads2, 16, __vabsdiffs2)
EW_SUM_OF_LANES(__vsadu2, 16, __vabsdiffu2)
EW_SUM_OF_LANES(__vsads4, 8, __vabsdiffs4)
EW_SUM_OF_LANES(__vsadu4, 8, __vabsdiffu4)
#undef EW_SUM_OF_LANES
#undef EW_SIGNED_LIMITED
#undef EW_LIMITED
#undef EW_LANEWISE
#undef EW_LANEWISE_OF

// The dynamic-programming functions of CUDA 12. Sums wrap, as CUDA's do.
#define EW_FUSED(suffix, type)                                                                                  \
  EW_DEVICE type __vimax3_##suffix(type a, type b, type c) { return max(max(a, b), c); }                        \
  EW_DEVICE type __vimin3_##suffix(type a, type b, type c) { return min(min(a, b), c); }                        \
  EW_DEVICE type __viaddmax_##suffix(type a, type b, type c) { return max((type)((unsigned)a + (unsigned)b), c); } \
  EW_DEVICE type __viaddmin_##suffix(type a, type b, type c) { return min((type)((unsigned)a + (unsigned)b), c); }
EW_FUSED(s32, int)
EW_FUSED(u32, unsigned int)
#undef EW_FUSED
EW_DEVICE int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
EW_DEVICE int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
EW_DEVICE int __vimax3_s32_relu(int a, int b, int c) { return max(max(max(a, b), c), 0); }
EW_DEVICE int __vimin3_s32_relu(int a, int b, int c) { return max(min(min(a, b), c), 0); }
EW_DEVICE int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
EW_DEVICE int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }

#define EW_FUSED_HALVES(suffix, maximum, minimum)                                                                         \
  EW_DEVICE unsigned int __vimax3_##suffix(unsigned int a, unsigned int b, unsigned int c) {                              \
    return maximum(maximum(a, b), c);                                                                                     \
  }                                                                                                                       \
  EW_DEVICE unsigned int __vimin3_##suffix(unsigned int a, unsigned int b, unsigned int c) {                              \
    return minimum(minimum(a, b), c);                                                                                     \
  }                                                                                                                       \
  EW_DEVICE unsigned int __viaddmax_##suffix(unsigned int a, unsigned int b, unsigned int c) {                            \
    return maximum(__vadd2(a, b), c);                                                                                     \
  }                                                                                                                       \
  EW_DEVICE unsigned int __viaddmin_##suffix(unsigned int a, unsigned int b, unsigned int c) {                            \
    return minimum(__vadd2(a, b), c);                                                                                     \
  }
EW_FUSED_HALVES(s16x2, __vmaxs2, __vmins2)
EW_FUSED_HALVES(u16x2, __vmaxu2, __vminu2)
#undef EW_FUSED_HALVES

EW_DEVICE unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b) { return __vmaxs2(__vmaxs2(a, b), 0); }
EW_DEVICE unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b) { return __vmaxs2(__vmins2(a, b), 0); }
EW_DEVICE unsigned int __vimax3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  return __vmaxs2(__vimax3_s16x2(a, b, c), 0);
}
EW_DEVICE unsigned int __vimin3_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  return __vmaxs2(__vimin3_s16x2(a, b, c), 0);
}
EW_DEVICE unsigned int __viaddmax_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  return __vmaxs2(__viaddmax_s16x2(a, b, c), 0);
}
EW_DEVICE unsigned int __viaddmin_s16x2_relu(unsigned int a, unsigned int b, unsigned int c) {
  return __vmaxs2(__viaddmin_s16x2(a, b, c), 0);
}

// These also say whether `a` was chosen; where both are equal it was.
#define EW_CHOSEN(suffix, type)                                                                       \
  EW_DEVICE type __vibmax_##suffix(type a, type b, bool* chosen) { return (*chosen = a >= b) ? a : b; } \
  EW_DEVICE type __vibmin_##suffix(type a, type b, bool* chosen) { return (*chosen = a <= b) ? a : b; }
EW_CHOSEN(s32, int)
EW_CHOSEN(u32, unsigned int)
#undef EW_CHOSEN
#define EW_CHOSEN_HALVES(name, of, type)                                                                       \
  EW_DEVICE unsigned int name(unsigned int a, unsigned int b, bool* high_chosen, bool* low_chosen) {           \
    const unsigned int high = (unsigned short)of((type)(a >> 16), (type)(b >> 16), high_chosen);               \
    return high << 16 | (unsigned short)of((type)a, (type)b, low_chosen);                                      \
  }
EW_CHOSEN_HALVES(__vibmax_s16x2, __vibmax_s32, short)
EW_CHOSEN_HALVES(__vibmin_s16x2, __vibmin_s32, short)
EW_CHOSEN_HALVES(__vibmax_u16x2, __vibmax_u32, unsigned short)
EW_CHOSEN_HALVES(__vibmin_u16x2, __vibmin_u32, unsigned short)
#undef EW_CHOSEN_HALVES
