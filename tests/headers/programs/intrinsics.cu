// The intrinsics against the words of the CUDA manual (Math API: integer, type casting, SIMD, single and double precision with
// a stated rounding), over values at the edges: each function's reference is plain host code, with the host's rounding mode
// where the name has one. Beyond the manual's words (a float outside the integer's range) PTX's cvt says what comes.
#include <cuda_runtime.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "test.h"

namespace {

using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = long long;
using u64l = unsigned long long;

__host__ __device__ u64 bits(int x) { return u32(x); }
__host__ __device__ u64 bits(u32 x) { return x; }
__host__ __device__ u64 bits(long long x) { return u64(x); }
__host__ __device__ u64 bits(u64l x) { return x; }
__host__ __device__ u64 bits(float x) {
  u32 u;
  memcpy(&u, &x, 4);
  return x != x ? 0x7fffffffu : u;  // which NaN is not said
}
__host__ __device__ u64 bits(double x) {
  u64 u;
  memcpy(&u, &x, 8);
  return x != x ? ~u64{0} >> 1 : u;
}
template <class To, class From>
__host__ __device__ To as(From x) {
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}

// --- references ---

template <int width, class Each>
u32 lanes(u32 a, u32 b, Each each) {
  u32 result = 0;
  for (int at = 0; at < 32; at += width) {
    const u32 mask = (u64{1} << width) - 1, ua = a >> at & mask, ub = b >> at & mask;
    const i64 sa = i64(ua) - (ua >> (width - 1) ? i64{1} << width : 0), sb = i64(ub) - (ub >> (width - 1) ? i64{1} << width : 0);
    result |= (u32(each(sa, sb, i64(ua), i64(ub), (i64{1} << width) - 1)) & mask) << at;
  }
  return result;
}
#define LANES(expression) [](i64 sa, i64 sb, i64 ua, i64 ub, i64 mask) -> i64 { (void)sa, (void)sb, (void)ua, (void)ub, (void)mask; return expression; }
template <int width>
u32 sum(u32 x) {
  u32 result = 0;
  for (int at = 0; at < 32; at += width) result += x >> at & u32((u64{1} << width) - 1);
  return result;
}
i64 limit(i64 x, i64 least, i64 most) { return x < least ? least : x > most ? most : x; }
i64 half_of(i64 mask) { return mask >> 1; }

u32 permuted(u32 x, u32 y, u32 s) {
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 pick = s >> 4 * i & 7;
    result |= (pick < 4 ? x >> 8 * pick & 255 : y >> 8 * (pick - 4) & 255) << 8 * i;
  }
  return result;
}
u32 reversed(u64 x, int width) { u64 r = 0; for (int i = 0; i < width; ++i) r |= (x >> i & 1) << (width - 1 - i); return u32(r); }
u64 reversed_long(u64 x) { u64 r = 0; for (int i = 0; i < 64; ++i) r |= (x >> i & 1) << (63 - i); return r; }
int leading(u64 x, int width) { int n = 0; while (n < width && !(x >> (width - 1 - n) & 1)) ++n; return n; }
int first_set(u64 x) { for (int i = 0; i < 64; ++i) if (x >> i & 1) return i + 1; return 0; }
int ones(u64 x) { int n = 0; for (int i = 0; i < 64; ++i) n += x >> i & 1; return n; }
template <class T> T byte_of(u32 x, int i) { return T(x >> 8 * i); }
template <class T> T short_of(u32 x, int i) { return T(x >> 16 * i); }
int find_set(u32 mask, u32 base, int offset) {  // the offset-th set bit from base on; offset 0: base itself
  if (offset == 0) return mask >> (base & 31) & 1 ? int(base & 31) : -1;
  int left = std::abs(offset);
  for (int at = int(base & 31); at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
    if ((mask >> at & 1) && --left == 0) return at;
  return -1;
}

constexpr int nearest = FE_TONEAREST, zero = FE_TOWARDZERO, up = FE_UPWARD, down = FE_DOWNWARD;

/// One operation of the host in a rounding mode. Volatile: the compiler takes the mode to be the nearest.
template <class T, class Operation>
__attribute__((noinline)) T rounded(int mode, T a, T b, T c, Operation operation) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T result = operation(T(x), T(y), T(z));
  std::fesetround(FE_TONEAREST);
  return result;
}
template <class To, class From>
__attribute__((noinline)) To converted(int mode, From from) {
  volatile From x = from;
  std::fesetround(mode);
  volatile long double wide = x;
  volatile To result = To(wide);
  std::fesetround(FE_TONEAREST);
  return result;
}
template <class To, class From>
__attribute__((noinline)) To to_integer(int mode, From from) {
  if (from != from) return sizeof(To) == 8 || sizeof(From) == 8 ? To(u64{1} << (8 * sizeof(To) - 1)) : To(0);
  volatile long double x = from;
  std::fesetround(mode);
  volatile long double whole = rintl(x);
  std::fesetround(FE_TONEAREST);
  if (whole <= (long double)std::numeric_limits<To>::min()) return std::numeric_limits<To>::min();
  if (whole >= (long double)std::numeric_limits<To>::max()) return std::numeric_limits<To>::max();
  return To(whole);
}
#define ROUNDED(mode, type, a, b, c, expression) rounded<type>(mode, a, b, c, [](type x, type y, type z) { (void)y, (void)z; return expression; })

// --- the tables: arity, a name, what the device computes, what the host does. x y z and X Y Z are words, f g h floats, d e k
// doubles.

#define SIMD(F, name, expression)                                                        \
  F(2, name##2_, name##2(x, y), (lanes<16>(x, y, LANES(expression))))                    \
  F(2, name##4_, name##4(x, y), (lanes<8>(x, y, LANES(expression))))
#define SIMD_COMPARE(F, suffix, condition)                  \
  SIMD(F, __vcmp##suffix, (condition) ? mask : 0)           \
  SIMD(F, __vset##suffix, (condition) ? 1 : 0)
#define SIMD_ONE(F, name, expression)                                           \
  F(1, name##2_, name##2(x), (lanes<16>(x, 0, LANES(expression))))              \
  F(1, name##4_, name##4(x), (lanes<8>(x, 0, LANES(expression))))

// Functions of dynamic programming, of 32-bit words and of pairs of 16-bit ones. Sums wrap.
template <class T>
T fused(T a, T b, T c, bool adds, bool largest, bool relu, int operands) {
  T result = adds ? T(u32(a) + u32(b)) : a;
  if (!adds) result = largest ? std::max(a, b) : std::min(a, b);
  if (operands == 3) result = largest ? std::max(result, c) : std::min(result, c);
  return relu ? std::max(result, T(0)) : result;
}
template <class T>
u32 fused_halves(u32 a, u32 b, u32 c, bool adds, bool largest, bool relu, int operands) {
  u32 result = 0;
  for (int i = 0; i < 2; ++i)
    result |= u32(uint16_t(fused<T>(short_of<T>(a, i), short_of<T>(b, i), short_of<T>(c, i), adds, largest, relu, operands))) << 16 * i;
  return result;
}
/// The result in the lower half, whether a was chosen in the bits from 32 on.
template <class T, class Call>
__device__ u64l chosen(T a, T b, Call call) {
  bool high = false, low = false;
  const u32 result = u32(call(a, b, &high, &low));
  return u64(high) << 33 | u64(low) << 32 | result;
}
template <class T>
u64l chosen_word(T a, T b, bool largest) {
  return u64(largest ? a >= b : a <= b) << 32 | u32(largest ? std::max(a, b) : std::min(a, b));
}
template <class T>
u64l chosen_halves(u32 a, u32 b, bool largest) {
  u64 result = 0;
  for (int i = 0; i < 2; ++i) {
    const T x = short_of<T>(a, i), y = short_of<T>(b, i);
    result |= u64(largest ? x >= y : x <= y) << (32 + i) | u64(uint16_t(largest ? std::max(x, y) : std::min(x, y))) << 16 * i;
  }
  return result;
}
#define FUSED(F, suffix, type, relu, ...)                                                                                        \
  F(3, vimax3_##suffix##_, u32(__vimax3_##suffix(type(x), type(y), type(z))), u32(__VA_ARGS__(x, y, z, false, true, relu, 3)))   \
  F(3, vimin3_##suffix##_, u32(__vimin3_##suffix(type(x), type(y), type(z))), u32(__VA_ARGS__(x, y, z, false, false, relu, 3)))  \
  F(3, viaddmax_##suffix##_, u32(__viaddmax_##suffix(type(x), type(y), type(z))), u32(__VA_ARGS__(x, y, z, true, true, relu, 3))) \
  F(3, viaddmin_##suffix##_, u32(__viaddmin_##suffix(type(x), type(y), type(z))), u32(__VA_ARGS__(x, y, z, true, false, relu, 3)))
#define FUSED_RELU(F, suffix, type, ...)                                                                              \
  F(2, vimax_##suffix##_, u32(__vimax_##suffix(type(x), type(y))), u32(__VA_ARGS__(x, y, 0, false, true, true, 2)))   \
  F(2, vimin_##suffix##_, u32(__vimin_##suffix(type(x), type(y))), u32(__VA_ARGS__(x, y, 0, false, false, true, 2)))
#define CHOSEN(F, name, largest)                                                                                                                    \
  F(2, name##_s32_, chosen(int(x), int(y), [](int a, int b, bool*, bool* at) { return __##name##_s32(a, b, at); }), chosen_word(int(x), int(y), largest)) \
  F(2, name##_u32_, chosen(x, y, [](u32 a, u32 b, bool*, bool* at) { return __##name##_u32(a, b, at); }), chosen_word(x, y, largest))                \
  F(2, name##_s16x2_, chosen(x, y, [](u32 a, u32 b, bool* high, bool* low) { return __##name##_s16x2(a, b, high, low); }), chosen_halves<int16_t>(x, y, largest)) \
  F(2, name##_u16x2_, chosen(x, y, [](u32 a, u32 b, bool* high, bool* low) { return __##name##_u16x2(a, b, high, low); }), chosen_halves<uint16_t>(x, y, largest))

#define WORDS(F)                                                                                                       \
  F(1, clz_, __clz(int(x)), leading(x, 32))                                                                            \
  F(1, ffs_, __ffs(int(x)), first_set(x))                                                                              \
  F(1, popc_, __popc(x), ones(x))                                                                                      \
  F(1, brev_, __brev(x), reversed(x, 32))                                                                              \
  F(3, byte_perm_, __byte_perm(x, y, z), permuted(x, y, z))                                                            \
  F(3, fns_, __fns(x, y & 31, int(z) % 40), find_set(x, y & 31, int(z) % 40))                                          \
  F(3, funnel_l_, __funnelshift_l(x, y, z), u32((u64(y) << 32 | x) << (z & 31) >> 32))                                 \
  F(3, funnel_lc_, __funnelshift_lc(x, y, z), z >= 32 ? x : u32((u64(y) << 32 | x) << z >> 32))                        \
  F(3, funnel_r_, __funnelshift_r(x, y, z), u32((u64(y) << 32 | x) >> (z & 31)))                                       \
  F(3, funnel_rc_, __funnelshift_rc(x, y, z), z >= 32 ? y : u32((u64(y) << 32 | x) >> z))                              \
  F(2, mulhi_, __mulhi(int(x), int(y)), int(i64(int(x)) * int(y) >> 32))                                               \
  F(2, umulhi_, __umulhi(x, y), u32(u64(x) * y >> 32))                                                                 \
  F(2, mul24_, __mul24(int(x), int(y)), int(u32(i64(int(x << 8) >> 8) * (int(y << 8) >> 8))))                          \
  F(2, umul24_, __umul24(x, y), u32(u64(x & 0xffffff) * (y & 0xffffff)))                                               \
  F(3, sad_, __sad(int(x), int(y), z), u32(std::llabs(i64(int(x)) - int(y))) + z)                                      \
  F(3, usad_, __usad(x, y, z), u32(std::llabs(i64(x) - i64(y))) + z)                                                   \
  F(2, hadd_, __hadd(int(x), int(y)), int((i64(int(x)) + int(y)) >> 1))                                                \
  F(2, rhadd_, __rhadd(int(x), int(y)), int((i64(int(x)) + int(y) + 1) >> 1))                                          \
  F(2, uhadd_, __uhadd(x, y), u32((u64(x) + y) >> 1))                                                                  \
  F(2, urhadd_, __urhadd(x, y), u32((u64(x) + y + 1) >> 1))                                                            \
  F(3, dp4a_, __dp4a(int(x), int(y), int(z)), dot4<int8_t>(x, y, z))                                                   \
  F(3, udp4a_, int(__dp4a(x, y, z)), dot4<uint8_t>(x, y, z))                                                           \
  F(3, dp2a_lo_, __dp2a_lo(int(x), int(y), int(z)), (dot2<int16_t, int8_t>(x, y, z, 0)))                               \
  F(3, dp2a_hi_, __dp2a_hi(int(x), int(y), int(z)), (dot2<int16_t, int8_t>(x, y, z, 2)))                               \
  F(3, udp2a_lo_, int(__dp2a_lo(x, y, z)), (dot2<uint16_t, uint8_t>(x, y, z, 0)))                                      \
  F(3, udp2a_hi_, int(__dp2a_hi(x, y, z)), (dot2<uint16_t, uint8_t>(x, y, z, 2)))                                      \
  SIMD(F, __vadd, ua + ub) SIMD(F, __vsub, ua - ub)                                                                    \
  SIMD(F, __vaddss, limit(sa + sb, -half_of(mask) - 1, half_of(mask)))                                                 \
  SIMD(F, __vaddus, limit(ua + ub, 0, mask))                                                                           \
  SIMD(F, __vsubss, limit(sa - sb, -half_of(mask) - 1, half_of(mask)))                                                 \
  SIMD(F, __vsubus, limit(ua - ub, 0, mask))                                                                           \
  SIMD(F, __vavgu, (ua + ub + 1) >> 1) SIMD(F, __vavgs, (sa + sb + (sa + sb >= 0 ? 1 : 0)) >> 1)                       \
  SIMD(F, __vhaddu, (ua + ub) >> 1)                                                                                    \
  SIMD(F, __vmaxs, sa > sb ? sa : sb) SIMD(F, __vmaxu, ua > ub ? ua : ub)                                              \
  SIMD(F, __vmins, sa < sb ? sa : sb) SIMD(F, __vminu, ua < ub ? ua : ub)                                              \
  SIMD(F, __vabsdiffs, sa > sb ? sa - sb : sb - sa) SIMD(F, __vabsdiffu, ua > ub ? ua - ub : ub - ua)                  \
  SIMD_COMPARE(F, eq, ua == ub) SIMD_COMPARE(F, ne, ua != ub) SIMD_COMPARE(F, ges, sa >= sb)                           \
  SIMD_COMPARE(F, geu, ua >= ub) SIMD_COMPARE(F, gts, sa > sb) SIMD_COMPARE(F, gtu, ua > ub)                           \
  SIMD_COMPARE(F, les, sa <= sb) SIMD_COMPARE(F, leu, ua <= ub) SIMD_COMPARE(F, lts, sa < sb)                          \
  SIMD_COMPARE(F, ltu, ua < ub)                                                                                        \
  SIMD_ONE(F, __vneg, -sa) SIMD_ONE(F, __vabs, sa < 0 ? -sa : sa)                                                      \
  SIMD_ONE(F, __vnegss, limit(-sa, -half_of(mask) - 1, half_of(mask)))                                                 \
  SIMD_ONE(F, __vabsss, limit(sa < 0 ? -sa : sa, -half_of(mask) - 1, half_of(mask)))                                   \
  F(2, vsads2_, __vsads2(x, y), sum<16>(lanes<16>(x, y, LANES(std::llabs(sa - sb)))))                                  \
  F(2, vsadu2_, __vsadu2(x, y), sum<16>(lanes<16>(x, y, LANES(std::llabs(ua - ub)))))                                  \
  F(2, vsads4_, __vsads4(x, y), sum<8>(lanes<8>(x, y, LANES(std::llabs(sa - sb)))))                                    \
  F(2, vsadu4_, __vsadu4(x, y), sum<8>(lanes<8>(x, y, LANES(std::llabs(ua - ub)))))                                    \
  FUSED(F, s32, int, false, fused<int>) FUSED(F, u32, u32, false, fused<u32>)                                          \
  FUSED(F, s32_relu, int, true, fused<int>)                                                                            \
  FUSED(F, s16x2, u32, false, fused_halves<int16_t>) FUSED(F, u16x2, u32, false, fused_halves<uint16_t>)               \
  FUSED(F, s16x2_relu, u32, true, fused_halves<int16_t>)                                                               \
  FUSED_RELU(F, s32_relu, int, fused<int>) FUSED_RELU(F, s16x2_relu, u32, fused_halves<int16_t>)                       \
  CHOSEN(F, vibmax, true) CHOSEN(F, vibmin, false)                                                                     \
  F(1, int_as_float_, __float_as_int(__int_as_float(int(x))) == int(x) || f != f, 1)                                   \
  F(1, uint_as_float_, __uint_as_float(x), f)                                                                          \
  F(2, hiloint_, __hiloint2double(int(x), int(y)), as<double>(u64(x) << 32 | y))                                       \
  F(1, int2double_, __int2double_rn(int(x)), double(int(x)))                                                           \
  F(1, uint2double_, __uint2double_rn(x), double(x))                                                                   \
  FROM_WORD(F, rn, nearest) FROM_WORD(F, rz, zero) FROM_WORD(F, ru, up) FROM_WORD(F, rd, down)
#define FROM_WORD(F, suffix, mode)                                                             \
  F(1, int2float_##suffix, __int2float_##suffix(int(x)), converted<float>(mode, int(x)))      \
  F(1, uint2float_##suffix, __uint2float_##suffix(x), converted<float>(mode, x))

#define LONGS(F)                                                                                                    \
  F(1, clzll_, __clzll(i64(X)), leading(X, 64))                                                                     \
  F(1, ffsll_, __ffsll(i64(X)), first_set(X))                                                                       \
  F(1, popcll_, __popcll(X), ones(X))                                                                               \
  F(1, brevll_, __brevll(X), u64l(reversed_long(X)))                                                                \
  F(2, mul64hi_, __mul64hi(i64(X), i64(Y)), i64((__int128)i64(X) * i64(Y) >> 64))                                   \
  F(2, umul64hi_, __umul64hi(X, Y), u64l((unsigned __int128)X * Y >> 64))                                           \
  F(1, longlong_as_double_, __longlong_as_double(i64(X)), as<double>(X))                                            \
  FROM_LONG(F, rn, nearest) FROM_LONG(F, rz, zero) FROM_LONG(F, ru, up) FROM_LONG(F, rd, down)
#define FROM_LONG(F, suffix, mode)                                                            \
  F(1, ll2float_##suffix, __ll2float_##suffix(i64(X)), converted<float>(mode, i64(X)))        \
  F(1, ull2float_##suffix, __ull2float_##suffix(X), converted<float>(mode, u64l(X)))          \
  F(1, ll2double_##suffix, __ll2double_##suffix(i64(X)), converted<double>(mode, i64(X)))     \
  F(1, ull2double_##suffix, __ull2double_##suffix(X), converted<double>(mode, u64l(X)))

#define FLOATS(F)                                                                                     \
  F(1, saturatef_, __saturatef(f), f != f ? 0.f : f <= 0 ? 0.f : f >= 1 ? 1.f : f)                    \
  F(1, frsqrt_rn_, __frsqrt_rn(f), float(1.0L / sqrtl((long double)f)))                               \
  OF_FLOAT(F, rn, nearest) OF_FLOAT(F, rz, zero) OF_FLOAT(F, ru, up) OF_FLOAT(F, rd, down)
#define OF_FLOAT(F, suffix, mode)                                                                           \
  F(2, fadd_##suffix, __fadd_##suffix(f, g), ROUNDED(mode, float, f, g, 0, x + y))                          \
  F(2, fsub_##suffix, __fsub_##suffix(f, g), ROUNDED(mode, float, f, g, 0, x - y))                          \
  F(2, fmul_##suffix, __fmul_##suffix(f, g), ROUNDED(mode, float, f, g, 0, x * y))                          \
  F(2, fdiv_##suffix, __fdiv_##suffix(f, g), ROUNDED(mode, float, f, g, 0, x / y))                          \
  F(1, frcp_##suffix, __frcp_##suffix(f), ROUNDED(mode, float, f, 1, 0, y / x))                             \
  F(1, fsqrt_##suffix, __fsqrt_##suffix(f), ROUNDED(mode, float, f, 0, 0, sqrtf(x)))                        \
  F(3, fmaf_##suffix, __fmaf_##suffix(f, g, h), ROUNDED(mode, float, f, g, h, fmaf(x, y, z)))               \
  F(3, fmaf_ieee_##suffix, __fmaf_ieee_##suffix(f, g, h), ROUNDED(mode, float, f, g, h, fmaf(x, y, z)))     \
  F(1, float2int_##suffix, __float2int_##suffix(f), to_integer<int>(mode, f))                               \
  F(1, float2uint_##suffix, __float2uint_##suffix(f), to_integer<u32>(mode, f))                             \
  F(1, float2ll_##suffix, __float2ll_##suffix(f), to_integer<long long>(mode, f))                           \
  F(1, float2ull_##suffix, __float2ull_##suffix(f), to_integer<u64l>(mode, f))

#define DOUBLES(F)                                                                                     \
  F(1, double2hiint_, __double2hiint(d), int(as<u64>(d) >> 32))                                        \
  F(1, double2loint_, __double2loint(d), int(as<u64>(d)))                                              \
  F(1, double_as_longlong_, __double_as_longlong(d) == i64(as<u64>(d)) || d != d, 1)                   \
  OF_DOUBLE(F, rn, nearest) OF_DOUBLE(F, rz, zero) OF_DOUBLE(F, ru, up) OF_DOUBLE(F, rd, down)
#define OF_DOUBLE(F, suffix, mode)                                                                  \
  F(2, dadd_##suffix, __dadd_##suffix(d, e), ROUNDED(mode, double, d, e, 0, x + y))                 \
  F(2, dsub_##suffix, __dsub_##suffix(d, e), ROUNDED(mode, double, d, e, 0, x - y))                 \
  F(2, dmul_##suffix, __dmul_##suffix(d, e), ROUNDED(mode, double, d, e, 0, x * y))                 \
  F(2, ddiv_##suffix, __ddiv_##suffix(d, e), ROUNDED(mode, double, d, e, 0, x / y))                 \
  F(1, drcp_##suffix, __drcp_##suffix(d), ROUNDED(mode, double, d, 1, 0, y / x))                    \
  F(1, dsqrt_##suffix, __dsqrt_##suffix(d), ROUNDED(mode, double, d, 0, 0, sqrt(x)))                \
  F(3, fma_##suffix, __fma_##suffix(d, e, k), ROUNDED(mode, double, d, e, k, fma(x, y, z)))         \
  F(1, double2float_##suffix, __double2float_##suffix(d), converted<float>(mode, d))                \
  F(1, double2int_##suffix, __double2int_##suffix(d), to_integer<int>(mode, d))                     \
  F(1, double2uint_##suffix, __double2uint_##suffix(d), to_integer<u32>(mode, d))                   \
  F(1, double2ll_##suffix, __double2ll_##suffix(d), to_integer<long long>(mode, d))                 \
  F(1, double2ull_##suffix, __double2ull_##suffix(d), to_integer<u64l>(mode, d))

template <class T>
int dot4(u32 x, u32 y, u32 z) {
  for (int i = 0; i < 4; ++i) z += u32(int(byte_of<T>(x, i)) * int(byte_of<T>(y, i)));
  return int(z);
}
template <class T, class B>
int dot2(u32 x, u32 y, u32 z, int from) {
  for (int i = 0; i < 2; ++i) z += u32(int(short_of<T>(x, i)) * int(byte_of<B>(y, from + i)));
  return int(z);
}

#define OPERANDS(A, B, C)                                                                        \
  const u64 X = A, Y = B, Z = C;                                                                 \
  const u32 x = u32(A), y = u32(B), z = u32(C);                                                  \
  const float f = as<float>(x), g = as<float>(y), h = as<float>(z);                              \
  const double d = as<double>(X), e = as<double>(Y), k = as<double>(Z);                          \
  (void)X, (void)Y, (void)Z, (void)x, (void)y, (void)z, (void)f, (void)g, (void)h, (void)d, (void)e, (void)k

#define ENTRY_ID(arity, name, device, host) name,
#define ENTRY_DEVICE(arity, name, device, host) case name: return bits(device);
#define ENTRY_HOST(arity, name, device, host) case name: return bits(host);
#define ENTRY_ROW(arity, name, device, host) {arity, #name},
struct Row {
  int arity;
  const char* name;
};
#define TABLE(LIST, group)                                                          \
  namespace group {                                                                 \
  enum { LIST(ENTRY_ID) };                                                          \
  const Row rows[] = {LIST(ENTRY_ROW)};                                             \
  __device__ u64 on_device(int which, u64 a, u64 b, u64 c) {                        \
    OPERANDS(a, b, c);                                                              \
    switch (which) { LIST(ENTRY_DEVICE) }                                           \
    return 0;                                                                       \
  }                                                                                 \
  u64 on_host(int which, u64 a, u64 b, u64 c) {                                     \
    OPERANDS(a, b, c);                                                              \
    switch (which) { LIST(ENTRY_HOST) }                                             \
    return 0;                                                                       \
  }                                                                                 \
  __global__ void all(const u64* edges, int count, int which, int work, u64* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                            \
    if (i < work) out[i] = on_device(which, edges[i % count], edges[i / count % count], edges[i / count / count]); \
  }                                                                                 \
  }
TABLE(WORDS, words)
TABLE(LONGS, longs)
TABLE(FLOATS, floats)
TABLE(DOUBLES, doubles)

int functions = 0;

template <class Kernel, class Host, size_t rows>
void compare(const std::vector<u64>& edges, const Row (&list)[rows], Kernel kernel, Host on_host) {
  const int count = int(edges.size());
  u64 *on, *out;
  CUDA(cudaMallocManaged(&on, count * sizeof(u64)));
  CUDA(cudaMallocManaged(&out, size_t(count) * count * count * sizeof(u64)));
  memcpy(on, edges.data(), count * sizeof(u64));
  for (int which = 0; which < int(rows); ++which, ++functions) {
    const int work = list[which].arity == 1 ? count : list[which].arity == 2 ? count * count : count * count * count;
    kernel<<<(work + 255) / 256, 256>>>(on, count, which, work, out);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < work; ++i) {
      const u64 a = edges[i % count], b = edges[i / count % count], c = edges[i / count / count], want = on_host(which, a, b, c);
      ++host_expectations;
      if (out[i] == want) continue;
      ++host_misses;
      if (wrong++ < 3) printf("FAIL: %s(%llx, %llx, %llx): expected %llx, found %llx\n", list[which].name, u64l(a), u64l(b), u64l(c), u64l(want), u64l(out[i]));
    }
  }
  CUDA(cudaFree(on));
  CUDA(cudaFree(out));
}

// --- approximate functions: within the error that the manual states, against the host in double precision

struct Approximation {
  const char* name;
  double exact;
  double absolute, ulps;  // either allows
};

double ulp(double x) {
  const float magnitude = float(std::fabs(x));
  return std::max(double(std::nextafter(magnitude, INFINITY)) - magnitude, 0x1p-149);
}

__global__ void approximate(const float* of, const float* by, int count, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float x = of[i], y = by[i];
  float sine, cosine;
  __sincosf(x, &sine, &cosine);
  const float all[] = {__sinf(x), __cosf(x), sine, cosine, __tanf(x), __expf(x), __exp10f(x), __logf(x), __log2f(x), __log10f(x), __fdividef(x, y), __powf(x, y), __tanhf(x)};
  for (int k = 0; k < 13; ++k) out[i * 13 + k] = all[k];
}

void compare_approximate() {
  std::vector<float> xs, ys;
  for (int i = -400; i <= 400; ++i) xs.push_back(0.0078125f * i), ys.push_back(1 + i * 0.01f);
  for (int e = -120; e <= 120; e += 3)
    for (const float m : {1.f, 1.234567f, 1.999999f}) xs.push_back(std::ldexp(m, e)), ys.push_back(std::ldexp(m, -e / 4));
  const int count = int(xs.size());
  float *x, *y, *out;
  CUDA(cudaMallocManaged(&x, count * sizeof(float)));
  CUDA(cudaMallocManaged(&y, count * sizeof(float)));
  CUDA(cudaMallocManaged(&out, count * 13 * sizeof(float)));
  std::copy(xs.begin(), xs.end(), x), std::copy(ys.begin(), ys.end(), y);
  approximate<<<(count + 255) / 256, 256>>>(x, y, count, out);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < count; ++i) {
    const double a = x[i], b = y[i];
    const bool turn = std::fabs(a) <= M_PI, positive = a > 0, near_one = a >= 0.5 && a <= 2, in_exp = std::fabs(a) < 80, in_exp10 = std::fabs(a) < 35;
    const double never = INFINITY;
    // Of __tanf and __powf the manual says that they follow from the others; of tanh, PTX says 2^-11, relative.
    const double tangent = std::fabs(std::cos(a)) > 0x1p-10 && turn ? (0x1p-21 + std::fabs(std::tan(a)) * 0x1p-21) / std::fabs(std::cos(a)) + 2 * ulp(std::tan(a)) : never;
    const double power = positive ? std::pow(a, b) : 1, exponent = positive ? b * std::log2(a) : 0;
    const double powers = std::fabs(exponent) < 120 ? power * (std::fabs(b) * 0x1p-21 + std::fabs(exponent) * 0x1p-22 + 0x1p-21) : never;
    const Approximation list[] = {
        {"__sinf", std::sin(a), turn ? 0x1.81p-22 : never, 0}, {"__cosf", std::cos(a), turn ? 0x1.c1p-22 : never, 0},
        {"__sincosf, sine", std::sin(a), turn ? 0x1.81p-22 : never, 0}, {"__sincosf, cosine", std::cos(a), turn ? 0x1.c1p-22 : never, 0},
        {"__tanf", std::tan(a), tangent, 0},
        {"__expf", std::exp(a), in_exp ? 0 : never, 2 + std::floor(std::fabs(1.173 * a))},
        {"__exp10f", std::pow(10., a), in_exp10 ? 0 : never, 2 + std::floor(std::fabs(2.97 * a))},
        {"__logf", std::log(a), !positive ? never : near_one ? 0x1.81p-22 : 0, 3},
        {"__log2f", std::log2(a), !positive ? never : near_one ? 0x1p-22 : 0, 2},
        {"__log10f", std::log10(a), !positive ? never : near_one ? 0x1p-24 : 0, 3},
        {"__fdividef", a / b, std::fabs(b) > 0x1p126 || std::fabs(b) < 0x1p-126 || std::fabs(a / b) > 0x1p127 ? never : 0, 2},
        {"__powf", power, positive ? powers : never, 0},
        {"__tanhf", std::tanh(a), std::fabs(std::tanh(a)) * 0x1p-11 + 0x1p-149, 0}};
    for (int k = 0; k < 13; ++k) {
      const Approximation& one = list[k];
      if (one.absolute == never) continue;
      ++host_expectations;
      const double error = std::fabs(double(out[i * 13 + k]) - one.exact), allowed = std::max(one.absolute, one.ulps * ulp(one.exact));
      if (error <= allowed) continue;
      if (host_misses++ < 20) printf("FAIL: %s(%a, %a): expected %a within %a, found %a\n", one.name, a, b, one.exact, allowed, double(out[i * 13 + k]));
    }
  }
  functions += 12;  // __sincosf is one
  CUDA(cudaFree(x));
  CUDA(cudaFree(y));
  CUDA(cudaFree(out));
}

}  // namespace

int main() {
  const std::vector<u64> word_edges = {0, 1, 2, 7, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10001, 0x7fffff, 0x800000, 0x1000001,
                                       0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x80ff7f01, 0x0123cdef, 0xba98fedc};
  std::vector<u64> long_edges = word_edges;
  for (const u64 x : {0xffffffff00000000u, 0x7fffffffffffffffu, 0x8000000000000000u, 0x8000000000000001u, 0xffffffffffffffffu, 0x20000000000001u, 0x40000040000001u, 0xfffffffffffffbffu, 0x7ffffffffffffe01u})
    long_edges.push_back(x);
  std::vector<u64> float_edges, double_edges;
  const float finf = std::numeric_limits<float>::infinity(), fnan = std::numeric_limits<float>::quiet_NaN();
  for (const float x : {0.f, -0.f, 1.f, -1.f, 0.5f, -1.5f, 2.5f, 0.1f, -3.3f, 1e-45f, -3e-39f, 1.17549435e-38f, 3.4028235e38f, -3.4028235e38f, 8388609.5f, 16777217.f, 2147483520.f, 2147483648.f, -2147483648.f, 4294967040.f, 4294967296.f, 9.2233715e18f, 1.8446743e19f, finf, -finf, fnan})
    float_edges.push_back(as<u32>(x));
  const double dinf = std::numeric_limits<double>::infinity(), dnan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {0., -0., 1., -1., 0.5, -1.5, 2.5, 0.1, -3.3, 4.9e-324, -3e-310, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 1.1754943e-38, 1e-46, 3.4028236e38, 2147483647.5, -2147483648.5, 4294967295.5, 4503599627370497.5, 9007199254740993., 9.223372036854775e18, 1.8446744073709550e19, -9.3e18, dinf, -dinf, dnan})
    double_edges.push_back(as<u64>(x));
  compare(word_edges, words::rows, words::all, words::on_host);
  compare(long_edges, longs::rows, longs::all, longs::on_host);
  compare(float_edges, floats::rows, floats::all, floats::on_host);
  compare(double_edges, doubles::rows, doubles::all, doubles::on_host);
  compare_approximate();
  printf("%d functions\n", functions);
  return finish();
}
