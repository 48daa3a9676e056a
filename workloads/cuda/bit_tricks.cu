// Integer intrinsics against plain C++: popc, clz, ffs, brev, byte_perm, funnel shifts, mulhi, mul24, sad, hadd, 64-bit
// forms, and the SIMD-in-a-word instructions on bytes and halves. Exercises: integer device functions, signed edge
// cases.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kResults = 28;

__global__ void run(const unsigned* in, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = in[2 * i], b = in[2 * i + 1];
  const int sa = static_cast<int>(a), sb = static_cast<int>(b);
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  const long long results[kResults] = {__popc(a),
                                       __popcll(wide),
                                       __clz(sa),
                                       __clzll(wide),
                                       __ffs(sa),
                                       __ffsll(wide),
                                       __brev(a),
                                       static_cast<long long>(__brevll(wide)),
                                       __byte_perm(a, b, 0x3715),
                                       __funnelshift_l(a, b, a),
                                       __funnelshift_r(a, b, b),
                                       __funnelshift_lc(a, b, a % 64),
                                       __funnelshift_rc(a, b, b % 64),
                                       __mulhi(sa, sb),
                                       __umulhi(a, b),
                                       __mul64hi(sa * 777777777ll, sb),
                                       static_cast<long long>(__umul64hi(wide, wide)),
                                       __mul24(sa, sb),
                                       __umul24(a, b),
                                       __sad(sa, sb, 5u),
                                       __usad(a, b, 7u),
                                       __hadd(sa, sb),
                                       __rhadd(sa, sb),
                                       __uhadd(a, b),
                                       __urhadd(a, b),
                                       __vadd4(a, b),
                                       __vmaxs2(a, b),
                                       __vabsdiffu4(a, b)};
  for (int k = 0; k < kResults; ++k) out[i * kResults + k] = results[k];
}

int sign_24(unsigned x) {
  return static_cast<int>(x << 8) >> 8;
}

std::vector<long long> reference(unsigned a, unsigned b) {
  const int sa = static_cast<int>(a), sb = static_cast<int>(b);
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  const auto reversed = [](unsigned long long x, int bits) {
    unsigned long long y = 0;
    for (int i = 0; i < bits; ++i) y |= (x >> i & 1) << (bits - 1 - i);
    return y;
  };
  const unsigned long long pair = static_cast<unsigned long long>(b) << 32 | a;  // b above a, for the funnel shifts
  const auto left = [&](unsigned s) { return static_cast<unsigned>(s == 32 ? pair & ~0u : pair << s >> 32); };
  const auto right = [&](unsigned s) { return static_cast<unsigned>(s == 32 ? pair >> 32 : pair >> s); };
  const auto byte = [&](int k) { return k < 4 ? a >> 8 * k & 255 : b >> 8 * (k - 4) & 255; };
  unsigned sums = 0, greatest = 0, differences = 0;
  for (int s = 0; s < 32; s += 8) {
    const unsigned x = a >> s & 255, y = b >> s & 255;
    sums |= (x + y & 255) << s;
    differences |= (x > y ? x - y : y - x) << s;
  }
  for (int s = 0; s < 32; s += 16) {
    const short x = static_cast<short>(a >> s), y = static_cast<short>(b >> s);
    greatest |= static_cast<unsigned>(static_cast<unsigned short>(x > y ? x : y)) << s;
  }
  const __int128 signed_product = static_cast<__int128>(sa * 777777777ll) * sb;
  const unsigned __int128 product = static_cast<unsigned __int128>(wide) * wide;
  const long long sum = static_cast<long long>(sa) + sb;
  const unsigned long long usum = static_cast<unsigned long long>(a) + b;
  return {__builtin_popcount(a),
          __builtin_popcountll(wide),
          a ? __builtin_clz(a) : 32,
          wide ? __builtin_clzll(wide) : 64,
          __builtin_ffs(sa),
          __builtin_ffsll(static_cast<long long>(wide)),
          static_cast<long long>(reversed(a, 32)),
          static_cast<long long>(reversed(wide, 64)),
          byte(5) | byte(1) << 8 | byte(7) << 16 | byte(3) << 24,
          left(a % 32),
          right(b % 32),
          left(std::min(a % 64, 32u)),
          right(std::min(b % 64, 32u)),
          static_cast<int>(static_cast<long long>(sa) * sb >> 32),
          static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32),
          static_cast<long long>(signed_product >> 64),
          static_cast<long long>(static_cast<unsigned long long>(product >> 64)),
          static_cast<int>(static_cast<unsigned>(static_cast<long long>(sign_24(a)) * sign_24(b))),
          static_cast<unsigned>(static_cast<unsigned long long>(a & 0xffffff) * (b & 0xffffff)),
          static_cast<unsigned>(static_cast<unsigned>(sa > sb ? a - b : b - a) + 5u),
          static_cast<unsigned>((a > b ? a - b : b - a) + 7u),
          static_cast<int>(sum >> 1),
          static_cast<int>((sum + 1) >> 1),
          static_cast<unsigned>(usum >> 1),
          static_cast<unsigned>((usum + 1) >> 1),
          sums,
          greatest,
          differences};
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 300, 64, 1 << 20);
  const unsigned special[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x00800000, 0xff7fffff};
  Random random(59);
  std::vector<unsigned> in;
  std::vector<long long> want;
  for (int i = 0; i < n; ++i) {
    const unsigned a = i < 64 ? special[i / 8] : static_cast<unsigned>(random.next() >> random.below(33));
    const unsigned b = i < 64 ? special[i % 8] : static_cast<unsigned>(random.next() >> random.below(33));
    in.push_back(a), in.push_back(b);
    const auto results = reference(a, b);
    want.insert(want.end(), results.begin(), results.end());
  }
  DeviceArray<unsigned> device_in(in);
  DeviceArray<long long> out(want.size());
  run<<<(n + 63) / 64, 64>>>(device_in, out, n);
  FINISH_KERNEL();
  const auto got = out.download();
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT(want[i] == got[i], "function %zu of (%#x, %#x) should be %lld, is %lld", i % kResults, in[i / kResults * 2],
           in[i / kResults * 2 + 1], want[i], got[i]);
  }
  return PASS("pairs=%d functions=%d", n, kResults);
}
