// What each arithmetic instruction computes, written from the PTX ISA and from nothing of the simulator's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "program.hpp"

namespace ew::random_ptx {
namespace {

using i32 = std::int32_t;
using i64 = std::int64_t;

float f(u64 bits) {
  return std::bit_cast<float>(static_cast<u32>(bits));
}
double d(u64 bits) {
  return std::bit_cast<double>(bits);
}
u64 bits(float x) {
  return x != x ? 0x7fffffffu : std::bit_cast<u32>(x);
}
u64 bits(double x) {
  return x != x ? 0x7fffffffffffffffu : std::bit_cast<u64>(x);
}
i32 s(u64 x) {
  return static_cast<i32>(x);
}
i64 sl(u64 x) {
  return static_cast<i64>(x);
}
u32 u(u64 x) {
  return static_cast<u32>(x);
}
u32 shift_left(u32 x, u32 by) {
  return by > 31 ? 0 : x << by;
}
u64 field(u64 x, u32 at, u32 length) {
  if (at >= 64 || length == 0) return 0;
  return x >> at & (length >= 64 ? ~u64{0} : (u64{1} << length) - 1);
}
/// bfe: bits beyond the word are copies of the sign, for signed types.
u64 extract(u64 x, u32 at, u32 length, u32 width, bool sign) {
  at &= 255, length &= 255;
  if (length == 0) return 0;
  const bool negative = sign && (x >> std::min(at + length - 1, width - 1) & 1);
  u64 result = 0;
  for (u32 i = 0; i < width; ++i) {
    const bool set = i < length && at + i < width ? x >> (at + i) & 1 : negative;
    result |= u64{set} << i;
  }
  return result;
}
u64 insert(u64 a, u64 b, u32 at, u32 length) {
  at &= 255, length &= 255;
  for (u32 i = 0; i < length && at + i < 32; ++i) b = (b & ~(u64{1} << (at + i))) | (a >> i & 1) << (at + i);
  return u(b);
}
u64 permute(u64 a, u64 b, u64 selectors) {
  const u64 both = u64{u(b)} << 32 | u(a);
  u64 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    const u64 select = selectors >> 4 * i & 15, byte = both >> 8 * (select & 7) & 255;
    result |= (select & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
  }
  return result;
}
template <class To, class From>
u64 saturate(From x) {
  if (x != x) return sizeof(To) == 8 || sizeof(From) == 8 ? u64{1} << (8 * sizeof(To) - 1) : 0;
  const auto least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
  To result;
  if (x <= static_cast<From>(least))
    result = least;
  else if (x >= static_cast<From>(most))
    result = most;
  else
    result = static_cast<To>(x);
  return sizeof(To) == 8 ? static_cast<u64>(result) : u(static_cast<u64>(result));
}
float least(float a, float b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

#define EW_OP(text, classes, expression)                   \
  {                                                        \
    text, classes, [](u64 a, u64 b, u64 c, u64 e) -> u64 { \
      (void)a, (void)b, (void)c, (void)e;                  \
      return expression;                                   \
    }                                                      \
  }

const std::vector<Arithmetic> table = {
    EW_OP("add.u32", "rrr", u(a + b)),
    EW_OP("sub.s32", "rrr", u(a - b)),
    EW_OP("mul.lo.s32", "rrr", u(a* b)),
    EW_OP("mul.hi.u32", "rrr", u(u64{u(a)} * u(b) >> 32)),
    EW_OP("mul.hi.s32", "rrr", u(static_cast<u64>(i64{s(a)} * s(b) >> 32))),
    EW_OP("mul24.lo.u32", "rrr", u((a & 0xffffff) * (b & 0xffffff))),
    EW_OP("mad.lo.u32", "rrrr", u(a* b + c)),
    EW_OP("mul.wide.u32", "lrr", u64{u(a)} * u(b)),
    EW_OP("mul.wide.s32", "lrr", static_cast<u64>(i64{s(a)} * s(b))),
    EW_OP("mad.wide.u32", "lrrl", u64{u(a)} * u(b) + c),
    EW_OP("and.b32", "rrr", a& b),
    EW_OP("or.b32", "rrr", a | b),
    EW_OP("xor.b32", "rrr", a ^ b),
    EW_OP("not.b32", "rr", u(~a)),
    EW_OP("cnot.b32", "rr", u(a) == 0),
    EW_OP("mov.b32", "rr", a),
    EW_OP("shl.b32", "rrr", shift_left(u(a), u(b))),
    EW_OP("shr.u32", "rrr", u(b) > 31 ? 0 : u(a) >> u(b)),
    EW_OP("shr.s32", "rrr", u(static_cast<u64>(s(a) >> std::min(u(b), 31u)))),
    EW_OP("min.s32", "rrr", u(static_cast<u64>(std::min(s(a), s(b))))),
    EW_OP("max.u32", "rrr", std::max(u(a), u(b))),
    EW_OP("abs.s32", "rr", s(a) < 0 ? u(-a) : a),
    EW_OP("neg.s32", "rr", u(-a)),
    EW_OP("popc.b32", "rr", static_cast<u64>(std::popcount(u(a)))),
    EW_OP("clz.b32", "rr", static_cast<u64>(std::countl_zero(u(a)))),
    EW_OP("brev.b32", "rr",
          [](u32 x) {
            u32 r = 0;
            for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
            return r;
          }(u(a))),
    EW_OP("bfind.u32", "rr", u(a) ? static_cast<u64>(31 - std::countl_zero(u(a))) : 0xffffffff),
    EW_OP("prmt.b32", "rrrr", permute(a, b, c)),
    EW_OP("bfe.u32", "rrrr", extract(a, u(b), u(c), 32, false)),
    EW_OP("bfe.s32", "rrrr", extract(a, u(b), u(c), 32, true)),
    EW_OP("bfi.b32", "rrrrr", insert(a, b, u(c), u(e))),
    EW_OP("shf.l.wrap.b32", "rrrr", u((u64{u(b)} << 32 | u(a)) << (c & 31) >> 32)),
    EW_OP("shf.r.clamp.b32", "rrrr", u((u64{u(b)} << 32 | u(a)) >> std::min(u(c), 32u))),
    EW_OP("sad.u32", "rrrr", u((u(a) > u(b) ? a - b : b - a) + c)),
    EW_OP("slct.u32.s32", "rrrr", s(c) >= 0 ? a : b),
    EW_OP("dp4a.u32.u32", "rrrr",
          u(c + field(a, 0, 8) * field(b, 0, 8) + field(a, 8, 8) * field(b, 8, 8) + field(a, 16, 8) * field(b, 16, 8) +
            field(a, 24, 8) * field(b, 24, 8))),
    EW_OP("selp.b32", "rrrp", c ? a : b),
    EW_OP("set.lt.u32.u32", "rrr", u(a) < u(b) ? 0xffffffff : 0),
    EW_OP("setp.eq.u32", "prr", u(a) == u(b)),
    EW_OP("setp.lt.u32", "prr", u(a) < u(b)),
    EW_OP("setp.ge.s32", "prr", s(a) >= s(b)),
    EW_OP("setp.gt.s32", "prr", s(a) > s(b)),
    EW_OP("setp.ne.s64", "pll", a != b),
    EW_OP("setp.lt.s64", "pll", sl(a) < sl(b)),
    EW_OP("setp.gt.u64", "pll", a > b),
    EW_OP("setp.lt.f32", "pff", f(a) < f(b)),
    EW_OP("setp.geu.f32", "pff", !(f(a) < f(b))),
    EW_OP("setp.gt.f64", "pdd", d(a) > d(b)),
    EW_OP("and.pred", "ppp", a& b),
    EW_OP("xor.pred", "ppp", a ^ b),
    EW_OP("or.pred", "ppp", a | b),
    EW_OP("not.pred", "pp", a ^ 1),
    EW_OP("add.u64", "lll", a + b),
    EW_OP("sub.s64", "lll", a - b),
    EW_OP("mul.lo.s64", "lll", a* b),
    EW_OP("mul.hi.u64", "lll", static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64)),
    EW_OP("and.b64", "lll", a& b),
    EW_OP("or.b64", "lll", a | b),
    EW_OP("xor.b64", "lll", a ^ b),
    EW_OP("not.b64", "ll", ~a),
    EW_OP("mov.b64", "ll", a),
    EW_OP("shl.b64", "llr", u(b) > 63 ? 0 : a << u(b)),
    EW_OP("shr.u64", "llr", u(b) > 63 ? 0 : a >> u(b)),
    EW_OP("shr.s64", "llr", static_cast<u64>(sl(a) >> std::min(u(b), 63u))),
    EW_OP("min.s64", "lll", static_cast<u64>(std::min(sl(a), sl(b)))),
    EW_OP("max.u64", "lll", std::max(a, b)),
    EW_OP("popc.b64", "rl", static_cast<u64>(std::popcount(a))),
    EW_OP("clz.b64", "rl", static_cast<u64>(std::countl_zero(a))),
    EW_OP("bfe.u64", "llrr", extract(a, u(b), u(c), 64, false)),
    EW_OP("selp.b64", "lllp", c ? a : b),
    EW_OP("cvt.u64.u32", "lr", u(a)),
    EW_OP("cvt.s64.s32", "lr", static_cast<u64>(i64{s(a)})),
    EW_OP("cvt.u32.u64", "rl", u(a)),
    EW_OP("cvt.u32.u16", "rh", a & 0xffff),
    EW_OP("cvt.s32.s16", "rh", u(static_cast<u64>(static_cast<std::int16_t>(a)))),
    EW_OP("cvt.u16.u32", "hr", a & 0xffff),
    EW_OP("cvt.s32.s8", "rr", u(static_cast<u64>(static_cast<std::int8_t>(a)))),
    EW_OP("cvt.u32.u8", "rr", a & 255),
    EW_OP("cvt.sat.u8.u32", "rr", std::min(u(a), 255u)),
    EW_OP("add.u16", "hhh", (a + b) & 0xffff),
    EW_OP("mul.lo.u16", "hhh", (a * b) & 0xffff),
    EW_OP("xor.b16", "hhh", a ^ b),
    EW_OP("add.rn.f32", "fff", bits(f(a) + f(b))),
    EW_OP("sub.rn.f32", "fff", bits(f(a) - f(b))),
    EW_OP("mul.rn.f32", "fff", bits(f(a) * f(b))),
    EW_OP("div.rn.f32", "fff", bits(f(a) / f(b))),
    EW_OP("sqrt.rn.f32", "ff", bits(std::sqrt(f(a)))),
    EW_OP("fma.rn.f32", "ffff", bits(std::fma(f(a), f(b), f(c)))),
    EW_OP("min.f32", "fff", bits(least(f(a), f(b)))),
    EW_OP("cvt.rn.f32.s32", "fr", bits(static_cast<float>(s(a)))),
    EW_OP("cvt.rn.f32.u32", "fr", bits(static_cast<float>(u(a)))),
    EW_OP("cvt.rzi.s32.f32", "rf", saturate<i32>(f(a))),
    EW_OP("cvt.f64.f32", "df", bits(static_cast<double>(f(a)))),
    EW_OP("cvt.rn.f32.f64", "fd", bits(static_cast<float>(d(a)))),
    EW_OP("add.rn.f64", "ddd", bits(d(a) + d(b))),
    EW_OP("mul.rn.f64", "ddd", bits(d(a) * d(b))),
    EW_OP("fma.rn.f64", "dddd", bits(std::fma(d(a), d(b), d(c)))),
    EW_OP("div.rn.f64", "ddd", bits(d(a) / d(b))),
    EW_OP("cvt.rn.f64.s64", "dl", bits(static_cast<double>(sl(a)))),
    EW_OP("cvt.rn.f64.s32", "dr", bits(static_cast<double>(s(a)))),
    EW_OP("cvt.rzi.s64.f64", "ld", saturate<i64>(d(a))),
    {"mov.b64", "lrr", [](u64 a, u64 b, u64, u64) -> u64 { return u64{u(b)} << 32 | u(a); }, true},
};

}  // namespace

const std::vector<Arithmetic>& arithmetic() {
  return table;
}

}  // namespace ew::random_ptx
