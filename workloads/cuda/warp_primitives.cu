// The warp-synchronous operations one by one, with full and partial masks: match any and all, reduce (add, min, max,
// and, or, xor), votes, shuffles with widths, __syncwarp exchanges. Exercises: redux, match, vote, shfl.
//
// build: -arch=sm_80
// deterministic: yes
#include "check.h"

namespace {

constexpr int kResults = 17;

__global__ void all_operations(const int* in, int* out) {
  const int lane = threadIdx.x, x = in[lane];
  int* mine = out + lane * kResults;
  int uniform = 0;
  mine[0] = static_cast<int>(__match_any_sync(~0u, x % 5));
  mine[1] = static_cast<int>(__match_all_sync(~0u, x / 1000, &uniform)) - 2 * uniform;
  mine[2] = static_cast<int>(__match_any_sync(~0u, static_cast<unsigned long long>(x % 3) << 40));
  mine[3] = __reduce_add_sync(~0u, x);
  mine[4] = __reduce_min_sync(~0u, x - 50);
  mine[5] = __reduce_max_sync(~0u, static_cast<unsigned>(x));
  mine[6] = static_cast<int>(__reduce_and_sync(~0u, static_cast<unsigned>(x) | 0xf0));
  mine[7] = static_cast<int>(__reduce_or_sync(~0u, static_cast<unsigned>(x)));
  mine[8] = static_cast<int>(__reduce_xor_sync(~0u, static_cast<unsigned>(x)));
  mine[9] = __shfl_sync(~0u, x, lane * 5, 8);  // within groups of eight
  mine[10] = __shfl_up_sync(~0u, x, 3, 16);    // the first three of each sixteen keep their own
  mine[11] = __shfl_down_sync(~0u, x, 30);     // most lanes keep their own
  mine[12] = __shfl_xor_sync(~0u, x, 21);
  mine[13] = __any_sync(~0u, x == in[7]) + 2 * __all_sync(~0u, x >= 0);
  if (lane % 3 == 1) {  // eleven lanes: 1, 4, ..., 31
    const unsigned mask = 0x92492492;
    mine[14] = __reduce_add_sync(mask, x) + static_cast<int>(__ballot_sync(mask, x & 1));
    mine[15] = __shfl_sync(mask, x, 31) * 2;
    mine[16] = __popc(__ballot_sync(mask, x >= 0));
  } else {
    const unsigned mask = ~0x92492492u;
    mine[14] = __reduce_add_sync(mask, x);
    mine[15] = __shfl_sync(mask, x, 30) * 3;
    mine[16] = __popc(__match_any_sync(mask, x % 2));
  }
}

// Exchange through shared memory with __syncwarp as the only barrier: a prefix sum by doubling.
__global__ void scan_by_syncwarp(const int* in, int* out) {
  __shared__ int cells[2][32];
  const int lane = threadIdx.x;
  cells[0][lane] = in[lane];
  __syncwarp();
  int from = 0;
  for (int step = 1; step < 32; step *= 2, from ^= 1) {
    cells[from ^ 1][lane] = cells[from][lane] + (lane >= step ? cells[from][lane - step] : 0);
    __syncwarp();
  }
  out[lane] = cells[from][lane];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = size_argument(argc, argv, 1, 10, 1, 10000);
  Random random(57);
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> in(32), want(32 * kResults), want_scan(32);
    for (auto& x : in) x = static_cast<int>(random.below(round % 2 ? 1000 : 1500));
    int sum = 0, least = 1 << 30, greatest = 0, all_and = -1, all_or = 0, all_xor = 0, part[2] = {}, odd_ballot = 0;
    bool same_thousand = true;
    for (int i = 0; i < 32; ++i) {
      want_scan[i] = sum += in[i];
      least = std::min(least, in[i] - 50), greatest = std::max(greatest, in[i]);
      all_and &= in[i] | 0xf0, all_or |= in[i], all_xor ^= in[i];
      same_thousand &= in[i] / 1000 == in[0] / 1000;
      part[i % 3 == 1] += in[i];
      if (i % 3 == 1) odd_ballot |= static_cast<int>(static_cast<unsigned>(in[i] & 1) << i);
    }
    for (int i = 0; i < 32; ++i) {
      int* w = &want[i * kResults];
      unsigned five = 0, three = 0;
      int parity = 0;
      for (int k = 0; k < 32; ++k) {
        five |= static_cast<unsigned>(in[k] % 5 == in[i] % 5) << k,
            three |= static_cast<unsigned>(in[k] % 3 == in[i] % 3) << k;
        parity += k % 3 != 1 && in[k] % 2 == in[i] % 2;
      }
      w[0] = static_cast<int>(five), w[1] = same_thousand ? -3 : 0, w[2] = static_cast<int>(three);
      w[3] = sum, w[4] = least, w[5] = greatest, w[6] = all_and, w[7] = all_or, w[8] = all_xor;
      w[9] = in[i / 8 * 8 + i * 5 % 8];
      w[10] = in[i % 16 < 3 ? i : i - 3];
      w[11] = in[i + 30 < 32 ? i + 30 : i];
      w[12] = in[i ^ 21];
      w[13] = 3;
      w[14] = i % 3 == 1 ? part[1] + odd_ballot : part[0];
      w[15] = i % 3 == 1 ? in[31] * 2 : in[30] * 3;
      w[16] = i % 3 == 1 ? 11 : parity;
    }
    DeviceArray<int> device_in(in), out(want.size()), scanned(32);
    all_operations<<<1, 32>>>(device_in, out);
    scan_by_syncwarp<<<1, 32>>>(device_in, scanned);
    FINISH_KERNEL();
    EXPECT_SAME(want, out.download(), "result");
    EXPECT_SAME(want_scan, scanned.download(), "scan");
  }
  return PASS("rounds=%d", rounds);
}
