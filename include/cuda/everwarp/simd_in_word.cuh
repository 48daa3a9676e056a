// CUDA's SIMD-in-a-word intrinsics: two 16-bit or four 8-bit lanes in a 32-bit register. They are plain integer code, lane
// by lane.
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
