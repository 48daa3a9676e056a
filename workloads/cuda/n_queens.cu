// Counts the solutions of the n-queens problem: the host places the first two queens, threads search the rest with a
// stack of their own. Exercises: backtracking in local memory, heavy divergence, bit masks, unequal work taken from a
// counter.
//
// deterministic: yes
#include "check.h"

namespace {

struct Start {
  unsigned columns, left, right;
};

__host__ __device__ unsigned long long search(Start start, int depth, int n) {
  const unsigned all = (1u << n) - 1;
  unsigned columns[20], left[20], right[20], open[20];
  columns[0] = start.columns, left[0] = start.left, right[0] = start.right;
  open[0] = all & ~(columns[0] | left[0] | right[0]);
  unsigned long long count = 0;
  for (int level = 0; level >= 0;) {
    if (depth + level == n) {
      ++count;
      --level;
      continue;
    }
    if (open[level] == 0) {
      --level;
      continue;
    }
    const unsigned queen = open[level] & (0u - open[level]);
    open[level] ^= queen;
    columns[level + 1] = columns[level] | queen;
    left[level + 1] = (left[level] | queen) << 1 & all;
    right[level + 1] = (right[level] | queen) >> 1;
    open[level + 1] = all & ~(columns[level + 1] | left[level + 1] | right[level + 1]);
    ++level;
  }
  return count;
}

__global__ void solve(const Start* starts, int count, int n, int* next, unsigned long long* total) {
  unsigned long long mine = 0;
  for (int i = atomicAdd(next, 1); i < count; i = atomicAdd(next, 1)) mine += search(starts[i], 2, n);
  if (mine != 0) atomicAdd(total, mine);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 7, 2, 16);
  const unsigned long long known[] = {0,   1,   0,    0,     2,     10,     4,       40,      92,
                                      352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  std::vector<Start> starts;
  const unsigned all = (1u << n) - 1;
  for (int a = 0; a < n; ++a) {
    const unsigned first = 1u << a, left = first << 1 & all, right = first >> 1;
    for (int b = 0; b < n; ++b) {
      const unsigned second = 1u << b;
      if ((first | left | right) & second) continue;
      starts.push_back({first | second, (left | second) << 1 & all, (right | second) >> 1});
    }
  }
  unsigned long long want = 0;
  for (const Start& start : starts) want += search(start, 2, n);
  EXPECT(want == known[n], "%d queens should have %llu solutions, the reference finds %llu", n, known[n], want);
  DeviceArray<Start> device_starts(starts);
  DeviceArray<int> next(1, 0);
  DeviceArray<unsigned long long> total(1, 0);
  solve<<<2, 32>>>(device_starts, static_cast<int>(starts.size()), n, next, total);
  FINISH_KERNEL();
  EXPECT(total.download()[0] == want, "%d queens should have %llu solutions, found %llu", n, want, total.download()[0]);
  return PASS("queens=%d solutions=%llu", n, want);
}
