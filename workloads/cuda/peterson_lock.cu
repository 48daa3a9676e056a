// Mutual exclusion by loads and stores alone: Peterson's algorithm for two, and the filter lock for several blocks.
// Needs sequentially consistent fences between a store and the next load. Exercises: fence.sc, relaxed loads and stores
// in PTX.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kMost = 8;

struct Filter {
  int level[kMost];   // how far thread i has come; 0: not interested
  int victim[kMost];  // who came last to a level, plus one
};

struct Count {
  int counter;
  int inside;
  int clashes;
};

__device__ int load(const int* at) {
  int value;
  asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ void store(int* at, int value) {
  asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ void fence() {
  asm volatile("fence.sc.gpu;" ::: "memory");
}

__device__ bool someone_at(const Filter* f, int me, int n, int level) {
  for (int other = 0; other < n; ++other)
    if (other != me && load(&f->level[other]) >= level) return true;
  return false;
}

__device__ void lock(Filter* f, int me, int n) {
  for (int level = 1; level < n; ++level) {
    store(&f->level[me], level);
    store(&f->victim[level], me + 1);
    fence();
    while (someone_at(f, me, n, level) && load(&f->victim[level]) == me + 1) continue;
  }
  fence();
}
__device__ void unlock(Filter* f, int me) {
  fence();
  store(&f->level[me], 0);
}

// by_lane: the contenders are lanes of one warp, else one thread of each block.
__global__ void contend(Filter* f, Count* count, int n, int times, bool by_lane) {
  const int me = by_lane ? threadIdx.x : blockIdx.x;
  if (!by_lane && threadIdx.x != 0) return;
  for (int i = 0; i < times; ++i) {
    lock(f, me, n);
    if (atomicAdd(&count->inside, 1) != 0) atomicAdd(&count->clashes, 1);
    store(&count->counter, load(&count->counter) + 1);
    atomicSub(&count->inside, 1);
    unlock(f, me);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int times = size_argument(argc, argv, 1, 10, 1, 10000);
  for (const bool by_lane : {false, true}) {
    // Lanes of one warp wait for each other at length, in functional mode: they count less.
    const int rounds = by_lane ? (times + 4) / 5 : times;
    for (const int n : {2, 5}) {
      DeviceArray<Filter> filter(1, 0);
      DeviceArray<Count> count(1, 0);
      contend<<<by_lane ? 1 : n, by_lane ? n : 32>>>(filter, count, n, rounds, by_lane);
      FINISH_KERNEL();
      const Count got = count.download()[0];
      EXPECT(got.clashes == 0, "nobody should meet another inside, %d did", got.clashes);
      EXPECT(got.counter == n * rounds, "%d contenders should count %d, counted %d", n, n * rounds, got.counter);
    }
  }
  return PASS("times=%d", times);
}
