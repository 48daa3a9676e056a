// Arithmetic on the bytes and halves of a word: sums with and without saturation, averages, comparisons, differences,
// minima and maxima, negation. Every such function of the CUDA Math API. Exercises: __v*2, __v*4 intrinsics.
//
// deterministic: yes
#include "check.h"

namespace {

// X(name, value of one lane): ua, ub are the lanes without sign, sa, sb with sign; [least, greatest] is the signed
// range.
#define BINARY(X)                                 \
  X(vadd, ua + ub)                                \
  X(vaddss, std::clamp(sa + sb, least, greatest)) \
  X(vaddus, std::min(ua + ub, mask))              \
  X(vsub, ua - ub)                                \
  X(vsubss, std::clamp(sa - sb, least, greatest)) \
  X(vsubus, std::max(ua - ub, 0ll))               \
  X(vavgs, (sa + sb + (sa + sb >= 0)) >> 1)       \
  X(vavgu, (ua + ub + 1) >> 1)                    \
  X(vhaddu, (ua + ub) >> 1)                       \
  X(vmaxs, std::max(sa, sb))                      \
  X(vmaxu, std::max(ua, ub))                      \
  X(vmins, std::min(sa, sb))                      \
  X(vminu, std::min(ua, ub))                      \
  X(vabsdiffs, std::abs(sa - sb))                 \
  X(vabsdiffu, std::abs(ua - ub))                 \
  COMPARISONS(X, vcmp, mask)                      \
  COMPARISONS(X, vset, 1)
#define COMPARISONS(X, name, yes)  \
  X(name##eq, ua == ub ? yes : 0)  \
  X(name##ne, ua != ub ? yes : 0)  \
  X(name##ges, sa >= sb ? yes : 0) \
  X(name##geu, ua >= ub ? yes : 0) \
  X(name##gts, sa > sb ? yes : 0)  \
  X(name##gtu, ua > ub ? yes : 0)  \
  X(name##les, sa <= sb ? yes : 0) \
  X(name##leu, ua <= ub ? yes : 0) \
  X(name##lts, sa < sb ? yes : 0)  \
  X(name##ltu, ua < ub ? yes : 0)
#define UNARY(X)                              \
  X(vabs, std::abs(sa))                       \
  X(vabsss, std::min(std::abs(sa), greatest)) \
  X(vneg, -sa)                                \
  X(vnegss, std::min(-sa, greatest))
#define SUMS(X)               \
  X(vsads, std::abs(sa - sb)) \
  X(vsadu, std::abs(ua - ub))

#define NAMES(name, value) "__" #name "2", "__" #name "4",
constexpr const char* names[] = {BINARY(NAMES) UNARY(NAMES) SUMS(NAMES)};
constexpr int kResults = sizeof names / sizeof *names;

__global__ void run(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = in[2 * i], b = in[2 * i + 1];
  unsigned* at = out + i * kResults;
#define OF_TWO(name, value) *at++ = __##name##2(a, b), *at++ = __##name##4(a, b);
#define OF_ONE(name, value) *at++ = __##name##2(a), *at++ = __##name##4(a);
  BINARY(OF_TWO) UNARY(OF_ONE) SUMS(OF_TWO)
}

// One function on lanes of so many bits, results side by side or added up.
template <class F>
unsigned by_lanes(unsigned a, unsigned b, int bits, bool sum, F value) {
  const long long mask = (1ll << bits) - 1, least = -(1ll << (bits - 1)), greatest = -least - 1;
  unsigned result = 0;
  for (int lane = 0; lane < 32; lane += bits) {
    const long long ua = a >> lane & mask, ub = b >> lane & mask;
    const long long sa = ua > greatest ? ua - mask - 1 : ua, sb = ub > greatest ? ub - mask - 1 : ub;
    const long long one = value(ua, ub, sa, sb, mask, least, greatest) & mask;
    result += static_cast<unsigned>(sum ? one : one << lane);
  }
  return result;
}

void reference(unsigned a, unsigned b, std::vector<unsigned>& out) {
#define EXPECTED(value, sum)                                                                                          \
  for (int bits : {16, 8})                                                                                            \
    out.push_back(                                                                                                    \
        by_lanes(a, b, bits, sum,                                                                                     \
                 []([[maybe_unused]] long long ua, [[maybe_unused]] long long ub, [[maybe_unused]] long long sa,      \
                    [[maybe_unused]] long long sb, [[maybe_unused]] long long mask, [[maybe_unused]] long long least, \
                    [[maybe_unused]] long long greatest) -> long long { return value; }));
#define SIDE_BY_SIDE(name, value) EXPECTED(value, false)
#define ADDED_UP(name, value) EXPECTED(value, true)
  BINARY(SIDE_BY_SIDE) UNARY(SIDE_BY_SIDE) SUMS(ADDED_UP)
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 200, 1, 1 << 20);
  Random random(67);
  std::vector<unsigned> in, want;
  for (int i = 0; i < n; ++i) {
    const unsigned a = static_cast<unsigned>(random.next()) | (i % 3 == 0 ? 0x80008000 : 0);
    const unsigned b = i % 5 == 0 ? a ^ 0x00ff0000 : static_cast<unsigned>(random.next());
    in.push_back(a), in.push_back(b);
    reference(a, b, want);
  }
  DeviceArray<unsigned> device_in(in), out(want.size());
  run<<<(n + 63) / 64, 64>>>(device_in, out, n);
  FINISH_KERNEL();
  const auto got = out.download();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT(want[i] == got[i], "%s of (%#x, %#x) should be %#x, is %#x", names[i % kResults], in[i / kResults * 2],
           in[i / kResults * 2 + 1], want[i], got[i]);
  return PASS("pairs=%d operations=%d", n, kResults);
}
