// Warps of one block in different roles meet at numbered barriers: two pairs of groups side by side, and producers that
// only arrive while consumers wait. Exercises: bar.sync and bar.arrive with id and count, barrier.red, __syncthreads
// variants.
//
// deterministic: yes
#include "check.h"

namespace {

__device__ void meet(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ void arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Four warps: 0 and 1 exchange through barrier 1, 2 and 3 through barrier 2, different numbers of times.
__global__ void in_pairs(int* out, int rounds) {
  __shared__ int cells[128];
  const int pair = threadIdx.x / 64, t = threadIdx.x % 64;
  int* mine = cells + 64 * pair;
  unsigned value = threadIdx.x;
  for (int i = 0; i < rounds * (pair + 1); ++i) {
    mine[t] = static_cast<int>(value);
    meet(1 + pair, 64);
    value = static_cast<unsigned>(mine[63 - t]) * 3 + i;
    meet(1 + pair, 64);
  }
  __syncthreads();
  out[threadIdx.x] = static_cast<int>(value);
}

// Warp 0 consumes what warps 1 to 3 produce; "full" is barrier 3, "empty" barrier 4. Waiters and arrivers: all 128
// threads.
__global__ void produce_and_consume(long long* out, int items) {
  __shared__ int slots[96];
  if (threadIdx.x < 32) {
    long long sum = 0;
    arrive(4, 128);
    for (int i = 0; i < items; ++i) {
      meet(3, 128);
      for (int k = 0; k < 3; ++k) sum = sum * 5 % 1000003 + slots[32 * k + threadIdx.x];
      if (i + 1 < items) arrive(4, 128);
    }
    out[threadIdx.x] = sum;
  } else {
    const int t = threadIdx.x - 32;
    for (int i = 0; i < items; ++i) {
      meet(4, 128);
      slots[t] = t * 100 + i;
      arrive(3, 128);
    }
  }
}

__global__ void votes(int* out, int limit) {
  const int t = threadIdx.x;
  out[3 * t] = __syncthreads_count(t % 3 == 0);
  out[3 * t + 1] = __syncthreads_and(t < limit);
  out[3 * t + 2] = __syncthreads_or(t == limit);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = size_argument(argc, argv, 1, 6, 1, 1000);
  DeviceArray<int> out(128), voted(3 * 80);
  DeviceArray<long long> sums(32);
  in_pairs<<<1, 128>>>(out, rounds);
  produce_and_consume<<<1, 128>>>(sums, rounds);
  votes<<<1, 80>>>(voted, 80);
  FINISH_KERNEL();
  std::vector<int> want(128);
  for (int pair = 0; pair < 2; ++pair) {
    std::vector<unsigned> values(64), last(64);
    for (int t = 0; t < 64; ++t) values[t] = 64 * pair + t;
    for (int i = 0; i < rounds * (pair + 1); ++i) {
      last = values;
      for (int t = 0; t < 64; ++t) values[t] = last[63 - t] * 3 + i;
    }
    for (int t = 0; t < 64; ++t) want[64 * pair + t] = static_cast<int>(values[t]);
  }
  EXPECT_SAME(want, out.download(), "pair");
  std::vector<long long> want_sums(32);
  for (int t = 0; t < 32; ++t)
    for (int i = 0; i < rounds; ++i)
      for (int k = 0; k < 3; ++k) want_sums[t] = want_sums[t] * 5 % 1000003 + (32 * k + t) * 100 + i;
  EXPECT_SAME(want_sums, sums.download(), "consumed");
  std::vector<int> want_votes;
  for (int t = 0; t < 80; ++t) want_votes.insert(want_votes.end(), {27, 1, 0});
  EXPECT_SAME(want_votes, voted.download(), "vote");
  return PASS("rounds=%d", rounds);
}
