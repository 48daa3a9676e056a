// The video instructions of PTX in inline assembly: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset and vmad on
// words, halves and bytes, with saturation, a second operation or a merge; and the two-way and four-way SIMD forms with
// selectors, masks and sums. Exercises: v*, v*2, v*4 of PTX.
//
// deterministic: yes
#include "check.h"

namespace {

using Number = long long;

// Byte or half number `at` of a word.
Number sb(unsigned word, int at) {
  return static_cast<signed char>(word >> 8 * at);
}
Number ub(unsigned word, int at) {
  return static_cast<unsigned char>(word >> 8 * at);
}
Number sh(unsigned word, int at) {
  return static_cast<short>(word >> 16 * at);
}
Number uh(unsigned word, int at) {
  return static_cast<unsigned short>(word >> 16 * at);
}
Number sw(unsigned word) {
  return static_cast<int>(word);
}
Number uw(unsigned word) {
  return word;
}
Number limited(Number value, Number low, Number high) {
  return std::clamp(value, low, high);
}
Number limited_s32(Number value) {
  return limited(value, INT32_MIN, INT32_MAX);
}
Number limited_u32(Number value) {
  return limited(value, 0, UINT32_MAX);
}
Number average(Number a, Number b) {
  return (a + b + (a + b >= 0)) >> 1;
}
Number with_part(unsigned word, int place, unsigned mask, Number value) {
  return (word & ~(mask << place)) | (static_cast<unsigned>(value) & mask) << place;
}
template <class F>
Number halves(F f) {  // f(0): the low half
  return with_part(static_cast<unsigned>(f(0)) & 0xffff, 16, 0xffff, f(1));
}
template <class F>
Number bytes(F f) {
  Number word = 0;
  for (int i = 0; i < 4; ++i) word = with_part(static_cast<unsigned>(word), 8 * i, 0xff, f(i));
  return word;
}

// X(the instruction, what it gives)
#define INSTRUCTIONS(X)                                                                                               \
  X("vadd.u32.u32.u32 %0, %1, %2;", uw(a) + uw(b))                                                                    \
  X("vadd.s32.u32.s32.sat %0, %1.b0, %2.h1;", limited_s32(ub(a, 0) + sh(b, 1)))                                       \
  X("vadd.s32.s32.s32.sat %0, %1, %2;", limited_s32(sw(a) + sw(b)))                                                   \
  X("vadd.u32.u32.u32.sat.max %0, %1, %2, %3;", std::max(limited_u32(uw(a) + uw(b)), uw(c)))                          \
  X("vsub.s32.s32.u32.sat %0, %1.h1, %2.h1;", limited_s32(sh(a, 1) - uh(b, 1)))                                       \
  X("vsub.u32.u32.u32.sat %0, %1, %2;", limited_u32(uw(a) - uw(b)))                                                   \
  X("vsub.s32.s32.s32 %0.b2, %1.b1, %2.b3, %3;", with_part(c, 16, 0xff, sb(a, 1) - sb(b, 3)))                         \
  X("vabsdiff.s32.s32.s32.sat %0.h0, %1.b0, %2.b2, %3;", with_part(c, 0, 0xffff, std::abs(sb(a, 0) - sb(b, 2))))      \
  X("vabsdiff.u32.u32.u32.add %0, %1.b3, %2.b3, %3;", std::abs(ub(a, 3) - ub(b, 3)) + c)                              \
  X("vmin.s32.s32.s32.sat.add %0, %1, %2, %3;", std::min(sw(a), sw(b)) + sw(c))                                       \
  X("vmin.u32.u32.u32 %0, %1.h0, %2.h1;", std::min(uh(a, 0), uh(b, 1)))                                               \
  X("vmax.s32.s32.s32.max %0, %1, %2, %3;", std::max({sw(a), sw(b), sw(c)}))                                          \
  X("vmax.u32.s32.s32.sat %0.b3, %1, %2, %3;", with_part(c, 24, 0xff, limited(std::max(sw(a), sw(b)), 0, 255)))       \
  X("vshl.u32.u32.u32.clamp %0, %1, %2.b0;", ub(b, 0) > 31 ? 0 : uw(a) << ub(b, 0))                                   \
  X("vshl.s32.s32.u32.sat.wrap %0, %1.h0, %2;", limited_s32(sh(a, 0) * (1ll << (b & 31))))                            \
  X("vshr.s32.s32.u32.clamp %0, %1, %2.b1;", sw(a) >> std::min(ub(b, 1), 32ll))                                       \
  X("vshr.u32.u32.u32.wrap.add %0, %1, %2, %3;", (uw(a) >> (b & 31)) + c)                                             \
  X("vset.s32.u32.lt %0, %1, %2;", sw(a) < uw(b))                                                                     \
  X("vset.u32.u32.ne.add %0, %1, %2.h1, %3;", (uw(a) != uh(b, 1)) + uw(c))                                            \
  X("vset.s32.s32.ge %0.h1, %1.b0, %2.b0, %3;", with_part(c, 16, 0xffff, sb(a, 0) >= sb(b, 0)))                       \
  X("vmad.s32.s32.u32.sat %0, %1.h0, %2.h1, -%3;", limited_s32(sh(a, 0) * uh(b, 1) - sw(c)))                          \
  X("vmad.u32.u32.u32.shr15 %0, %1.h0, %2.h0, %3;", (uh(a, 0) * uh(b, 0) + c) >> 15)                                  \
  X("vmad.s32.s32.s32.po.shr7 %0, %1.b1, %2.b2, %3;", (sb(a, 1) * sb(b, 2) + sw(c) + 1) >> 7)                         \
  X("vmad.s32.u32.u32 %0, -%1.h1, %2.b0, %3;", sw(c) - uh(a, 1) * ub(b, 0))                                           \
  X("vadd2.u32.u32.u32 %0, %1, %2, %3;", halves([&](int i) { return uh(a, i) + uh(b, i); }))                          \
  X("vadd2.s32.s32.s32.sat %0, %1, %2, %3;",                                                                          \
    halves([&](int i) { return limited(sh(a, i) + sh(b, i), -32768, 32767); }))                                       \
  X("vsub2.s32.s32.s32.add %0, %1, %2, %3;", c + sh(a, 0) - sh(b, 0) + sh(a, 1) - sh(b, 1))                           \
  X("vsub2.u32.u32.u32.sat %0.h1, %1.h01, %2.h10, %3;", with_part(c, 16, 0xffff, std::max(uh(a, 0) - uh(a, 1), 0ll))) \
  X("vavrg2.s32.s32.s32 %0, %1, %2, %3;", halves([&](int i) { return average(sh(a, i), sh(b, i)); }))                 \
  X("vabsdiff2.u32.s32.s32 %0, %1, %2, %3;", halves([&](int i) { return std::abs(sh(a, i) - sh(b, i)); }))            \
  X("vmin2.u32.u32.u32 %0, %1, %2, %3;", halves([&](int i) { return std::min(uh(a, i), uh(b, i)); }))                 \
  X("vmax2.s32.s32.s32 %0, %1, %2, %3;", halves([&](int i) { return std::max(sh(a, i), sh(b, i)); }))                 \
  X("vset2.s32.s32.gt %0, %1, %2, %3;", halves([&](int i) { return sh(a, i) > sh(b, i); }))                           \
  X("vset2.u32.u32.eq.add %0, %1, %2.h10, %3;", c + 2)                                                                \
  X("vadd4.u32.u32.u32.sat %0, %1, %2, %3;", bytes([&](int i) { return std::min(ub(a, i) + ub(b, i), 255ll); }))      \
  X("vsub4.s32.s32.s32 %0.b20, %1, %2, %3;", bytes([&](int i) { return i % 2 ? ub(c, i) : sb(a, i) - sb(b, i); }))    \
  X("vavrg4.u32.u32.u32 %0, %1, %2, %3;", bytes([&](int i) { return average(ub(a, i), ub(b, i)); }))                  \
  X("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", c + std::abs(ub(a, 0) - ub(b, 0)) + std::abs(ub(a, 1) - ub(b, 1)) +  \
                                                     std::abs(ub(a, 2) - ub(b, 2)) + std::abs(ub(a, 3) - ub(b, 3)))   \
  X("vmin4.s32.s32.s32 %0, %1.b0123, %2, %3;", bytes([&](int i) { return std::min(sb(a, 3 - i), sb(b, i)); }))        \
  X("vmax4.u32.u32.u32.add %0.b1, %1.b7654, %2, %3;", uw(c) + ub(b, 1))                                               \
  X("vset4.s32.s32.le %0, %1, %2, %3;", bytes([&](int i) { return sb(a, i) <= sb(b, i); }))                           \
  X("vset4.u32.u32.lt.add %0, %1, %2, %3;",                                                                           \
    uw(c) + (ub(a, 0) < ub(b, 0)) + (ub(a, 1) < ub(b, 1)) + (ub(a, 2) < ub(b, 2)) + (ub(a, 3) < ub(b, 3)))

#define TEXT(text, value) text,
constexpr const char* texts[] = {INSTRUCTIONS(TEXT)};
constexpr int kResults = sizeof texts / sizeof *texts;

__global__ void run(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  unsigned* at = out + i * kResults;
#define ISSUE(text, value)                        \
  asm(text : "=r"(*at) : "r"(a), "r"(b), "r"(c)); \
  ++at;
  INSTRUCTIONS(ISSUE)
}

void reference(unsigned a, unsigned b, unsigned c, std::vector<unsigned>& out) {
#define EXPECTED(text, value) out.push_back(static_cast<unsigned>(value));
  INSTRUCTIONS(EXPECTED)
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 300, 1, 1 << 20);
  constexpr unsigned corners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7fff8000, 0x00ff7f80};
  Random random(68);
  std::vector<unsigned> in, want;
  const auto word = [&] { return random.below(4) ? static_cast<unsigned>(random.next()) : corners[random.below(8)]; };
  for (int i = 0; i < n; ++i) {
    const unsigned a = word(), b = word(), c = word();
    in.insert(in.end(), {a, b, c});
    reference(a, b, c, want);
  }
  DeviceArray<unsigned> device_in(in), out(want.size());
  run<<<(n + 63) / 64, 64>>>(device_in, out, n);
  FINISH_KERNEL();
  const auto got = out.download();
  for (size_t i = 0; i < want.size(); ++i) {
    const unsigned* from = in.data() + i / kResults * 3;
    EXPECT(want[i] == got[i], "%s of (%#x, %#x, %#x) should be %#x, is %#x", texts[i % kResults], from[0], from[1],
           from[2], want[i], got[i]);
  }
  return PASS("triples=%d instructions=%d", n, kResults);
}
