// Arithmetic on the bytes and halves of a word: sums with and without saturation, averages, comparisons, differences,
// and the fused add-and-compare functions for dynamic programming. Exercises: __v*2, __v*4, __vi* intrinsics.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kResults = 34;

template <class Put>
__device__ void pairs_of_halves(unsigned a, unsigned b, Put put) {
  put(__vadd2(a, b)), put(__vaddss2(a, b)), put(__vaddus2(a, b)), put(__vsubss2(a, b)), put(__vsubus2(a, b));
  put(__vavgs2(a, b)), put(__vavgu2(a, b)), put(__vmaxs2(a, b)), put(__vminu2(a, b)), put(__vabsdiffs2(a, b));
  put(__vcmpgts2(a, b)), put(__vseteq2(a, b)), put(__vneg2(a)), put(__vabsss2(a)), put(__vsadu2(a, b));
}
template <class Put>
__device__ void quads_of_bytes(unsigned a, unsigned b, Put put) {
  put(__vadd4(a, b)), put(__vaddss4(a, b)), put(__vaddus4(a, b)), put(__vsubss4(a, b)), put(__vsubus4(a, b));
  put(__vavgs4(a, b)), put(__vavgu4(a, b)), put(__vmaxs4(a, b)), put(__vminu4(a, b)), put(__vabsdiffs4(a, b));
  put(__vcmpgts4(a, b)), put(__vseteq4(a, b)), put(__vneg4(a)), put(__vabsss4(a)), put(__vsadu4(a, b));
}

__global__ void run(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned a = in[2 * i], b = in[2 * i + 1];
  unsigned* at = out + i * kResults;
  const auto put = [&](unsigned value) { *at++ = value; };
  pairs_of_halves(a, b, put);
  quads_of_bytes(a, b, put);
  put(static_cast<unsigned>(__vimax3_s32(static_cast<int>(a), static_cast<int>(b), 77)));
  put(__vimin3_u32(a, b, 1u << 30));
  put(static_cast<unsigned>(__viaddmax_s32(static_cast<int>(a), static_cast<int>(b), -9)));
  put(static_cast<unsigned>(__viaddmin_s32_relu(static_cast<int>(a), static_cast<int>(b), 1 << 29)));
}

// All fifteen operations on lanes of so many bits.
void reference(unsigned a, unsigned b, int bits, std::vector<unsigned>& out) {
  const long long mask = (1ll << bits) - 1, least = -(1ll << (bits - 1)), greatest = -least - 1;
  unsigned results[15] = {};
  for (int lane = 0; lane < 32; lane += bits) {
    const long long ua = a >> lane & mask, ub = b >> lane & mask;
    const long long sa = ua > greatest ? ua - mask - 1 : ua, sb = ub > greatest ? ub - mask - 1 : ub;
    const long long average = sa + sb;
    const long long values[] = {ua + ub,
                                std::clamp(sa + sb, least, greatest),
                                std::min(ua + ub, mask),
                                std::clamp(sa - sb, least, greatest),
                                std::max(ua - ub, 0ll),
                                (average + (average >= 0)) >> 1,
                                (ua + ub + 1) >> 1,
                                std::max(sa, sb),
                                std::min(ua, ub),
                                sa > sb ? sa - sb : sb - sa,
                                sa > sb ? mask : 0,
                                ua == ub,
                                -sa,
                                std::min(sa < 0 ? -sa : sa, greatest)};
    for (int k = 0; k < 14; ++k) results[k] |= static_cast<unsigned>((values[k] & mask) << lane);
    results[14] += static_cast<unsigned>(ua > ub ? ua - ub : ub - ua);
  }
  out.insert(out.end(), results, results + 15);
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
    reference(a, b, 16, want);
    reference(a, b, 8, want);
    const int sa = static_cast<int>(a), sb = static_cast<int>(b), sum = static_cast<int>(a + b);
    want.push_back(static_cast<unsigned>(std::max({sa, sb, 77})));
    want.push_back(std::min({a, b, 1u << 30}));
    want.push_back(static_cast<unsigned>(std::max(sum, -9)));
    want.push_back(static_cast<unsigned>(std::max(std::min(sum, 1 << 29), 0)));
  }
  DeviceArray<unsigned> device_in(in), out(want.size());
  run<<<(n + 63) / 64, 64>>>(device_in, out, n);
  FINISH_KERNEL();
  const auto got = out.download();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT(want[i] == got[i], "operation %zu of (%#x, %#x) should be %#x, is %#x", i % kResults, in[i / kResults * 2],
           in[i / kResults * 2 + 1], want[i], got[i]);
  return PASS("pairs=%d operations=%d", n, kResults);
}
